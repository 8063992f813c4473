/** The link to a guild's voting page: its URL and its signature. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Instant, SECOND_MS } from '../clock.ts';

/** The parameters of a vote link: the name to vote under, the return URL, and the signature. */
export type VoteLink = {
  externalId: string | null;
  returnTo: URL | null;
  signature: LinkSignature | null;
};

/** The parameters of a signed link, unchanged. They are read where a community requires signed links. */
export type LinkSignature = { expires: string; signature: string };

/** The standard link: no name and no return URL. */
const STANDARD_LINK: VoteLink = { externalId: null, returnTo: null, signature: null };

/** The path of the voting page: forms, sign-in and redirects all lead back to the same link. */
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

/** The standard link, for messages outside of the site. */
export function voteUrl(siteUrl: string, guildId: string): string {
  return `${siteUrl}${votePath(guildId)}`;
}

/** Why a link is not accepted where links have to be signed. */
export type LinkProblem = 'not_signed' | 'wrong_signature' | 'expired';

/** Null if one of the secrets signed the link, and it has not expired. */
export function findLinkProblem(
  guildId: string,
  { signature: given, externalId }: Pick<VoteLink, 'signature' | 'externalId'>,
  secrets: readonly string[],
  now: Instant,
): LinkProblem | null {
  if (!given) return 'not_signed';
  const isSigned = secrets.some((secret) => isSignedWith(secret, guildId, given, externalId ?? ''));
  if (!isSigned) return 'wrong_signature';
  return Number(given.expires) * SECOND_MS <= now ? 'expired' : null;
}

function isSignedWith(secret: string, guildId: string, given: LinkSignature, externalId: string): boolean {
  if (!/^[0-9]{1,12}$/.test(given.expires)) return false;
  const content = `v1.${guildId}.${given.expires}.${externalId}`;
  const expected = createHmac('sha256', secret).update(content).digest('base64url');
  const [one, other] = [Buffer.from(expected), Buffer.from(given.signature)];
  return one.length === other.length && timingSafeEqual(one, other);
}
