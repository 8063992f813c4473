import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GUILD, type Home, makeHome } from '../cli/votary.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { type Served, serve } from '../support/serve.ts';

const USER = '200000000000000001';
const CHECK = `/v7/vote-check?discord_id=${USER}`;
const SECRET = 'a master secret for tests';

async function keyOf(home: Home, command: 'generate' | 'show'): Promise<string> {
  const { key } = Object(await home.json('key', command, GUILD));
  assert.equal(typeof key, 'string');
  return key;
}

for (const backend of ['sqlite', 'postgres']) {
  describe(`a running server sees changes of the command line immediately (${backend})`, () => {
    let database: TestDatabase | undefined;
    let home: Home;
    let served: Served;

    before(async () => {
      if (backend === 'postgres') database = await createTestDatabase();
      const shared = database ? { VOTARY_DATABASE_URL: database.url, VOTARY_SECRET: SECRET } : {};
      home = await makeHome({ VOTARY_PORT: '0', ...shared });
      served = await serve(home);
    });
    after(async () => {
      assert.equal(await served.stop(), 0);
      await database?.drop();
    });

    test('a guild, its key, Premium, votes and sanctions', async () => {
      await home.json('guild', 'add', GUILD, '--name', 'Test');
      const key = await keyOf(home, 'generate');
      assert.equal((await served.get(CHECK, key)).body.has_voted, false);

      assert.equal((await served.get('/v7/guild/votes', key)).body.error, 'PREMIUM_REQUIRED');
      await home.json('premium', 'grant', GUILD, '--until', '2099-01-01');
      assert.equal((await served.get('/v7/guild/votes', key)).body.total, 0);

      const line = JSON.stringify({ guild_id: GUILD, user_id: USER, timestamp: new Date().toISOString() });
      const file = await home.file('votes.ndjson', `${line}\n`);
      assert.deepEqual(await home.json('votes', 'import', file), { imported: 1, skipped: 0 });
      assert.equal((await served.get(CHECK, key)).body.has_voted, true);

      await home.json('sanction', 'add', GUILD, '--reason', 'spam');
      assert.equal((await served.get(CHECK, key)).body.error, 'INVALID_API_TOKEN');
      await home.json('sanction', 'lift', GUILD);
      assert.equal((await served.get(CHECK, key)).status, 200);

      const newKey = await keyOf(home, 'generate');
      assert.equal((await served.get(CHECK, key)).body.error, 'INVALID_API_TOKEN');
      assert.equal((await served.get(CHECK, newKey)).status, 200);
      assert.equal(await keyOf(home, 'show'), newKey);

      await home.json('guild', 'remove', GUILD, '--yes');
      assert.equal((await served.get(CHECK, newKey)).body.error, 'INVALID_API_TOKEN');
      for (const secret of [key, newKey]) assert.ok(!served.printed().includes(secret), 'no key is logged');
    });
  });
}
