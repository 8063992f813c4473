/** What the OpenAPI document of v7 says in addition to its routes. */
import type { ErrorCode } from '../errors/api-error.ts';
import { V7_ERROR_STATUS } from '../errors/responses.ts';
import { ANY_KEY, SECURITY_SCHEMES } from '../openapi/components.ts';
import type { DocumentedApi } from '../openapi/document.ts';
import { INTRODUCTION, TAGS } from '../openapi/introduction.ts';
import { EVENT_SCHEMAS, WEBHOOKS } from '../openapi/webhooks.ts';

export const V7_API: DocumentedApi = {
  title: 'vote verification',
  // The major version is that of the contract, which is also part of every path.
  version: '7.0.0',
  introduction: INTRODUCTION,
  tags: TAGS,
  security: ANY_KEY,
  securitySchemes: SECURITY_SCHEMES,
  webhooks: WEBHOOKS,
  schemas: EVENT_SCHEMAS,
  codes: Object.keys(V7_ERROR_STATUS) as ErrorCode[],
  acceptsKeyInUrl: true,
  hasBodies: false,
};
