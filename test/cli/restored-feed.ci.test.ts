/** A reader of the feed across a restored backup: the same requests as a bot that stores its cursor. */
import assert from 'node:assert/strict';
import { copyFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { type ServedHere, serveHere } from '../support/serve.ts';
import { assertDone, GUILD, type Home, makeHome } from './votary.ts';

type Page = { users: string[]; cursor: string };

async function makeCommunity() {
  const home = await makeHome({ VOTARY_PORT: '0' });
  await home.votary('guild', 'add', GUILD);
  const { key }: { key: string } = Object(await home.json('key', 'generate', GUILD));
  const database = join(home.dataDir, 'votary.db');
  return { home, key, database, file: join(dirname(home.dataDir), 'backup.db') };
}

/** Accepts one vote of each user, as the voting page does. */
async function castVotes(path: string, ...users: string[]): Promise<void> {
  const store = await openStore({ kind: 'sqlite', path });
  for (const userId of users) {
    const vote = { guildId: GUILD, userId: `20000000000000000${userId}`, castAt: Date.now() };
    const { kind } = await store.votes.cast({ ...vote, externalId: null, isDoubled: false });
    assert.equal(kind, 'accepted');
  }
  await store.close();
}

async function readPage(served: ServedHere, key: string, query: string): Promise<Page> {
  const { status, body } = await served.get(`/v7/guild/feed?${query}`, key);
  assert.equal(status, 200, JSON.stringify(body));
  const { votes, next_cursor } = Object(body);
  return { users: votes.map((vote: { user_id: string }) => vote.user_id.slice(-1)), cursor: next_cursor };
}

async function whileServed<T>(home: Home, work: (served: ServedHere) => Promise<T>): Promise<T> {
  const served = await serveHere(home);
  try {
    return await work(served);
  } finally {
    await served.stop();
  }
}

/** A reader has read the votes 1, 2 and 3; the backup contains only the first. */
async function readBeyondBackup() {
  const community = await makeCommunity();
  const { home, key, database, file } = community;
  const start = new Date(Date.now() - 60_000).toISOString();
  await castVotes(database, '1');
  assertDone(await home.votary('backup', file));
  await castVotes(database, '2', '3');
  const page = await whileServed(home, (served) => readPage(served, key, `from=${start}`));
  assert.deepEqual(page.users, ['1', '2', '3']);
  return { ...community, start, cursor: page.cursor };
}

describe('the feed after a restored backup', { concurrency: 3 }, () => {
  it('continues without losing a vote after votary restore', async () => {
    const { home, key, database, file, cursor } = await readBeyondBackup();
    assertDone(await home.votary('restore', file));
    await castVotes(database, '4', '5', '6');
    await whileServed(home, async (served) => {
      const page = await readPage(served, key, `cursor=${cursor}`);
      assert.deepEqual(page.users, ['4', '5', '6']);
      assert.deepEqual((await readPage(served, key, `cursor=${page.cursor}`)).users, []);
    });
    // The same backup once more: the votes since the first restore are forgotten, those to come have other numbers.
    assertDone(await home.votary('restore', file));
    await castVotes(database, '7', '8', '9');
    await whileServed(home, async (served) => {
      assert.deepEqual((await readPage(served, key, `cursor=${cursor}`)).users, ['7', '8', '9']);
    });
  });

  it('rejects a cursor from a history that the restored database does not continue', async () => {
    const { home, key, database, file, cursor } = await readBeyondBackup();
    assertDone(await home.votary('restore', file));
    await castVotes(database, '4');
    const other = await whileServed(home, (served) => readPage(served, key, `cursor=${cursor}`));
    assertDone(await home.votary('restore', file));
    await castVotes(database, '5');
    await whileServed(home, async (served) => {
      const { status, body } = await served.get(`/v7/guild/feed?cursor=${other.cursor}`, key);
      assert.deepEqual([status, body.error], [400, 'INVALID_CURSOR']);
    });
  });

  it('rejects the cursor with the reason if the file was copied by hand, before and after the numbers are reused', async () => {
    const { home, key, database, file, start, cursor } = await readBeyondBackup();
    for (const part of ['-wal', '-shm']) await rm(database + part, { force: true });
    await copyFile(file, database);
    for (const users of [[], ['4'], ['5', '6', '7']]) {
      await castVotes(database, ...users);
      await whileServed(home, async (served) => {
        const english = await served.get(`/v7/guild/feed?cursor=${cursor}`, key);
        assert.deepEqual([english.status, english.body.error], [400, 'INVALID_CURSOR']);
        assert.match(String(english.body.message), /restored from a backup.*Start again with from/);
        const french = await served.get(`/v7/guild/feed?cursor=${cursor}&locale=fr`, key);
        assert.match(String(french.body.message), /sauvegarde.*Repartez avec from/);
      });
    }
    const page = await whileServed(home, (served) => readPage(served, key, `from=${start}`));
    assert.deepEqual(page.users, ['1', '4', '5', '6', '7']);
  });
});
