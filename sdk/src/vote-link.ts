import { VotaryError } from './errors/votary-error.ts';

export type VoteLinkOptions = {
  guildId: string;
  /** Your identifier of the voter, such as a player name or an account id. Claims and checks use it to find the vote. */
  externalId?: string | undefined;
  /** An https address. After the vote, the voting page shows a button that leads there. */
  returnTo?: string | URL | undefined;
  /** For communities that require signed links. */
  signing?:
    | {
        /** `vls_…`, from the dashboard. Keep it on your server. */
        secret: string;
        /** When the link expires: a `Date`, or Unix seconds. */
        expires: Date | number;
      }
    | undefined;
};

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

export async function makeVoteLink(baseUrl: string, options: VoteLinkOptions): Promise<string> {
  const { guildId, externalId, returnTo, signing } = options;
  if (!/^\d+$/.test(guildId)) throw invalid('guildId must be the id of your Discord server: digits only');
  const link = new URL(`${baseUrl}/guild/${guildId}/vote`);
  if (externalId !== undefined) link.searchParams.set('external_id', externalId);
  if (returnTo !== undefined) link.searchParams.set('return_to', String(returnTo));
  if (signing) {
    const expires = readExpiry(signing.expires);
    const signature = await sign(signing.secret, `v1.${guildId}.${expires}.${externalId ?? ''}`);
    link.searchParams.set('expires', String(expires));
    link.searchParams.set('signature', signature);
  }
  return link.href;
}

function readExpiry(expires: Date | number): number {
  const seconds = Math.floor(expires instanceof Date ? expires.getTime() / 1000 : expires);
  // Catches milliseconds passed by mistake: the link would practically never expire.
  if (!(seconds > 0 && seconds < 100_000_000_000)) {
    throw invalid('signing.expires must be a Date, or a time in Unix seconds');
  }
  return seconds;
}

/** base64url of HMAC-SHA256, without padding. */
async function sign(secret: string, content: string): Promise<string> {
  if (typeof secret !== 'string' || secret === '')
    throw invalid('signing.secret is empty: copy it from the dashboard');
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), HMAC, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign(HMAC.name, key, encoder.encode(content)));
  return btoa(String.fromCharCode(...signature))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function invalid(message: string): VotaryError {
  return new VotaryError('INVALID_ARGUMENT', message);
}
