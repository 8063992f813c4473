import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { MARK_BITS } from '../../../src/domain/votes/marks.ts';
import { recentWindow } from '../../../src/domain/votes/vote.ts';
import { migrateDatabase } from '../../../src/store/open.ts';
import { MemoryNetworks } from '../../../src/store/rates.ts';
import { Connections } from '../../../src/store/sqlite/connection.ts';
import { HotCache } from '../../../src/store/sqlite/hot-cache.ts';
import { createCast } from '../../../src/store/sqlite/votes/cast.ts';
import { createVoteInsert } from '../../../src/store/sqlite/votes/insert-vote.ts';
import { StoreUnavailableError } from '../../../src/store/store.ts';
import type { CastNetwork, CastOutcome, VoteStore } from '../../../src/store/votes/votes.ts';
import { NOW, voteOf } from '../fixtures.ts';

const GUILD = '100000000000000001';
const WINDOW = recentWindow(NOW);

const userNumber = (i: number) => String(200_000_000_000_000_000n + BigInt(i));

describe('writes of one tick on SQLite', () => {
  let folder: string;
  let path: string;
  let connections: Connections;
  let cache: HotCache;
  let castVote: VoteStore['cast'];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-group-'));
  });
  after(() => rm(folder, { recursive: true }));

  let files = 0;
  beforeEach(async () => {
    path = join(folder, `${files++}.db`);
    await migrateDatabase({ kind: 'sqlite', path });
    // A group ends early on a slow machine; here it does not.
    connections = new Connections(path, { now: () => 0 });
    cache = new HotCache(connections);
    castVote = createCast(connections, { cache, networks: new MemoryNetworks() });
    connections.writer.exec(
      `INSERT INTO guilds (guild_id, name, created_at) VALUES ('${GUILD}', 'A guild', 0);
       CREATE TABLE parents (id INTEGER PRIMARY KEY);
       CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`,
    );
    // So that the cache contains the guild, and votes are added to it.
    assert.equal(latest(0), undefined);
  });
  afterEach(() => connections.close());

  const latest = (i: number) => cache.latestOfUser(GUILD, userNumber(i), WINDOW)?.castAt;
  const cast = (i: number) => castVote(voteOf(GUILD, { userId: userNumber(i), castAt: NOW - i }));

  const castsFrom = (network: CastNetwork) => (i: number) =>
    castVote(voteOf(GUILD, { userId: userNumber(i), castAt: NOW + i }), { marks: 0, network });
  const kindOf = (outcome: PromiseSettledResult<CastOutcome>) =>
    outcome.status === 'fulfilled' ? outcome.value.kind : outcome.status;

  /** What another program finds in the file. */
  function stored(): string[] {
    const db = new Database(path);
    const users = db.prepare<[], string>('SELECT user_id FROM votes ORDER BY seq').pluck().all();
    db.close();
    return users;
  }

  test('become visible together, for vote checks and for other programs', async () => {
    const seen = [0, 1, 2].map(async (i) => {
      await cast(i);
      return [stored().length, latest(2) !== undefined];
    });
    assert.deepEqual(stored(), []);
    assert.deepEqual(await Promise.all(seen), Array(3).fill([3, true]));
  });

  test('are numbered in the order in which they arrived', async () => {
    const users = Array.from({ length: 300 }, (_, i) => (i * 7919) % 300);
    await Promise.all(users.map(cast));
    assert.deepEqual(stored(), users.map(userNumber));
  });

  test('leave nothing of one that fails, neither in the file nor in the cache, and the others are stored', async () => {
    const insert = createVoteInsert(connections.writer, cache);
    const failing = connections.write(() => {
      const details = { nameKey: null, seq: null, marks: 0, network: null };
      insert(voteOf(GUILD, { userId: userNumber(1), castAt: NOW }), details);
      throw new RangeError('half-way');
    });
    const outcomes = await Promise.allSettled([failing, cast(0), cast(2)]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual(stored(), [0, 2].map(userNumber));
    assert.deepEqual([0, 1, 2].map(latest), [NOW, undefined, NOW - 2]);
  });

  test('count the accounts of their network once, also when the group runs again because one of them fails', async () => {
    const castFrom = castsFrom({ hash: 'home', maxAccounts: 2, busyFrom: 2 });
    const failing = (): Promise<CastOutcome> =>
      connections.write(() => {
        throw new RangeError('half-way');
      });
    const outcomes = [castFrom(0), castFrom(1), failing(), castFrom(2)];
    assert.deepEqual((await Promise.allSettled(outcomes)).map(kindOf), [
      'accepted',
      'accepted',
      'rejected',
      'crowded',
    ]);
    const marks = connections.reader.prepare('SELECT marks FROM votes ORDER BY seq').pluck();
    assert.deepEqual(marks.all(), [0, MARK_BITS.busy_network]);
  });

  test('do not count the accounts of votes that were not stored', async () => {
    const castFrom = castsFrom({ hash: 'home', maxAccounts: 2, busyFrom: 9 });
    const addOrphan = connections.writer.prepare('INSERT INTO children VALUES (1)');
    await Promise.allSettled([castFrom(0), castFrom(1), connections.write(() => addOrphan.run())]);
    const outcomes = await Promise.allSettled([castFrom(2), castFrom(3)]);
    assert.deepEqual(outcomes.map(kindOf), ['accepted', 'accepted']);
  });

  test('all fail if the commit fails, nothing of them is visible, and the same votes can be cast again', async () => {
    // SQLite checks a deferred foreign key at the commit.
    const addOrphan = connections.writer.prepare('INSERT INTO children VALUES (1)');
    const failing = connections.write(() => addOrphan.run());
    const outcomes = await Promise.allSettled([cast(0), failing, cast(1)]);
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'rejected');
      assert.match(String(outcome.reason), /FOREIGN KEY/);
    }
    assert.deepEqual(stored(), []);
    assert.deepEqual([0, 1].map(latest), [undefined, undefined]);
    const again = await Promise.all([cast(0), cast(1)]);
    assert.deepEqual(
      again.map(({ kind }) => kind),
      ['accepted', 'accepted'],
    );
    assert.deepEqual(stored(), [0, 1].map(userNumber));
  });

  test('all fail if an error of the disk has rolled back the transaction, and later ones are stored', async () => {
    const { writer } = connections;
    const fail = () =>
      connections.write(() => {
        writer.exec('ROLLBACK');
        throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_WRITE');
      });
    const outcomes = await Promise.allSettled([cast(0), fail()]);
    for (const outcome of outcomes)
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailableError);
    assert.deepEqual([stored(), latest(0)], [[], undefined]);
    assert.equal((await cast(0)).kind, 'accepted');
  });

  test('wait together for another program, and are stored when it is done', async () => {
    const other = new Database(path).exec('BEGIN IMMEDIATE');
    const casts = Promise.all([0, 1, 2].map(cast));
    // The first attempt.
    await nextTick();
    await nextTick();
    assert.equal(connections.waitingWrites, 3);
    // Nothing was written, so nothing has to be loaded again.
    assert.ok(cache.size > 0);
    other.exec('COMMIT').close();
    await casts;
    assert.deepEqual(stored(), [0, 1, 2].map(userNumber));
  });
});
