/** What the OpenAPI document of the management API says in addition to its routes. */
import { TOKEN_SCOPES } from '../../domain/keys/api-token.ts';
import type { ErrorCode } from '../errors/api-error.ts';
import { MANAGE_ERROR_STATUS } from '../errors/responses.ts';
import type { DocumentedApi } from '../openapi/document.ts';
import { ANYWHERE } from '../openapi/operation.ts';

const INTRODUCTION = `
Everything that the operator of a site does, for programs: a listing site with its own pages, a billing system, or automation.

\`\`\`sh
curl -X POST -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"guild_id":"123456789012345678","name":"My Community"}' \\
  "$URL/manage/v1/guilds"
\`\`\`

## Tokens

A token is created with \`votary token create\` or in the operator console, and sent as \`Authorization: Bearer vto_…\`. It has scopes:
${TOKEN_SCOPES.map((scope) => `\`${scope}\``).join(', ')}. Without a valid token the response is 401 \`INVALID_TOKEN\`; a token without the scope of the operation gets
403 \`MISSING_SCOPE\`. Keep tokens on your servers: they can change every community.

Every change is in the log of operators, with the name of the token, before it takes effect.

## Requests

Bodies are JSON objects of at most 16 KiB. Unknown fields are ignored. An error has \`ok: false\`, a stable code in \`error\` and a
\`message\` in English or French; invalid fields return the body \`errors\` instead. Unknown paths return 404 with an empty body.

Send an \`Idempotency-Key\` with every POST: for 24 hours, the same key with the same request returns the identical response instead of a second
effect. Only successful responses are stored, encrypted; after an error the key counts as unused.

## Rate limit

Requests are limited per token, by default to 600 per minute (\`VOTARY_MANAGE_RATE_LIMIT\`). The headers \`RateLimit-Policy\` and \`RateLimit\` show the limit and
how many requests are left. Above it the response is 429 with \`retry_after\`.
`.trim();

const BEFORE: ErrorCode[] = [
  'INVALID_DATE',
  'INVALID_DATE_RANGE',
  'INVALID_CURSOR',
  'INVALID_USER_ID',
  'MISSING_IDENTIFIER',
  'MULTIPLE_IDENTIFIERS',
  'IDEMPOTENCY_MISMATCH',
];

export const MANAGE_API: DocumentedApi = {
  title: 'management',
  version: '1.0.0',
  introduction: INTRODUCTION,
  tags: [
    { name: 'Communities', description: 'Communities, their keys, Premium, sanctions and rate limits.' },
    { name: 'Votes', description: 'Votes of users whom your own site has signed in.' },
    { name: 'Moderation', description: 'Bans, and votes that should not count.' },
    { name: 'Users', description: 'Export and erase what is stored about a person.' },
    { name: 'Description', description: 'The OpenAPI document.' },
  ],
  security: [{ token: [] }],
  securitySchemes: {
    token: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token of the operator: `Authorization: Bearer vto_…`.',
    },
  },
  schemas: {},
  codes: [...(Object.keys(MANAGE_ERROR_STATUS) as ErrorCode[]), ...BEFORE, ...ANYWHERE],
  acceptsKeyInUrl: false,
  hasBodies: true,
};
