import type { FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../../domain/address.ts';
import { votePath } from '../../vote/vote-link.ts';

/**
 * Where this site is: as its operator says, else as the admin's own browser reached it, always over HTTPS. A host
 * that no browser would name must not break the page; whoever sent it is shown this machine.
 */
export function siteAddress(request: FastifyRequest, publicUrl: string | null | undefined): string {
  return publicUrl ?? URL.parse(`https://${request.host}`)?.origin ?? 'https://localhost';
}

export function voteLink(site: string, guildId: string): string {
  return site + votePath(guildId);
}

export function customVoteLink(
  site: string,
  guildId: string,
  externalId: string,
  returnTo: URL | null = null,
): string {
  return site + votePath(guildId, { externalId, returnTo });
}

/** A line to paste into a terminal. */
export function curlLine(site: string, userId: string, key: string): string {
  // On this very machine the certificate is self-signed: without -k the first try of a newcomer would fail.
  const curl = isLoopbackHost(new URL(site).hostname) ? 'curl -k' : 'curl';
  return `${curl} "${site}/v7/vote-check?discord_id=${userId}" -H "Authorization: Bearer ${key}"`;
}
