import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { recentWindow } from '../../../src/domain/votes/vote.ts';
import { migrateDatabase } from '../../../src/store/open.ts';
import { MemoryNetworks } from '../../../src/store/rates.ts';
import { Connections, inTransaction } from '../../../src/store/sqlite/connection.ts';
import { HotCache } from '../../../src/store/sqlite/hot-cache.ts';
import { createVoiding } from '../../../src/store/sqlite/moderation/voiding.ts';
import { createCast } from '../../../src/store/sqlite/votes/cast.ts';
import { importVotes } from '../../../src/store/sqlite/votes/import.ts';
import { createVoteInsert } from '../../../src/store/sqlite/votes/insert-vote.ts';
import { batches, NOW, OTHER_USER, USER, voteOf } from '../fixtures.ts';

const GUILD = '100000000000000001';
const WINDOW = recentWindow(NOW);
const DETAILS = { nameKey: null, seq: null, marks: 0, network: null };

describe('the cache of a SQLite store', () => {
  let folder: string;
  let path: string;
  let database: Connections;
  let cache: HotCache;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-cache-'));
  });
  after(() => rm(folder, { recursive: true }));

  let files = 0;
  beforeEach(async () => {
    path = join(folder, `${files++}.db`);
    await migrateDatabase({ kind: 'sqlite', path });
    database = new Connections(path);
    cache = new HotCache(database);
    database.writer.exec(addGuild(GUILD, 'hash'));
  });
  afterEach(() => database.close());

  const addGuild = (guildId: string, keyHash: string) =>
    `INSERT INTO guilds (guild_id, name, created_at, key_hash) VALUES ('${guildId}', 'A guild', 0, '${keyHash}')`;
  const addVote = (castAt: number, userId: string) =>
    `INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled)
     VALUES ('${GUILD}', ${castAt}, '${userId}', 'Steve', 'STEVE', 0)`;
  const latest = (userId = USER, window = WINDOW) => cache.latestOfUser(GUILD, userId, window)?.castAt;

  /** Another program, or another connection of this one. */
  function elsewhere(sql: string): void {
    new Database(path).exec(sql).close();
  }

  /**
   * SQL of another program that the cache cannot notice, which shows whether a result comes from the cache or the
   * file.
   */
  async function changeUnseen(sql: string): Promise<void> {
    database.writer.exec('DROP TRIGGER temp.uncache_deleted_vote; DROP TRIGGER temp.uncache_changed_guild');
    database.writer.exec(sql);
  }

  test('can rely on data_version of the writer, which changes with commits of every other connection', () => {
    const { reader, writer } = database;
    const version = () => writer.pragma('data_version', { simple: true });
    const first = version();
    writer.exec(addVote(NOW, USER));
    assert.equal(version(), first);
    assert.throws(() =>
      inTransaction(writer, () => writer.exec(`${addVote(NOW, OTHER_USER)}; SELECT missing`)),
    );
    assert.equal(version(), first);
    reader.exec('DELETE FROM votes');
    const second = version();
    assert.notEqual(second, first);
    elsewhere(addVote(NOW + 1, USER));
    writer.exec(addVote(NOW + 2, USER));
    assert.notEqual(version(), second);
  });

  test('returns from memory what was requested before', async () => {
    database.writer.exec(addVote(NOW, USER));
    assert.equal(latest(), NOW);
    assert.equal(cache.guildByKeyHash('hash')?.name, 'A guild');
    await changeUnseen("DELETE FROM votes; UPDATE guilds SET name = 'Another'");
    assert.equal(latest(), NOW);
    assert.equal(cache.latestOfExternalId(GUILD, 'Steve', WINDOW)?.castAt, NOW);
    assert.equal(cache.guildByKeyHash('hash')?.name, 'A guild');
  });

  test('adds votes of its own store, in order of time', async () => {
    const cast = createCast(database, { cache, networks: new MemoryNetworks() });
    assert.equal(latest(), undefined);
    await cast(voteOf(GUILD, { castAt: NOW, externalId: 'Steve' }));
    await cast(voteOf(GUILD, { castAt: NOW - 1, userId: OTHER_USER, externalId: 'Steve' }));
    await changeUnseen('DELETE FROM votes');
    assert.equal(latest(), NOW);
    assert.equal(latest(OTHER_USER), NOW - 1);
    assert.equal(cache.latestOfExternalId(GUILD, 'Steve', WINDOW)?.userId, USER);
  });

  test('adds restored votes', async () => {
    const { void: voidVotes, restore } = createVoiding(database, cache);
    const cast = createCast(database, { cache, networks: new MemoryNetworks() });
    await cast(voteOf(GUILD, { castAt: NOW, externalId: 'Steve' }));
    const period = { from: NOW, to: NOW + 1 };
    const request = { guildId: GUILD, selection: { userId: USER }, period };
    await voidVotes({ ...request, batch: 'void_1', reason: null, voidedAt: NOW });
    assert.equal(latest(), undefined);
    await restore('void_1', NOW);
    assert.equal(latest(), NOW);
    await changeUnseen('DELETE FROM votes');
    assert.equal(cache.latestOfExternalId(GUILD, 'Steve', WINDOW)?.castAt, NOW);
  });

  test('contains no vote of a failed transaction', async () => {
    const { writer } = database;
    const insert = createVoteInsert(writer, cache);
    assert.equal(latest(), undefined);
    const failing = database.write(() => {
      insert(voteOf(GUILD, { castAt: NOW }), DETAILS);
      assert.equal(latest(), NOW);
      writer.exec('SELECT missing');
    });
    await assert.rejects(failing, /no such column/);
    assert.equal(latest(), undefined);
  });

  test('follows its own store: added, changed and deleted votes, changed and deleted guilds', () => {
    const { writer } = database;
    writer.exec(addVote(NOW, USER));
    assert.equal(latest(), NOW);
    writer.exec('UPDATE votes SET cast_at = cast_at - 5');
    assert.equal(latest(), NOW - 5);
    writer.exec('DELETE FROM votes');
    assert.equal(latest(), undefined);
    assert.equal(cache.guildByKeyHash('hash')?.sanction, null);
    writer.exec('UPDATE guilds SET sanctioned_at = 1');
    assert.notEqual(cache.guildByKeyHash('hash')?.sanction, null);
    writer.exec("UPDATE guilds SET key_hash = 'new'");
    assert.equal(cache.guildByKeyHash('hash'), undefined);
    assert.equal(cache.guildByKeyHash('new')?.guildId, GUILD);
    assert.equal(latest(), undefined);
    createVoteInsert(writer, cache)(voteOf(GUILD, { castAt: NOW }), DETAILS);
    assert.equal(latest(), NOW);
    writer.exec(`DELETE FROM guilds; ${addGuild(GUILD, 'again')}`);
    assert.equal(cache.guildByKeyHash('new'), undefined);
    assert.equal(latest(), undefined);
  });

  test('follows other programs and its own imports, whatever its store casts at the same time', async () => {
    const cast = createCast(database, { cache, networks: new MemoryNetworks() });
    assert.equal(latest(), undefined);
    elsewhere(addVote(NOW - 2, OTHER_USER));
    await cast(voteOf(GUILD, { castAt: NOW }));
    assert.deepEqual([latest(), latest(OTHER_USER)], [NOW, NOW - 2]);
    await importVotes(path, batches([voteOf(GUILD, { castAt: NOW - 1, userId: OTHER_USER })]), NOW);
    assert.equal(latest(OTHER_USER), NOW - 1);
    assert.equal(cache.guildByKeyHash('hash')?.premiumUntil, null);
    elsewhere('UPDATE guilds SET premium_until = 7');
    await Promise.resolve();
    assert.equal(cache.guildByKeyHash('hash')?.premiumUntil, 7);
  });

  test('drops votes older than an hour as time passes, and reads other times from the file', () => {
    const { writer } = database;
    for (let i = 0; i < 100; i += 1) writer.exec(addVote(NOW - i, `2000000000000${1000 + i}`));
    assert.equal(latest(), undefined);
    assert.equal(cache.size, 101);
    const later = recentWindow(NOW + 2 * HOUR_MS);
    assert.equal(latest('20000000000001000', later), undefined);
    assert.equal(cache.size, 1);
    assert.equal(latest('20000000000001000', recentWindow(NOW + HOUR_MS)), undefined);
    assert.equal(latest('20000000000001000', recentWindow(NOW + HOUR_MS - 1)), NOW);
    assert.equal(cache.size, 2);
  });

  test('does not load a guild with many votes in the hour, but still finds them', async () => {
    const users = Array.from({ length: 1500 }, (_, i) => String(BigInt(USER) + BigInt(i)));
    await importVotes(
      path,
      batches(users.map((userId, i) => voteOf(GUILD, { userId, castAt: NOW - i }))),
      NOW,
    );
    assert.equal(latest(users[1400]), NOW - 1400);
    assert.equal(cache.size, 1);
    const cast = createCast(database, { cache, networks: new MemoryNetworks() });
    await cast(voteOf(GUILD, { castAt: NOW + 1, userId: '200000000000009999' }));
    assert.equal(latest('200000000000009999'), NOW + 1);
  });

  test('finds the newest vote of a user and of a name among few votes and among many', async () => {
    const cast = createCast(database, { cache, networks: new MemoryNetworks() });
    assert.equal(latest(), undefined);
    for (let i = 0; i < 40; i += 1) {
      const userId = String(BigInt(USER) + BigInt(i));
      await cast(voteOf(GUILD, { castAt: NOW - 1000 + i, userId, externalId: `name ${i % 3}` }));
      for (const each of [0, i]) {
        assert.equal(latest(String(BigInt(USER) + BigInt(each))), NOW - 1000 + each);
      }
      assert.equal(cache.latestOfExternalId(GUILD, `name ${i % 3}`, WINDOW)?.userId, userId);
      assert.equal(cache.latestOfExternalId(GUILD, 'another name', WINDOW), undefined);
      assert.equal(latest('299999999999999999'), undefined);
    }
    const atTheFirst = { after: NOW - 2000, until: NOW - 1000 };
    assert.equal(cache.latestOfUser(GUILD, USER, atTheFirst)?.castAt, NOW - 1000);
    assert.equal(cache.latestOfUser(GUILD, String(BigInt(USER) + 1n), atTheFirst), undefined);
    await changeUnseen('DELETE FROM votes');
    assert.equal(latest(), NOW - 1000);
  });

  test('does not cache unknown keys', () => {
    for (let i = 0; i < 100; i += 1) assert.equal(cache.guildByKeyHash(`made up ${i}`), undefined);
    assert.equal(cache.size, 0);
  });

  test('is bounded in guilds and votes', async () => {
    const own = new Connections(path);
    const small = new HotCache(own, 20);
    const insert = createVoteInsert(own.writer, small);
    for (let i = 0; i < 50; i += 1) {
      own.writer.exec(addGuild(`guild ${i}`, `key ${i}`));
      assert.ok(small.guildByKeyHash(`key ${i}`));
      assert.ok(small.size <= 20);
    }
    for (let i = 0; i < 50; i += 1) {
      assert.equal(small.latestOfUser(`guild ${i}`, USER, WINDOW), undefined);
      insert(voteOf(`guild ${i}`, { castAt: NOW }), DETAILS);
      assert.equal(small.latestOfUser(`guild ${i}`, USER, WINDOW)?.castAt, NOW);
      assert.ok(small.size <= 20);
    }
    await own.close();
  });
});
