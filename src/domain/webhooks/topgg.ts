/**
 * The webhook formats of top.gg, so that receivers written for it work with Votary: only the URL and the secret change.
 *
 *   topgg-v0   the secret in `Authorization`, and a body of the ids
 *   topgg-v1   signed with `x-topgg-signature`, and a body with the vote, the project and the user
 *
 * Both know nothing but votes and tests. A body is made from a stored `vote_received` event at every attempt.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { type Instant, SECOND_MS } from '../clock.ts';
import type { RetryPolicy } from './delivery.ts';
import type { FailureCode } from './failure-messages.ts';
import { eventData } from './payload.ts';

export const TOPGG_FORMATS = ['topgg-v0', 'topgg-v1'] as const;

export type TopggFormat = (typeof TOPGG_FORMATS)[number];

export function isTopggFormat(text: unknown): text is TopggFormat {
  return TOPGG_FORMATS.some((format) => format === text);
}

/** How long top.gg waits for a response. Receivers count on it: some answer with an error just before. */
export const TOPGG_TIMEOUT_MS = 5 * SECOND_MS;

/** top.gg repeats an attempt after 2^N seconds, and only when the receiver did not respond or failed itself. */
function retries(count: number): RetryPolicy {
  const pauses = Array.from({ length: count }, (_, index) => 2 ** (index + 1) * SECOND_MS);
  return { delaysMs: [0, ...pauses], waitsForBusy: false, isFinal: (status) => status < 500 };
}

export const TOPGG_RETRIES: Record<TopggFormat, RetryPolicy> = {
  'topgg-v0': retries(10),
  'topgg-v1': retries(3),
};

const REJECTED_SECRET: readonly number[] = [401, 403];

/** Why a response ends the delivery; `undefined` for a success, and for failures that are repeated. */
export function topggFailure(status: number): FailureCode | undefined {
  if (REJECTED_SECRET.includes(status)) return 'TOPGG_SECRET_REJECTED';
  return status >= 400 && status <= 499 ? 'TOPGG_REJECTED' : undefined;
}

/** What a header can contain. Spaces at the ends would be lost. */
const SECRET = /^[!-~](?:[ -~]{0,254}[!-~])?$/;

export function isTopggSecret(text: string): boolean {
  return SECRET.test(text);
}

const SECRET_BYTES = 32;

/** Secrets of v1 start with `whs_`, which is part of the key. For v0, people choose any text. */
export function generateTopggSecret(
  format: TopggFormat,
  random: (size: number) => Buffer = randomBytes,
): string {
  const secret = random(SECRET_BYTES);
  return format === 'topgg-v1' ? `whs_${secret.toString('hex')}` : secret.toString('base64url');
}

/** The headers of one attempt. Receivers accept a signature for 30 seconds, so each attempt has its own. */
export function topggHeaders(
  format: TopggFormat,
  { id, at, body }: { id: string; at: Instant; body: string },
  secret: string,
): Record<string, string> {
  if (format === 'topgg-v0') return { authorization: secret };
  const timestamp = Math.floor(at / SECOND_MS);
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { 'x-topgg-signature': `t=${timestamp},v1=${signature}`, 'x-topgg-trace': id };
}

/** The voter's profile, as far as the voter agreed to show it; null otherwise. */
export type ShownVoter = { name: string; avatar: string | null } | null;

/** The voter of a stored `vote_received` event. */
export function topggVoter(event: string): string {
  return String(eventData(event).user_id);
}

/** The body for a stored `vote_received` event; for its sample, that of a test. */
export function topggBody(format: TopggFormat, event: string, voter: ShownVoter): string {
  return JSON.stringify(format === 'topgg-v0' ? bodyOfV0(event) : bodyOfV1(event, voter));
}

function bodyOfV0(event: string) {
  const { guild_id, user_id, external_id, test } = eventData(event);
  return {
    guild: guild_id,
    user: user_id,
    type: test === true ? 'test' : 'upvote',
    ...(typeof external_id === 'string' ? { query: `?${new URLSearchParams({ external_id })}` } : {}),
  };
}

function bodyOfV1(event: string, voter: ShownVoter) {
  const data = eventData(event);
  const { guild_id, user_id, external_id } = data;
  // There are no ids but those of Discord here.
  const project = { id: guild_id, type: 'server', platform: 'discord', platform_id: guild_id };
  const user = { id: user_id, platform_id: user_id, ...shownProfile(String(user_id), voter) };
  if (data.test === true) return { type: 'webhook.test', data: { project, user } };
  return {
    type: 'vote.create',
    data: {
      id: numericVoteId(String(data.vote_id)),
      weight: topggWeight(data.is_doubled === true),
      created_at: data.timestamp,
      expires_at: data.next_vote_at,
      project,
      query: typeof external_id === 'string' ? { external_id } : {},
      user,
    },
  };
}

export function topggWeight(isDoubled: boolean): number {
  return isDoubled ? 2 : 1;
}

const PICTURES = 'https://cdn.discordapp.com';

/** Discord has six default pictures, chosen by the time in the id. */
const DEFAULT_PICTURES = 6n;

function shownProfile(userId: string, voter: ShownVoter) {
  const path =
    voter?.avatar != null
      ? `avatars/${userId}/${voter.avatar}.png`
      : `embed/avatars/${(BigInt(userId) >> 22n) % DEFAULT_PICTURES}.png`;
  return { name: voter?.name ?? userId, avatar_url: `${PICTURES}/${path}` };
}

/** Receivers read ids as signed 64-bit integers of at least 17 digits. */
const SMALLEST_ID = 10n ** 18n;
const MAX_ID = 2n ** 63n - 1n;
const VOTE_ID_DIGITS = /^vote_([0-9a-f]{16})/;

/** A number for each vote, always the same one: taken from its id, which is a hash. */
export function numericVoteId(voteId: string): string {
  const digits = VOTE_ID_DIGITS.exec(voteId)?.[1] ?? '0';
  return String(SMALLEST_ID + (BigInt(`0x${digits}`) % (MAX_ID - SMALLEST_ID)));
}
