/** What the cache found for a key is used by its next requests, but not longer than the cache itself would use it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { recentWindow } from '../../../src/domain/votes/vote.ts';
import { migrateDatabase } from '../../../src/store/open.ts';
import { Connections } from '../../../src/store/sqlite/connection.ts';
import { FoundKey, HotCache } from '../../../src/store/sqlite/hot-cache.ts';
import { createVoteInsert } from '../../../src/store/sqlite/votes/insert-vote.ts';
import { NOW, USER, voteOf } from '../fixtures.ts';

const GUILD = '100000000000000001';
const WINDOW = recentWindow(NOW);
const DETAILS = { nameKey: null, seq: null, marks: 0, network: null };

describe('what the cache found for a key', () => {
  let folder: string;
  let path: string;
  let database: Connections;
  let cache: HotCache;
  let found: FoundKey;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-found-'));
    path = join(folder, 'votary.db');
    await migrateDatabase({ kind: 'sqlite', path });
    open();
    database.writer.exec(`${addGuild(GUILD, 'hash')}; ${addVote(NOW)}`);
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  function open(maxEntries?: number): void {
    database = new Connections(path);
    cache = new HotCache(database, maxEntries);
    found = new FoundKey();
  }

  const addGuild = (guildId: string, keyHash: string) =>
    `INSERT INTO guilds (guild_id, name, created_at, key_hash) VALUES ('${guildId}', 'A guild', 0, '${keyHash}')`;
  const addVote = (castAt: number) =>
    `INSERT INTO votes (guild_id, cast_at, user_id, is_doubled) VALUES ('${GUILD}', ${castAt}, '${USER}', 0)`;
  const insert = (castAt: number) =>
    createVoteInsert(database.writer, cache)(voteOf(GUILD, { castAt }), DETAILS);

  /** As in a later tick. */
  async function find(window = WINDOW): Promise<[name: string | undefined, castAt: number | undefined]> {
    await Promise.resolve();
    const guild = cache.guildByKeyHash('hash', found);
    return [guild?.name, cache.latestOfUser(GUILD, USER, window, found)?.castAt];
  }

  async function findTwice(): Promise<void> {
    for (let request = 0; request < 2; request += 1) assert.deepEqual(await find(), ['A guild', NOW]);
    assert.ok(found.guild && found.votes);
  }

  test('is used again, without the maps of the cache', async () => {
    await findTwice();
    assert.equal(cache.guildByKeyHash('another hash', found)?.name, 'A guild');
  });

  test('contains a vote that is cast later', async () => {
    await findTwice();
    insert(NOW + 1);
    assert.deepEqual(await find(), ['A guild', NOW + 1]);
  });

  const own = (sql: string) => () => void database.writer.exec(sql);
  const elsewhere = (sql: string) => () => void new Database(path).exec(sql).close();
  const changes: [
    change: string,
    apply: () => Promise<void> | void,
    result: (string | number | undefined)[],
  ][] = [
    ['a vote was changed', own('UPDATE votes SET cast_at = cast_at - 5'), ['A guild', NOW - 5]],
    ['a vote was deleted', own('DELETE FROM votes'), ['A guild', undefined]],
    ['the guild was changed', own("UPDATE guilds SET name = 'Other'"), ['Other', NOW]],
    ['the guild has another key', own("UPDATE guilds SET key_hash = 'new'"), [undefined, NOW]],
    ['another program changed the guild', elsewhere("UPDATE guilds SET name = 'Other'"), ['Other', NOW]],
    ['another program deleted a vote', elsewhere('DELETE FROM votes'), ['A guild', undefined]],
    ['a write failed', failToWrite, ['A guild', NOW]],
  ];
  async function failToWrite(): Promise<void> {
    const failing = database.write(() => {
      insert(NOW + 1);
      database.writer.exec('SELECT missing');
    });
    await assert.rejects(failing, /no such column/);
  }
  for (const [change, apply, result] of changes) {
    test(`is not used after ${change}`, async () => {
      await findTwice();
      await apply();
      assert.deepEqual(await find(), result);
    });
  }

  test('is not used for another hour', async () => {
    await findTwice();
    assert.deepEqual(await find(recentWindow(NOW + HOUR_MS)), ['A guild', undefined]);
    assert.deepEqual(await find(recentWindow(NOW + 3 * HOUR_MS)), ['A guild', undefined]);
  });

  test('is forgotten when there are more keys than the cache has entries, such as those that callers dropped', async () => {
    await database.close();
    open(4);
    await findTwice();
    for (let i = 0; i < 4; i += 1) cache.guildByKeyHash('hash', new FoundKey());
    assert.equal(found.guild, undefined);
    await findTwice();
  });

  test('is not kept in memory when the cache reaches its bound', async () => {
    await database.close();
    open(3);
    await findTwice();
    database.writer.exec(addGuild('another', 'another'));
    assert.ok(cache.guildByKeyHash('another'));
    assert.deepEqual([found.guild, found.votes], [undefined, undefined]);
  });
});
