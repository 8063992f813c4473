import assert from 'node:assert/strict';
import type { Store } from '../../src/store/store.ts';
import type {
  ClaimedDelivery,
  ClaimTime,
  DueRequest,
  NewEndpoint,
  ReplayRequest,
} from '../../src/store/webhooks/store.ts';
import { NOW } from './fixtures.ts';

export const UNTIL = NOW + 30_000;
export const ANSWERED = { at: NOW, status: 200, durationMs: 12, answer: 'ok', error: null };
export const REFUSED = {
  at: NOW,
  status: null,
  durationMs: 3,
  answer: '',
  error: 'CONNECTION_REFUSED',
} as const;

let endpointsMade = 0;

export async function addEndpoint(
  store: Store,
  guildId: string,
  given: Partial<NewEndpoint> = {},
): Promise<NewEndpoint> {
  endpointsMade += 1;
  const endpoint: NewEndpoint = {
    guildId,
    endpointId: `ep_${endpointsMade}`,
    name: null,
    destination: { kind: 'https' },
    url: 'https://receiver.example/hook',
    events: ['vote_received'],
    secrets: { current: 'sealed', previous: null },
    createdAt: NOW + endpointsMade,
    ...given,
  };
  assert.equal(await store.webhooks.addEndpoint(endpoint, 5), 'added');
  return endpoint;
}

export function claim(
  store: Store,
  guildId: string,
  now = NOW,
  except: string[] = [],
): Promise<ClaimedDelivery[]> {
  return claimDue(store, { now, until: now + 30_000, guildIds: [guildId], except, limit: 100 });
}

/** Claims what is due, as a worker does whose slots are all free. */
export async function claimDue(
  { webhooks }: Pick<Store, 'webhooks'>,
  request: DueRequest & ClaimTime,
): Promise<ClaimedDelivery[]> {
  return webhooks.claim(await webhooks.findDue(request), request);
}

export async function claimOne(store: Store, guildId: string, now = NOW): Promise<ClaimedDelivery> {
  const [delivery, ...others] = await claim(store, guildId, now);
  assert.ok(delivery && others.length === 0);
  return delivery;
}

/** Replays everything requested, and returns the number of queued deliveries. */
export async function countReplayed(store: Store, request: Omit<ReplayRequest, 'limit'>): Promise<number> {
  const { queued, nextSince } = await store.webhooks.replay({ ...request, limit: 1000 });
  assert.equal(nextSince, null);
  return queued;
}
