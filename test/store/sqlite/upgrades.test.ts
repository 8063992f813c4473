/** Files of earlier programs: what migrations that make tables anew keep. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { IDEMPOTENCY_MS, voteId } from '../../../src/domain/votes/vote.ts';
import { migrateDatabase, openStore } from '../../../src/store/open.ts';
import { SQLITE_MIGRATIONS } from '../../../src/store/sqlite/migrate.ts';
import { claimRequest, claimVote } from '../claim-fixtures.ts';
import { type FreshDatabase, NOW, SQLITE, USER } from '../fixtures.ts';

const GUILD = '100000000000000001';

/** A database as programs had it before the migration with this number, with one guild and these rows. */
async function createEarlier(before: number, rows: string): Promise<FreshDatabase> {
  const fresh = await SQLITE.createEmpty();
  const earlier = SQLITE_MIGRATIONS.filter(({ version }) => version < before);
  const applied = earlier.map(
    ({ version, name, hash }) => `(${version}, '${name}', 0, 1, '${hash}', '1.0.0')`,
  );
  await fresh.run(
    `${earlier.map(({ sql }) => sql).join(';\n')};
     CREATE TABLE schema_migrations (
       version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL,
       oldest_compatible INTEGER NOT NULL, hash TEXT, made_by TEXT
     ) STRICT;
     INSERT INTO schema_migrations VALUES ${applied.join(', ')};
     INSERT INTO guilds (guild_id, name, created_at) VALUES ('${GUILD}', 'A guild', 0);
     ${rows}`,
  );
  return fresh;
}

describe('Idempotency-Keys from before migration 16', () => {
  let fresh: FreshDatabase;
  before(async () => {
    fresh = await createEarlier(
      16,
      `INSERT INTO idempotency_keys (guild_id, key, request_hash, body, created_at, consumer) VALUES
         ('${GUILD}', 'new', 'same', 'the first body', ${NOW}, 'survival'),
         ('${GUILD}', 'old', 'same', 'an old body', ${NOW - IDEMPOTENCY_MS}, 'default')`,
    );
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

describe('claims from before migration 18', () => {
  const vote = { guildId: GUILD, userId: USER, castAt: NOW };
  const id = voteId(vote);
  let fresh: FreshDatabase;
  before(async () => {
    const ofVote = `'${GUILD}', ${NOW}, '${USER}'`;
    fresh = await createEarlier(
      18,
      `INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled)
         VALUES (${ofVote}, 'Steve', 'STEVE', 0);
       INSERT INTO vote_claims VALUES (${ofVote}, '${id}', 'Steve', 'STEVE', ${NOW + 1}, NULL);
       INSERT INTO consumer_claims VALUES (${ofVote}, 'survival', '${id}', 'Steve', 'STEVE', ${NOW + 2}, 'endpoint')`,
    );
    const { applied } = await migrateDatabase(fresh.database);
    assert.ok(applied.includes('0018-smaller-claims'));
  });
  after(() => fresh.drop());

  test('are kept with all columns', async () => {
    const row = { guild_id: GUILD, cast_at: NOW, user_id: USER, vote_id: id };
    const ofName = { external_id: 'Steve', name_key: 'STEVE' };
    assert.deepEqual(await fresh.query('SELECT * FROM vote_claims'), [
      { ...row, ...ofName, claimed_at: NOW + 1, held_by: null },
    ]);
    assert.deepEqual(await fresh.query('SELECT * FROM consumer_claims'), [
      { ...row, consumer: 'survival', ...ofName, claimed_at: NOW + 2, held_by: 'endpoint' },
    ]);
  });

  test('are released alone, by their whole id, in their guild', async () => {
    const store = await openStore(fresh.database);
    const release = (given: object) =>
      store.claims.release({ guildId: GUILD, consumer: 'default', voteId: id, claimedAt: null, ...given });
    // The index contains the first digits only.
    assert.equal(await release({ voteId: `${id.slice(0, -1)}${id.endsWith('0') ? 1 : 0}` }), false);
    assert.equal(await release({ guildId: '100000000000000002' }), false);
    assert.equal((await claimVote(store, GUILD, { userId: USER })).vote, null);
    assert.equal(await release({}), true);
    assert.equal(await release({}), false);
    const again = await claimVote(store, GUILD, { userId: USER });
    assert.equal(again.vote?.castAt, NOW);
    assert.equal(await release({ consumer: 'survival' }), true);
    await store.close();
  });

  test('can be written and released by an earlier program too', async () => {
    const claim = `guild_id = '${GUILD}' AND vote_id = '${id}'`;
    await fresh.run(
      `DELETE FROM vote_claims WHERE ${claim};
       INSERT INTO vote_claims (guild_id, cast_at, user_id, vote_id, claimed_at)
         VALUES ('${GUILD}', ${NOW}, '${USER}', '${id}', ${NOW}) ON CONFLICT DO NOTHING`,
    );
    assert.deepEqual(await fresh.query(`SELECT claimed_at FROM vote_claims WHERE ${claim}`), [
      { claimed_at: NOW },
    ]);
  });
});

test('a new file has pages of 2 KB, and an existing one keeps its own', async (t) => {
  const [made, existing] = [await SQLITE.createEmpty(), await SQLITE.createEmpty()];
  t.after(() => Promise.all([made.drop(), existing.drop()]));
  await existing.run('PRAGMA page_size = 4096; CREATE TABLE t (x); DROP TABLE t');
  for (const [{ database, query }, bytes] of [
    [made, 2048],
    [existing, 4096],
  ] as const) {
    await migrateDatabase(database);
    await (await openStore(database)).close();
    assert.deepEqual(await query('PRAGMA page_size'), [{ page_size: bytes }]);
  }
});
