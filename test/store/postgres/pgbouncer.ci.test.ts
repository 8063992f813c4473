import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import type { CastOutcome } from '../../../src/store/votes/votes.ts';
import { startPgBouncer } from '../../support/postgres/pgbouncer.ts';
import { createTestDatabase } from '../../support/postgres/postgres.ts';
import { requirement } from '../../support/requirement.ts';
import { addGuild, NOW, voteOf } from '../fixtures.ts';

test('two processes work through PgBouncer in transaction mode', {
  skip: requirement('pgbouncer'),
}, async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const { url: pooled, stop } = await startPgBouncer(url, 3);
  t.after(stop);
  const stores = [
    await openStore({ kind: 'postgres', url: pooled }),
    await openStore({ kind: 'postgres', url: pooled }),
  ];
  t.after(() => Promise.all(stores.map((store) => store.close())));
  const [first] = stores;
  assert.ok(first);
  const guildId = await addGuild(first);
  const limit = { requests: 1000, windowMs: 60_000 };
  for (let round = 0; round < 10; round += 1) {
    const calls = stores.flatMap((store, index) => [
      store.rates.hit('pooled', limit, NOW),
      store.guilds.findByKeyHash('none'),
      store.votes.cast(voteOf(guildId, { userId: `20000000000000${round}${index}00`, castAt: NOW + round })),
      store.admit({
        keyHash: 'none',
        rateKey: 'key:none',
        fallbackRateKey: 'ip:pooled',
        limit,
        now: NOW,
        voteQuery: null,
      }),
      store.ping(),
    ]);
    await Promise.all(calls);
  }
  // After so many votes that were accepted, those that arrive together are cast by one statement, which fails.
  const votes = [
    voteOf(guildId, { castAt: NOW + 20 }),
    voteOf(guildId, { userId: '200000000000009000', castAt: NOW + 20 }),
  ];
  const outcomes: CastOutcome[] = await Promise.all(votes.map((vote) => first.votes.cast(vote)));
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['accepted', 'cooldown'],
  );
  assert.equal((await first.rates.hit('pooled', limit, NOW)).hits, 21);
});
