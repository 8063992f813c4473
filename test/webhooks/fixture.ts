/**
 * A store, a worker and endpoints with the clock of a test, without a server.
 *
 *   const fixture = await openFixture();
 *   const { guildId, secret } = await fixture.addEndpoint(receiver.url);
 *   await fixture.vote(guildId);
 *   await fixture.worker.runDue();
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { DatabaseUrl } from '../../src/config.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import type { Vote } from '../../src/domain/votes/vote.ts';
import { SEND_TIMEOUT_MS } from '../../src/domain/webhooks/delivery.ts';
import type { SubscribableEvent } from '../../src/domain/webhooks/event.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { Endpoints } from '../../src/store/webhooks/admin.ts';
import type { DeliveryRecord, WebhookEndpoint } from '../../src/store/webhooks/store.ts';
import { createSenders } from '../../src/webhooks/attempt.ts';
import { createEndpoints } from '../../src/webhooks/endpoints.ts';
import type { Resolve } from '../../src/webhooks/resolve.ts';
import type { Send } from '../../src/webhooks/send.ts';
import { DEFAULT_LIMITS, type Limits, Slots } from '../../src/webhooks/slots.ts';
import type { SendVote } from '../../src/webhooks/votifier.ts';
import { WebhookWorker } from '../../src/webhooks/worker.ts';
import { addGuild, voteOf } from '../store/fixtures.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { writeMigratedFile } from '../support/sqlite.ts';

export const MASTER_SECRET = 'the master secret of these tests';
const SECRETS = deriveSecrets(MASTER_SECRET);

export type Fixture = {
  store: Store;
  clock: TestClock;
  worker: WebhookWorker;
  endpoints: Endpoints;
  send: Send;
  sendVote: SendVote;
  /** The errors of the worker. */
  errors: unknown[];
  addEndpoint(url: string, events?: SubscribableEvent[]): Promise<Added>;
  /** Another user's vote at the current time. */
  vote(guildId: string): Promise<Vote>;
  log(guildId: string): Promise<DeliveryRecord[]>;
  anotherWorker(): WebhookWorker;
};

export type Added = { guildId: string; endpointId: string; endpoint: WebhookEndpoint; secret: string };

export type WorldOptions = {
  database?: DatabaseUrl;
  timeoutMs?: number;
  limits?: Limits;
  resolve?: Resolve;
  random?: () => number;
  ca?: string;
  discordApi?: string;
  siteUrl?: string;
};

let users = 0;

export async function openFixture(options: WorldOptions = {}): Promise<Fixture> {
  const { timeoutMs = SEND_TIMEOUT_MS, resolve = unknownHost, random = () => 0.5 } = options;
  const store = await openStore(options.database ?? (await createDatabase()));
  const clock = testClock('2026-11-15T12:00:00.000Z');
  const reach = { rule: { allowsLoopback: true }, resolve };
  const { discordApi = null, siteUrl = null, ca } = options;
  const senders = createSenders({ ...reach, timeoutMs, discordApi, ...(ca === undefined ? {} : { ca }) });
  const slots = new Slots(options.limits ?? DEFAULT_LIMITS);
  const deps = { ...reach, store, clock, random, sealKey: SECRETS.sealKey, ...senders, slots, siteUrl };
  const errors: unknown[] = [];
  const logger = { error: (details: object) => errors.push(details) };
  const workers: WebhookWorker[] = [];
  const anotherWorker = () => {
    const worker = new WebhookWorker({ ...deps, logger });
    workers.push(worker);
    return worker;
  };
  after(async () => {
    for (const worker of workers) await worker.stop(0);
    await store.close();
  });
  const endpoints = createEndpoints(deps);
  return {
    store,
    clock,
    worker: anotherWorker(),
    endpoints,
    send: senders.send,
    sendVote: senders.sendVote,
    errors,
    anotherWorker,
    async addEndpoint(url, events = ['vote_received']) {
      const guildId = await addGuild(store);
      const added = await endpoints.addEndpoint(guildId, { url, events }, null);
      assert.ok(added.ok && added.secret !== null);
      const { endpoint, secret } = added;
      return { guildId, endpointId: endpoint.endpointId, endpoint, secret };
    },
    async vote(guildId) {
      users += 1;
      const vote = voteOf(guildId, {
        userId: String(300_000_000_000_000_000n + BigInt(users)),
        castAt: clock(),
      });
      assert.equal((await store.votes.cast(vote)).kind, 'accepted');
      return vote;
    },
    log: (guildId) => endpoints.deliveryLog(guildId, 1000),
  };
}

const unknownHost: Resolve = () => Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));

async function createDatabase(): Promise<DatabaseUrl> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-webhooks-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'votary.db');
  await writeMigratedFile(path);
  return { kind: 'sqlite', path };
}
