import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { migrateDatabase, openStore } from '../../../src/store/open.ts';
import { HOT_QUERIES } from '../../../src/store/sqlite/hot-queries.ts';
import { lockForService } from '../../../src/store/sqlite/service-lock.ts';
import { StoreOpenError } from '../../../src/store/store.ts';
import { storeContract } from '../contract.ts';
import { addGuild, SQLITE, voteOf, votesOf } from '../fixtures.ts';
import { addEndpoint } from '../webhook-fixtures.ts';

storeContract('SQLite', SQLITE);

describe('a SQLite file', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-sqlite-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function assertRefused(path: string, reason: RegExp): Promise<void> {
    await assert.rejects(openStore({ kind: 'sqlite', path }), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(error.message, reason);
      assert.ok(error.message.includes(path) && !error.message.includes('\n'));
      return true;
    });
  }

  test('serves requests while a long queue of webhooks is replayed or dropped', async () => {
    const fresh = await SQLITE.createMigrated();
    const store = await openStore(fresh.database);
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    await fresh.run(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO webhook_events (guild_id, event_id, type, occurs_at, body)
      SELECT '${guildId}', printf('evt_%032x', i), 'vote_received', i, '{}' FROM n`);
    let turns = 0;
    const request = setInterval(() => {
      turns += 1;
    });
    const which = { since: 0 };
    const { queued } = await store.webhooks.replay({
      guildId,
      which,
      endpointId,
      now: Date.now(),
      limit: 1e6,
    });
    assert.equal(queued, 2000);
    const turnsOfReplay = turns;
    assert.equal(await store.webhooks.removeEndpoint(guildId, endpointId), true);
    clearInterval(request);
    assert.ok(turnsOfReplay > 1, `${turnsOfReplay} turns`);
    assert.ok(turns - turnsOfReplay > 1, `${turns - turnsOfReplay} turns`);
    assert.deepEqual(await store.webhooks.deliveries(guildId, Date.now(), 1), []);
    await store.close();
    await fresh.drop();
  });

  test('that is not a database is rejected in one line', async () => {
    const path = join(folder, 'notes.txt');
    await writeFile(path, 'This is not a database, but it is long enough to be taken for one. '.repeat(20));
    await assertRefused(path, /is not a SQLite database/);
  });

  test('that cannot be created is reported in one line', async () => {
    await writeFile(join(folder, 'file'), '');
    await assertRefused(join(folder, 'file', 'votary.db'), /Check the path and its permissions/);
    await mkdir(join(folder, 'folder'));
    await assertRefused(join(folder, 'folder'), /Check the path and its permissions/);
  });

  test('is released by a service that cannot remove its lock file, as in a folder that became read-only', async () => {
    const path = join(folder, 'released.db');
    const lock = lockForService(path);
    // Root can remove files everywhere, but no folder.
    await rm(`${path}.lock`);
    await mkdir(`${path}.lock`);
    lock.release();
    await rmdir(`${path}.lock`);
    const next = lockForService(path);
    assert.equal(next.isTaken, false);
    next.release();
  });

  test('that contains tables of another program is rejected in one line, and left unchanged', async () => {
    const path = join(folder, 'other.db');
    new Database(path).exec('CREATE TABLE guilds (mine TEXT)').close();
    await assertRefused(
      path,
      /it belongs to another program, because it has a table guilds that Votary has not made/,
    );
    const db = new Database(path);
    assert.deepEqual(db.prepare('SELECT name FROM sqlite_schema').pluck().all(), ['guilds']);
    db.close();
  });

  test('can be read while another program writes, and a vote waits until that is done', async () => {
    const path = join(folder, 'busy.db');
    const store = await openStore({ kind: 'sqlite', path });
    const guildId = await addGuild(store);
    const other = new Database(path).exec('BEGIN IMMEDIATE');
    const startedAt = performance.now();
    const casting = store.votes.cast(voteOf(guildId));
    assert.equal((await store.guilds.find(guildId))?.guildId, guildId);
    assert.deepEqual(await votesOf(store, guildId), []);
    other.exec('COMMIT').close();
    assert.equal((await casting).kind, 'accepted');
    assert.ok(performance.now() - startedAt < 4000, 'the process stood still until SQLite gave up waiting');
    await store.close();
  });

  test('uses the intended index for the queries of every request', async () => {
    const path = join(folder, 'plans.db');
    await migrateDatabase({ kind: 'sqlite', path });
    const db = new Database(path);
    const planOf = (sql: string) => {
      const rows = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
      return rows.all(...Array.from(sql.matchAll(/\?/g), () => 1)).map((row) => row.detail);
    };
    const expected = {
      latestOfUser:
        /^SEARCH votes USING INDEX votes_by_user \(guild_id=\? AND user_id=\? AND cast_at>\? AND cast_at<\?\)$/,
      latestOfExternalId:
        /^SEARCH votes USING INDEX votes_by_external_id \(guild_id=\? AND name_key=\? AND cast_at>\?/,
      after: /^SEARCH votes USING PRIMARY KEY \(guild_id=\? AND cast_at>\?\)$/,
    } satisfies Record<keyof typeof HOT_QUERIES, RegExp>;
    const plans = Object.entries(HOT_QUERIES).map(([name, sql]) => ({ name, plan: planOf(sql) }));
    for (const { name, plan } of plans) {
      // A second line would be a sort.
      assert.equal(plan.length, 1, `${name}: ${plan}`);
      assert.match(String(plan), new Map(Object.entries(expected)).get(name) ?? /^$/, name);
    }
    assert.match(String(planOf('SELECT name FROM guilds WHERE key_hash = ?')), /INDEX guilds_by_key_hash/);
    db.close();
  });
});
