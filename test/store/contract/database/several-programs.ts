import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { monthOf } from '../../../../src/domain/votes/period.ts';
import type { ClaimIdentity } from '../../../../src/domain/votes/vote.ts';
import { migrateDatabase, openStore } from '../../../../src/store/open.ts';
import type { FeedVote } from '../../../../src/store/votes/feed.ts';
import { claimRequest } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, type FreshDatabase, NOW, USER, voteOf, votesOf } from '../../fixtures.ts';
import type { Task } from '../../tasks.ts';

/** How several programs are simulated. `name`: what each of them is, in the plural. */
export type Programs = { name: string; run(...tasks: Task[]): Promise<number[]> };

const user = { userId: USER };
const EITHER: ClaimIdentity[] = [user, { externalId: 'Steve' }, { foldedName: 'STEVE' }];
const PAGE = 7;

/** What several programs on one database write at the same time is as correct as if one of them did it. */
export function severalProgramsContract(
  subject: Subject,
  createEmpty: () => Promise<FreshDatabase>,
  { name, run }: Programs,
): void {
  test(`exactly one of 200 concurrent votes from two ${name} is accepted`, async () => {
    const { database, store } = subject;
    const guildId = await addGuild(store);
    // All in different milliseconds, so that not just the primary key of votes rejects them.
    const all = Array.from({ length: 200 }, (_, i) => voteOf(guildId, { castAt: NOW + i }));
    const accepted = await run(
      { kind: 'cast', database, votes: all.slice(0, 100) },
      { kind: 'cast', database, votes: all.slice(100) },
    );
    assert.deepEqual(accepted.toSorted(), [0, 1]);
    assert.equal((await votesOf(store, guildId)).length, 1);
  });

  test(`votes that two ${name} cast at once are all stored, with numbers without a gap`, async () => {
    const { store, database } = subject;
    const guildId = await addGuild(store);
    const votes = Array.from({ length: 300 }, (_, i) =>
      voteOf(guildId, { userId: String(210_000_000_000_000_000n + BigInt(i)), castAt: NOW + i }),
    );
    const accepted = await run(
      { kind: 'cast', database, votes: votes.filter((_, i) => i % 2 === 0) },
      { kind: 'cast', database, votes: votes.filter((_, i) => i % 2 === 1) },
    );
    assert.deepEqual(accepted, [150, 150]);
    const { votes: read } = await store.feed.read(guildId, 0, 0, 1000);
    assert.deepEqual(
      read.map(({ seq }) => seq),
      Array.from({ length: 300 }, (_, i) => i + 1),
    );
    assert.equal(await store.votes.countInMonth(guildId, monthOf(NOW)), 300);
    assert.equal(await store.votes.count({ guildId, userId: null, period: ALL_TIME }), 300);
  });

  test(`a reader who polls while four ${name} cast gets every vote once`, async () => {
    const { store, database } = subject;
    const guildId = await addGuild(store);
    const tasks = Array.from({ length: 4 }, (_, process) => ({
      kind: 'cast' as const,
      database,
      votes: Array.from({ length: 30 }, (_, i) =>
        voteOf(guildId, { userId: `2000000000000${process}${100 + i}`, castAt: NOW - i }),
      ),
    }));
    const got: FeedVote[] = [];
    const poll = async () => {
      for (let length = PAGE; length === PAGE; ) {
        const { votes } = await store.feed.read(guildId, got.at(-1)?.seq ?? 0, 0, PAGE);
        got.push(...votes);
        length = votes.length;
      }
    };
    let isCasting = true;
    const polling = (async () => {
      for (; isCasting; await nextTick()) await poll();
    })();
    const accepted = await run(...tasks);
    isCasting = false;
    await polling;
    await poll();
    assert.deepEqual(accepted, [30, 30, 30, 30]);
    assert.equal(new Set(got.map(({ userId }) => userId)).size, 120);
    assert.equal(got.length, 120);
    assert.equal((await votesOf(store, guildId)).length, 120);
  });

  test(`votes of 100 accounts on one network through two ${name} stop exactly at its limit`, async () => {
    const { store, database } = subject;
    // A SQLite file is served by one process, which counts in memory.
    if (database.kind === 'sqlite') return;
    const guildId = await addGuild(store);
    const all = Array.from({ length: 100 }, (_, i) =>
      voteOf(guildId, { userId: `3000000000000${1000 + i}` }),
    );
    const evidence = { marks: 0, network: { hash: `two ${name}`, maxAccounts: 7, busyFrom: 1000 } };
    const accepted = await run(
      { kind: 'cast', database, votes: all.slice(0, 50), evidence },
      { kind: 'cast', database, votes: all.slice(50), evidence },
    );
    assert.equal(
      accepted.reduce((sum, count) => sum + count, 0),
      7,
    );
  });

  test(`the requests that two ${name} count are counted exactly`, async () => {
    const { store, database } = subject;
    // A SQLite file is served by one process, which counts in memory.
    if (database.kind === 'sqlite') return;
    const limit = { requests: 1000, windowMs: 60_000 };
    const task = { kind: 'hit', database, caller: `two ${name}`, limit, now: NOW, times: 50 } as const;
    const highest = await run(task, task);
    assert.equal(Math.max(...highest), 100);
    assert.equal((await store.rates.hit(task.caller, limit, NOW)).hits, 101);
  });

  async function addVotes(count: number): Promise<string> {
    const guildId = await addGuild(subject.store);
    for (let i = count; i > 0; i -= 1)
      await subject.store.votes.cast(voteOf(guildId, { castAt: NOW - i * HOUR_MS, externalId: 'Steve' }));
    return guildId;
  }

  test(`concurrent claims from four ${name} claim each vote once, and one vote per key`, async () => {
    const { store, database } = subject;
    const [one, several, keyed] = [await addVotes(1), await addVotes(6), await addVotes(6)];
    const claims = [
      { guildId: one, identities: EITHER, key: null },
      { guildId: several, identities: EITHER, key: null },
      { guildId: keyed, identities: [user], key: 'one key' },
    ];
    const task = { kind: 'claim' as const, database, claims, now: NOW, times: 15 };
    const claimed = await run(task, task, task, task);
    assert.equal(
      claimed.reduce((sum, count) => sum + count),
      1 + 6 + 1,
    );
    const guilds = [one, several, keyed].map((guildId) =>
      store.claims.ofIdentity(claimRequest(guildId, user)),
    );
    assert.deepEqual(
      (await Promise.all(guilds)).map((overview) => overview.claimed),
      [1, 6, 1],
    );
  });

  test(`if several ${name} migrate together, one of them applies each migration`, async () => {
    const fresh = await createEmpty();
    const migrate = { kind: 'migrate', database: fresh.database } as const;
    const applied = await run(migrate, migrate, migrate, migrate);
    const untouched = await createEmpty();
    assert.equal(
      applied.reduce((sum, count) => sum + count, 0),
      (await migrateDatabase(untouched.database)).applied.length,
    );
    await untouched.drop();
    const store = await openStore(fresh.database);
    await store.ping();
    await store.close();
    await fresh.drop();
  });
}
