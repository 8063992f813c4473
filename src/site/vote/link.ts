/** Reads the vote link from the URL of a request. */
import type { FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../domain/address.ts';
import { isLinkableExternalId } from '../../domain/identifiers.ts';
import { firstText } from '../../domain/record.ts';
import { isWellEncoded } from '../../domain/text/percent-encoding.ts';
import type { LinkSignature, VoteLink } from '../../domain/votes/vote-link.ts';
import { PageError } from '../errors/page-error.ts';

/** Throws an error page for an invalid link. In the demo, return URLs on this machine are allowed. */
export function voteLinkOf({ url, query }: FastifyRequest, options: { isDemo: boolean }): VoteLink {
  if (!isWellEncoded(url, 'external_id')) throw new PageError('BAD_EXTERNAL_ID');
  return readVoteLink(query, options);
}

export function readVoteLink(query: unknown, { isDemo = false } = {}): VoteLink {
  return {
    externalId: readParameter(query, 'external_id', readExternalId),
    returnTo: readParameter(query, 'return_to', (value) => readReturnAddress(value, isDemo)),
    signature: readSignature(query),
  };
}

function readParameter<T>(query: unknown, name: string, read: (value: unknown) => T): T | null {
  if (typeof query !== 'object' || query === null || !Object.hasOwn(query, name)) return null;
  return read(Reflect.get(query, name));
}

/** A link with two identities is rejected like an empty one, because the intended one is unknown. */
function readExternalId(value: unknown): string {
  if (typeof value !== 'string' || !isLinkableExternalId(value)) throw new PageError('BAD_EXTERNAL_ID');
  return value;
}

/** Credentials in the URL would make the displayed host less trustworthy. */
function readReturnAddress(value: unknown, isDemo: boolean): URL {
  const url = typeof value === 'string' && /^https?:\/\//i.test(value) ? URL.parse(value) : null;
  const isAllowed = url?.protocol === 'https:' || (isDemo && url && isLoopbackHost(url.hostname));
  if (!url || !isAllowed || url.username || url.password) throw new PageError('BAD_RETURN_ADDRESS');
  return url;
}

function readSignature(query: unknown): LinkSignature | null {
  const [expires, signature] = [firstText(query, 'expires'), firstText(query, 'signature')];
  return expires === undefined || signature === undefined ? null : { expires, signature };
}
