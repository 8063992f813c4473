import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sampleVotes, seedDemo } from '../src/demo.ts';
import { DAY_MS, HOUR_MS } from '../src/domain/clock.ts';
import { hasPremium } from '../src/domain/guild.ts';
import { hashApiKey } from '../src/domain/keys/api-key.ts';
import { deriveSecrets } from '../src/domain/secrets.ts';
import { recentWindow } from '../src/domain/votes/vote.ts';
import { openStore } from '../src/store/open.ts';
import type { Store } from '../src/store/store.ts';
import { testClock } from './support/clock.ts';

const SECRETS = deriveSecrets('a master secret for tests');
const NOW = '2026-11-15T12:00:00.000Z';

describe('the demo', () => {
  let folder: string;
  const stores: Store[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-demo-'));
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await rm(folder, { recursive: true });
  });

  async function emptyStore(): Promise<Store> {
    const store = await openStore({ kind: 'sqlite', path: join(folder, `${stores.length}.db`) });
    stores.push(store);
    return store;
  }

  it('creates a guild with a key, Premium and a user who has just voted', async () => {
    const store = await emptyStore();
    const clock = testClock(NOW);
    const demo = await seedDemo(store, SECRETS, clock);
    assert.ok(demo);
    const guild = await store.guilds.findByKeyHash(hashApiKey(demo.key));
    assert.ok(guild && hasPremium(guild, clock() + 364 * DAY_MS));
    const window = recentWindow(clock());
    const byUser = await store.votes.latestOfUser(demo.guildId, demo.userId, window);
    const byName = await store.votes.latestOfExternalId(demo.guildId, demo.externalId, window);
    assert.equal(byUser?.castAt, clock());
    assert.deepEqual(byName, byUser);
  });

  it('keeps guild, key and votes on the next start, and adds a vote once an hour has passed', async () => {
    const store = await emptyStore();
    const clock = testClock(NOW);
    const filter = (guildId: string) => ({ guildId, userId: null, period: { from: 0, to: clock() + 1 } });
    const first = await seedDemo(store, SECRETS, clock);
    assert.ok(first);
    const count = await store.votes.count(filter(first.guildId));
    clock.advance(HOUR_MS - 1);
    assert.deepEqual(await seedDemo(store, SECRETS, clock), first);
    assert.equal(await store.votes.count(filter(first.guildId)), count);
    clock.advance(1);
    assert.deepEqual(await seedDemo(store, SECRETS, clock), first);
    assert.equal(await store.votes.count(filter(first.guildId)), count + 1);
  });

  it('records once in the activity log that the operator created its key', async () => {
    const store = await emptyStore();
    const demo = await seedDemo(store, SECRETS, testClock(NOW));
    await seedDemo(store, SECRETS, testClock(NOW));
    assert.ok(demo);
    const found = await store.activities.recent(demo.guildId, 10);
    assert.deepEqual(
      found.map(({ actor, action }) => [actor, action]),
      [[null, 'key_generated']],
    );
  });

  it('creates a new key if the old one was revoked', async () => {
    const store = await emptyStore();
    const first = await seedDemo(store, SECRETS, testClock(NOW));
    assert.ok(first);
    await store.guilds.setKey(first.guildId, null);
    const second = await seedDemo(store, SECRETS, testClock(NOW));
    assert.ok(second && (await store.guilds.findByKeyHash(hashApiKey(second.key))));
  });

  it('changes nothing in a database with other guilds', async () => {
    const store = await emptyStore();
    await store.guilds.add({ guildId: '123456789012345678', name: 'Mine', createdAt: 0 });
    assert.equal(await seedDemo(store, SECRETS, testClock(NOW)), undefined);
    assert.equal((await store.guilds.list()).length, 1);
  });

  it('has a few hundred realistic sample votes of 40 users', () => {
    const now = Date.parse(NOW);
    const votes = sampleVotes(now);
    assert.ok(votes.length >= 300 && votes.length <= 600, String(votes.length));
    assert.deepEqual(sampleVotes(now), votes);
    const byUser = Map.groupBy(votes, (vote) => vote.userId);
    assert.equal(byUser.size, 40);
    for (const [user, own] of byUser) {
      const times = own.map((vote) => vote.castAt).sort((a, b) => a - b);
      times.forEach((time, i) => {
        assert.ok(i === 0 || time - (times[i - 1] ?? 0) >= HOUR_MS, user);
      });
      assert.ok((times[0] ?? 0) >= now - 45 * DAY_MS && (times.at(-1) ?? now) <= now - 2 * HOUR_MS);
    }
    assert.ok(votes.some((vote) => vote.isDoubled) && votes.some((vote) => !vote.isDoubled));
    assert.ok(
      votes.some((vote) => vote.externalId === null) && votes.some((vote) => vote.externalId !== null),
    );
  });
});
