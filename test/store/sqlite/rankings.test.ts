import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { createRankings } from '../../../src/store/sqlite/votes/rankings.ts';

const GUILD = '300000000000000001';
const PERIOD = { from: 100, to: 200 };
const INSERT =
  'INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';

/** Votes of 60 users and names inside and outside the period; some have many, some none in it. */
function openVotes(entriesAtOnce: number, votesAtOnce: number) {
  const db = new Database(':memory:');
  db.exec(`
    CREATE TABLE votes (guild_id TEXT, cast_at INTEGER, user_id TEXT, external_id TEXT, name_key TEXT,
      PRIMARY KEY (guild_id, cast_at, user_id)) WITHOUT ROWID;
    CREATE INDEX votes_by_user ON votes (guild_id, user_id, cast_at);
    CREATE INDEX votes_by_external_id ON votes (guild_id, name_key, cast_at, user_id) WHERE name_key IS NOT NULL`);
  const insert = db.prepare(INSERT);
  for (let user = 0; user < 60; user += 1) {
    // Ids of different lengths: text order is not their order as numbers.
    const userId = String(10n ** BigInt(15 + (user % 4)) + BigInt(user));
    for (let vote = 0; vote < (user * 7) % 23; vote += 1) {
      const name = user % 5 === 0 ? null : `Name ${user % 17}${vote % 2 === 0 ? '!' : ''}`;
      insert.run(GUILD, 50 + ((user * 31 + vote * 11) % 200), userId, name, name?.toLowerCase() ?? null);
      insert.run('300000000000000002', 150 + vote, userId, 'other', 'other');
    }
  }
  const count = async () => votesAtOnce + 1;
  return { db, rankings: createRankings(db, count, { votesAtOnce, entriesAtOnce }) };
}

const USERS = `
  SELECT user_id AS userId, count(*) AS votes FROM votes WHERE guild_id = ? AND cast_at BETWEEN 100 AND 199
  GROUP BY user_id ORDER BY votes DESC, CAST(user_id AS INTEGER) LIMIT ?`;
const NAMES = `
  SELECT external_id AS name, count(*) AS votes FROM votes WHERE guild_id = ? AND cast_at BETWEEN 100 AND 199
    AND name_key IS NOT NULL GROUP BY name_key ORDER BY votes DESC, name_key LIMIT ?`;

for (const entriesAtOnce of [0, 1, 7, 100, 10_000]) {
  test(`rankings in parts of ${entriesAtOnce} entries are those of a plain query`, async (t) => {
    const { db, rankings } = openVotes(entriesAtOnce, 10);
    t.after(() => db.close());
    for (const limit of [1, 5, 100]) {
      const users = db.prepare(USERS).all(GUILD, limit);
      assert.deepEqual(await rankings.topVoters(GUILD, PERIOD, limit), users);
      const names = db.prepare(NAMES).all(GUILD, limit);
      assert.deepEqual(await rankings.topNames(GUILD, PERIOD, limit), names);
    }
  });
}

test('rankings that run at the same time read one part per tick, in turn', async (t) => {
  const { db, rankings } = openVotes(10, 10);
  t.after(() => db.close());
  let ticks = 0;
  let isDone = false;
  const countTicks = () => {
    ticks += 1;
    if (!isDone) setImmediate(countTicks);
  };
  const one = rankings.topVoters(GUILD, PERIOD, 5).then(() => ticks);
  setImmediate(countTicks);
  const alone = await one;
  ticks = 0;
  await Promise.all(Array.from({ length: 10 }, () => rankings.topVoters(GUILD, PERIOD, 5)));
  isDone = true;
  assert.ok(alone > 5, `${alone} ticks`);
  assert.ok(ticks > 9 * alone, `${ticks} ticks for ten, ${alone} for one`);
});
