import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { networkPeriod } from '../../src/domain/votes/networks.ts';
import { RetentionWorker } from '../../src/retention/worker.ts';
import type { Store } from '../../src/store/store.ts';
import { addGuild, NOW, USER, voteOf } from '../store/fixtures.ts';
import { addEndpoint } from '../store/webhook-fixtures.ts';
import { openTemporaryStore } from '../support/sqlite.ts';

const YEAR_MS = 365 * DAY_MS;
const OLD_USER = '400000000000000031';

describe('the retention worker', () => {
  let store: Store;
  let close: () => Promise<void>;
  before(async () => {
    ({ store, close } = await openTemporaryStore());
  });
  after(() => close());

  function makeWorker() {
    let now = NOW;
    const logged: unknown[] = [];
    const logger = { error: ({ step }: { step?: string }, message: string) => logged.push([step, message]) };
    const worker = new RetentionWorker({ store, clock: () => now, logger });
    const advance = (ms: number) => {
      now += ms;
    };
    return { worker, logged, advance };
  }

  test('goes on with networks, users and bans when webhook events cannot be deleted', async (t) => {
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    const castAt = NOW - 40 * DAY_MS;
    const network = { hash: `${networkPeriod(castAt)}.home`, maxAccounts: 9, busyFrom: 9 };
    await store.votes.cast(voteOf(guildId, { castAt }), { marks: 0, network });
    await store.users.remember({ userId: OLD_USER, name: 'Sam', avatar: null }, NOW - YEAR_MS - 1);
    const ended = {
      userId: USER,
      since: NOW - 50 * DAY_MS,
      until: NOW - 31 * DAY_MS,
      reason: null,
      publicReason: null,
    };
    await store.moderation.ban(ended);
    const vote = voteOf(guildId, { castAt });
    const isNetworkKept = async () => (await store.moderation.networkOf(guildId, vote)) !== null;
    const isBanKept = async () => (await store.moderation.findBan(USER, NOW - 40 * DAY_MS)) !== undefined;
    assert.deepEqual([await isNetworkKept(), await isBanKept()], [true, true]);

    const { prune } = store.webhooks;
    let isBroken = true;
    t.mock.method(store.webhooks, 'prune', async (...args: Parameters<typeof prune>) => {
      if (isBroken) throw new Error('the disk is full');
      return prune.apply(store.webhooks, args);
    });
    const { worker, logged, advance } = makeWorker();
    await worker.runDue();
    assert.deepEqual([await isNetworkKept(), await isBanKept()], [false, false]);
    assert.equal((await store.users.find([OLD_USER])).size, 0);
    assert.deepEqual(logged, [['webhook_events', 'retention: expired data was not deleted']]);

    // A step that failed is repeated after a minute, not with every poll.
    isBroken = false;
    advance(MINUTE_MS - 1);
    await worker.runDue();
    assert.equal((await store.webhooks.deliveries(guildId, NOW, 10)).length, 1);
    advance(1);
    await worker.runDue();
    assert.equal((await store.webhooks.deliveries(guildId, NOW, 10)).length, 0);
    assert.equal(logged.length, 1);
  });

  test('stops after the batch that is being deleted, and starts nothing new', async (t) => {
    const { worker } = makeWorker();
    const started: string[] = [];
    let finish = (): void => undefined;
    t.mock.method(store.webhooks, 'prune', async () => {
      started.push('events');
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return 0;
    });
    t.mock.method(store.users, 'prune', async () => {
      started.push('users');
      return 0;
    });
    worker.start();
    let isStopped = false;
    const stopping = worker.stop().then(() => {
      isStopped = true;
    });
    await Promise.resolve();
    assert.equal(isStopped, false);
    finish();
    await stopping;
    assert.deepEqual(started, ['events']);
  });
});
