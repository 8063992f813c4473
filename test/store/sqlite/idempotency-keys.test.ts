import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { IDEMPOTENCY_MS } from '../../../src/domain/votes/vote.ts';
import { migrateDatabase, openStore } from '../../../src/store/open.ts';
import { SQLITE_MIGRATIONS } from '../../../src/store/sqlite/migrate.ts';
import { claimRequest } from '../claim-fixtures.ts';
import { type FreshDatabase, NOW, SQLITE, USER } from '../fixtures.ts';

const GUILD = '100000000000000001';
const FASTER_CLAIMS = 16;

/** A database as programs had it before migration 16, with two Idempotency-Keys. */
async function createEarlier(): Promise<FreshDatabase> {
  const fresh = await SQLITE.createEmpty();
  const earlier = SQLITE_MIGRATIONS.filter(({ version }) => version < FASTER_CLAIMS);
  const rows = earlier.map(({ version, name, hash }) => `(${version}, '${name}', 0, 1, '${hash}', '1.0.0')`);
  await fresh.run(
    `${earlier.map(({ sql }) => sql).join(';\n')};
     CREATE TABLE schema_migrations (
       version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL,
       oldest_compatible INTEGER NOT NULL, hash TEXT, made_by TEXT
     ) STRICT;
     INSERT INTO schema_migrations VALUES ${rows.join(', ')};
     INSERT INTO guilds (guild_id, name, created_at) VALUES ('${GUILD}', 'A guild', 0);
     INSERT INTO idempotency_keys (guild_id, key, request_hash, body, created_at, consumer) VALUES
       ('${GUILD}', 'new', 'same', 'the first body', ${NOW}, 'survival'),
       ('${GUILD}', 'old', 'same', 'an old body', ${NOW - IDEMPOTENCY_MS}, 'default')`,
  );
  return fresh;
}

describe('Idempotency-Keys from before migration 16', () => {
  let fresh: FreshDatabase;
  before(async () => {
    fresh = await createEarlier();
  });
  after(() => fresh.drop());

  test('are replayed and pruned after it', async () => {
    const { applied } = await migrateDatabase(fresh.database);
    assert.ok(applied.includes('0016-faster-claims'));
    const store = await openStore(fresh.database);
    const idempotency = { key: 'new', requestHash: 'same' };
    const replayed = await store.claims.claim(claimRequest(GUILD, { userId: USER }, { idempotency }));
    assert.deepEqual(replayed, { kind: 'done', body: 'the first body', replayed: true, claimed: false });
    assert.equal(await store.claims.pruneKeys(NOW, 10), 1);
    await store.close();
    const kept = await fresh.query(
      'SELECT key, created_at, consumer, vote_id, claimed_at FROM idempotency_keys',
    );
    const expected = { key: 'new', created_at: NOW, consumer: 'survival', vote_id: null, claimed_at: null };
    assert.deepEqual(kept, [expected]);
  });

  test('can be pruned by an earlier program too, which names the index', async () => {
    await fresh.run(
      `DELETE FROM idempotency_keys WHERE (guild_id, key) IN (
         SELECT k.guild_id, k.key FROM guilds g
         CROSS JOIN idempotency_keys k INDEXED BY idempotency_keys_by_age
           ON k.guild_id = g.guild_id AND k.created_at < ${NOW + 1} LIMIT 10
       )`,
    );
    assert.deepEqual(await fresh.query('SELECT key FROM idempotency_keys'), []);
  });
});
