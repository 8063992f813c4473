import type { Clock } from '../domain/clock.ts';
import {
  type ShownVoter,
  TOPGG_TIMEOUT_MS,
  type TopggFormat,
  topggBody,
  topggFailure,
  topggHeaders,
  topggVoter,
} from '../domain/webhooks/topgg.ts';
import type { Store } from '../store/store.ts';
import type { UserStore } from '../store/users.ts';
import type { ClaimedDelivery } from '../store/webhooks/store.ts';
import type { Send, SendResult } from './send.ts';

type TopggDeps = { store: Pick<Store, 'users'>; clock: Clock; send: Send };

/** Sends a vote, or its sample as a test, in a format of top.gg, and explains the response in its terms. */
export async function sendInTopggFormat(
  { store, clock, send }: TopggDeps,
  { eventId, body: event, endpoint: { url } }: ClaimedDelivery,
  format: TopggFormat,
  secret: string,
  stop?: AbortSignal,
): Promise<SendResult> {
  const body = topggBody(format, event, await findShown(store.users, topggVoter(event)));
  const headers = topggHeaders(format, { id: eventId, at: clock(), body }, secret);
  const result = await send({ url, headers, body, timeoutMs: TOPGG_TIMEOUT_MS }, stop);
  const { status, error } = result;
  if (status === null) return error === 'NO_RESPONSE' ? { ...result, error: 'TOPGG_NO_RESPONSE' } : result;
  return { ...result, error: error ?? topggFailure(status) ?? null };
}

/** Only v1 contains names, but asking for v0 too is one query by primary key. */
async function findShown(users: UserStore, userId: string): Promise<ShownVoter> {
  const user = (await users.find([userId])).get(userId);
  return user?.showName ? user : null;
}
