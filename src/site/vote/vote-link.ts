import { createHmac, timingSafeEqual } from 'node:crypto';
import { isLoopbackHost } from '../../domain/address.ts';
import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import { firstText, isLinkableExternalId } from '../../domain/text.ts';
import { PageError } from '../errors/page-error.ts';

/** The parameters of a vote link: the name to vote under, the return URL, and the signature. */
export type VoteLink = {
  externalId: string | null;
  returnTo: URL | null;
  signature: LinkSignature | null;
};

/** As in the link; used where a community requires signed links. */
type LinkSignature = { expires: string; signature: string };

/** The standard link: no name and no return URL. */
const STANDARD_LINK: VoteLink = { externalId: null, returnTo: null, signature: null };

/** Throws an error page for an invalid link. In the demo, return URLs on this machine are allowed. */
export function readVoteLink(query: unknown, { isDemo = false } = {}): VoteLink {
  return {
    externalId: readParameter(query, 'external_id', readExternalId),
    returnTo: readParameter(query, 'return_to', (value) => readReturnAddress(value, isDemo)),
    signature: readSignature(query),
  };
}

/** The URL of the voting page: forms, sign-in and redirects all lead back to the same link. */
export function votePath(guildId: string, link: VoteLink = STANDARD_LINK): string {
  const { externalId, returnTo, signature } = link;
  const parameters = [
    ...(externalId === null ? [] : [`external_id=${encodeURIComponent(externalId)}`]),
    ...(returnTo === null ? [] : [`return_to=${encodeURIComponent(returnTo.href)}`]),
    ...Object.entries(signature ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  ];
  const path = `/guild/${guildId}/vote`;
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
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

/** Throws an error page unless one of the secrets signed the link. */
export function requireSignature(
  guildId: string,
  { signature: given, externalId }: VoteLink,
  secrets: readonly string[],
  now: Instant,
): void {
  if (!given) throw new PageError('LINK_NOT_SIGNED');
  const isSigned = secrets.some((secret) => isSignedWith(secret, guildId, given, externalId ?? ''));
  if (!isSigned) throw new PageError('LINK_SIGNATURE_WRONG');
  if (Number(given.expires) * SECOND_MS <= now) throw new PageError('LINK_EXPIRED');
}

function isSignedWith(secret: string, guildId: string, given: LinkSignature, externalId: string): boolean {
  if (!/^[0-9]{1,12}$/.test(given.expires)) return false;
  const content = `v1.${guildId}.${given.expires}.${externalId}`;
  const expected = createHmac('sha256', secret).update(content).digest('base64url');
  const [one, other] = [Buffer.from(expected), Buffer.from(given.signature)];
  return one.length === other.length && timingSafeEqual(one, other);
}
