import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { createTestDatabase, runOn, type TestDatabase } from '../../support/postgres/postgres.ts';
import { addGuild, NOW, USER, voteOf } from '../fixtures.ts';

const LIMIT = { requests: 2, windowMs: 60_000 };
const KEY_HASH = 'a'.repeat(64);

/** What PostgreSQL reports when a table cannot grow. */
const FULL_DISK = `
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END
  $$;
  CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON rate_windows FOR EACH STATEMENT EXECUTE FUNCTION refuse()`;
const SPACE_AGAIN = 'DROP TRIGGER refuse ON rate_windows; DROP FUNCTION refuse()';

describe('a request that cannot be counted in the database', () => {
  let database: TestDatabase;
  let store: Store;
  let guildId: string;
  let causes: unknown[] = [];
  before(async () => {
    database = await createTestDatabase();
    const onLocalCount = (cause: unknown) => causes.push(cause);
    store = await openStore({ kind: 'postgres', url: database.url }, { onLocalCount });
    guildId = await addGuild(store);
    await store.guilds.setKey(guildId, { hash: KEY_HASH, sealed: 'sealed', createdAt: NOW });
    assert.equal((await store.votes.cast(voteOf(guildId, { castAt: NOW }))).kind, 'accepted');
  });
  after(async () => {
    await store.close();
    await database.drop();
  });
  afterEach(() => {
    causes = [];
  });

  function admit(now: number, rateKey = 'key:1') {
    const voteQuery = { userId: USER, window: { after: NOW - 3_600_000, until: now } };
    const lookup = { keyHash: KEY_HASH, rateKey, fallbackRateKey: 'ip:1', limit: LIMIT, now, voteQuery };
    return store.admit(lookup);
  }

  test('because the disk is full is admitted, and counted by this process until the disk has space', async () => {
    await runOn(database.url, FULL_DISK);
    const admissions = await Promise.all([admit(NOW), admit(NOW), admit(NOW)]);
    for (const { guild, vote } of admissions)
      assert.deepEqual([guild?.guildId, vote?.castAt], [guildId, NOW]);
    assert.deepEqual(
      admissions.map(({ window }) => window),
      [1, 2, 3].map((hits) => ({ hits, resetsAt: NOW + LIMIT.windowMs })),
    );
    assert.equal(causes.length, 3);
    assert.match(String(causes[0]), /No space left on device/);

    await runOn(database.url, SPACE_AGAIN);
    assert.equal((await admit(NOW + 4999)).window.hits, 4);
    assert.equal((await admit(NOW + 5000)).window.hits, 1);
    assert.equal(causes.length, 4);
  });

  test('because the database is read-only is admitted too', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const set = (value: string) =>
      runOn(
        database.url,
        `ALTER DATABASE "${name}" SET default_transaction_read_only = ${value};
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    await set('on');
    await assert.rejects(store.ping());
    const { guild, window } = await admit(NOW + 20_000, 'key:2');
    assert.deepEqual([guild?.guildId, window.hits], [guildId, 1]);
    const writable = `${database.url}?options=-cdefault_transaction_read_only%3Doff`;
    await runOn(writable, `ALTER DATABASE "${name}" RESET default_transaction_read_only`);
    const later = await admit(NOW + 30_000, 'key:2');
    assert.equal(later.window.hits, 1);
    await store.ping();
  });
});
