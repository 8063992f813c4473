import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { createTestDatabase } from '../../support/postgres/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/postgres-server.ts';
import { addGuild, NOW, USER, voteOf, votesOf } from '../fixtures.ts';

const LIMIT = { requests: 2, windowMs: 60_000 };

describe('a store whose PostgreSQL becomes unavailable', () => {
  let server: PostgresServer;
  let store: Store;
  before(async () => {
    server = await startPostgresServer();
    const { url } = await createTestDatabase(server.url);
    store = await openStore({ kind: 'postgres', url });
  });
  after(async () => {
    await store.close();
    await server.remove();
  });

  test('rejects in the meantime, counts requests by itself, and recovers', async () => {
    const guildId = await addGuild(store);
    await Promise.all(Array.from({ length: 10 }, () => store.ping()));
    await server.stop();

    await assert.rejects(store.ping());
    await assert.rejects(store.guilds.findByKeyHash('any'));
    await assert.rejects(store.votes.cast(voteOf(guildId)));
    const lookup = {
      keyHash: 'any',
      rateKey: 'key',
      fallbackRateKey: 'ip',
      limit: LIMIT,
      now: NOW,
      voteQuery: null,
    };
    const together = await Promise.allSettled([1, 2, 3].map(() => store.admit(lookup)));
    assert.deepEqual(
      together.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    const hits = [];
    for (let i = 0; i < 3; i += 1) hits.push((await store.rates.hit('caller', LIMIT, NOW)).hits);
    assert.deepEqual(hits, [1, 2, 3]);

    await server.start();
    await store.ping();
    // Requests during the outage are not counted afterwards.
    assert.equal((await store.admit(lookup)).window.hits, 1);
    assert.equal((await store.votes.cast(voteOf(guildId))).kind, 'accepted');
    assert.equal((await store.rates.hit('caller', LIMIT, NOW)).hits, 1);
  });

  test('rolls back an interrupted import, and recovers', async () => {
    const guildId = await addGuild(store);
    async function* interrupted() {
      yield [voteOf(guildId, { castAt: 1 })];
      await server.stop();
      yield [voteOf(guildId, { castAt: 2 })];
    }
    await assert.rejects(store.votes.import(interrupted(), NOW));
    await server.start();
    assert.deepEqual(await votesOf(store, guildId), []);
  });

  test('rejects votes in progress when it stops, and has stored those that it accepted', async () => {
    const guildId = await addGuild(store);
    const users = Array.from({ length: 100 }, (_, i) => String(BigInt(USER) + BigInt(i)));
    const casts = users.map((userId) => store.votes.cast(voteOf(guildId, { userId })));
    // The first response shows that votes are being written now.
    await Promise.race(casts);
    const [outcomes] = await Promise.all([Promise.allSettled(casts), server.stop()]);
    const accepted = users.filter((_, i) => outcomes[i]?.status === 'fulfilled');
    await server.start();
    const kept = (await votesOf(store, guildId)).map((vote) => vote.userId);
    assert.ok(accepted.length > 0);
    assert.deepEqual(
      accepted.filter((userId) => !kept.includes(userId)),
      [],
    );
  });
});
