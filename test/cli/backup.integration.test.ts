import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { DAY_MS } from '../../src/domain/clock.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { newestVersion } from '../../src/store/maintenance/migrations.ts';
import { openStore } from '../../src/store/open.ts';
import { SQLITE_MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { castVote, inParallel, newClient } from '../../torture/lib/client.ts';
import { newUserId, openSessionIssuer } from '../../torture/lib/sessions.ts';
import { type ServedHere, serveHere } from '../support/serve.ts';
import {
  assertBadUsage,
  assertDone,
  assertFailed,
  GUILD,
  type Home,
  makeHome,
  OTHER_GUILD,
  voteLine,
} from './votary.ts';

const SCHEMA_VERSION = newestVersion(SQLITE_MIGRATIONS);
const CHECK = '/v7/vote-check?discord_id=200000000000000001';

/** A home with a guild, its key and three votes. */
async function makeFilledHome(): Promise<{ home: Home; key: string; file: string }> {
  const home = await makeHome({ VOTARY_PORT: '0', VOTARY_NETWORK_VOTES: '0,0' });
  await home.votary('guild', 'add', GUILD, '--name', 'Kept');
  const { key } = Object(await home.json('key', 'generate', GUILD));
  const votes = [1, 2, 3].map((day) => voteLine({ timestamp: `2026-01-0${day}T18:00:00.000Z` }));
  await home.pipe(votes.join('\n'), 'votes', 'import', '-');
  return { home, key, file: join(dirname(home.dataDir), 'backup.db') };
}

async function databaseFile(home: Home): Promise<string> {
  return join(home.dataDir, 'votary.db');
}

/** Users who vote on the page of a running server, each once. */
async function openPolls(home: Home, { url }: ServedHere, t: TestContext) {
  const master = (await readFile(join(home.dataDir, 'secret'), 'utf8')).trim();
  const issuer = await openSessionIssuer(deriveSecrets(master));
  const client = newClient(url);
  t.after(async () => {
    client.close();
    await issuer.close();
  });
  const accepted: string[] = [];
  const voteOnce = async () => {
    const userId = newUserId();
    const { status, headers } = await castVote(client, GUILD, await issuer.issue(userId));
    // Any other location would be the sign-in page.
    assert.deepEqual([status, headers.location], [303, `/guild/${GUILD}/vote`]);
    accepted.push(userId);
  };
  return { accepted, voteOnce };
}

/** The users whose votes of the last day a server lists, on all pages. */
async function usersOnLists(served: ServedHere, key: string): Promise<string[]> {
  const users: string[] = [];
  const from = new Date(Date.now() - DAY_MS).toISOString();
  let cursor: string | null = '';
  while (cursor !== null) {
    const { status, body } = await served.get(`/v7/guild/votes?from=${from}&limit=100&cursor=${cursor}`, key);
    assert.equal(status, 200);
    const { votes, pagination } = Object(body);
    users.push(...votes.map((vote: { user_id: string }) => vote.user_id));
    cursor = pagination.next_cursor;
  }
  return users;
}

describe('votary backup and restore', { concurrency: 3 }, () => {
  it('copies the database of a running server, with its secret, readable by the owner only', async () => {
    const { home, file } = await makeFilledHome();
    const served = await serveHere(home);
    assert.deepEqual(await home.json('backup', file), {
      file,
      secret_file: `${file}.secret`,
      guilds: 1,
      votes: 3,
      schema_version: SCHEMA_VERSION,
    });
    await served.stop();
    for (const path of [file, `${file}.secret`]) assert.equal((await stat(path)).mode & 0o777, 0o600);
    const left = (await readdir(dirname(file))).filter((name) => name.startsWith('backup.db'));
    assert.deepEqual(left.sort(), ['backup.db', 'backup.db.secret']);
    const copy = new Database(file, { readonly: true });
    assert.equal(copy.pragma('integrity_check', { simple: true }), 'ok');
    copy.close();
  });

  it('contains a consistent snapshot of a database that is being written to', async () => {
    const { home, file } = await makeFilledHome();
    const store = await openStore({ kind: 'sqlite', path: await databaseFile(home) });
    let cast = 0;
    const castOne = async () => {
      const userId = String(700_000_000_000_000_000n + BigInt(cast));
      const vote = { guildId: GUILD, userId, castAt: Date.now(), externalId: null, isDoubled: false };
      assert.equal((await store.votes.cast(vote)).kind, 'accepted');
      cast += 1;
    };
    while (cast < 50) await castOne();
    let isOver = false;
    const backup = home.votary('backup', file).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await castOne();
      await nextTurn();
    }
    assertDone(await backup);
    await store.close();
    const copy = new Database(file, { readonly: true });
    const votes = copy.prepare<[], { n: number }>('SELECT count(*) AS n FROM votes').get()?.n ?? 0;
    const counted = copy.prepare<[], { n: number }>('SELECT sum(votes) AS n FROM hourly_votes').get()?.n ?? 0;
    copy.close();
    assert.ok(votes >= 53 && votes <= cast + 3, `${votes} of ${cast}`);
    assert.equal(counted, votes);
  });

  it('contains every vote accepted before it started, while the server keeps accepting votes', async (t) => {
    const { home, key, file } = await makeFilledHome();
    assertDone(await home.votary('premium', 'grant', GUILD, '--until', '2099-01-01'));
    const served = await serveHere(home);
    const voters = await openPolls(home, served, t);
    while (voters.accepted.length < 40) await voters.voteOnce();
    const acceptedBefore = [...voters.accepted];
    let isOver = false;
    const backup = home.votary('backup', file).finally(() => {
      isOver = true;
    });
    await inParallel(4, () => isOver, voters.voteOnce);
    assertDone(await backup);
    await served.stop();
    assert.ok(voters.accepted.length > acceptedBefore.length, 'no vote came while the backup was made');

    const other = await makeHome({ VOTARY_PORT: '0' });
    assert.equal(Object(await other.json('restore', file)).kept, null);
    const restored = await serveHere(other);
    const found = await usersOnLists(restored, key);
    await restored.stop();
    assert.deepEqual(
      acceptedBefore.filter((userId) => !found.includes(userId)),
      [],
    );
    // The backup may contain some of the votes accepted in the meantime, each once, and no others.
    assert.equal(new Set(found).size, found.length);
    assert.deepEqual(
      found.filter((userId) => !voters.accepted.includes(userId)),
      [],
    );
  });

  it('restores everything: guilds, votes, and keys that can be shown', async () => {
    const { home, key, file } = await makeFilledHome();
    assertDone(await home.votary('backup', file));
    assertDone(await home.votary('guild', 'remove', GUILD, '--yes'));
    await home.votary('guild', 'add', OTHER_GUILD);
    const { kept, ...restored } = Object(await home.json('restore', file));
    assert.deepEqual(restored, {
      ...{ file, guilds: 1, votes: 3, schema_version: SCHEMA_VERSION },
      ...{ secret_restored: true, erased_since: 0 },
    });
    assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });
    const before = new Database(kept, { readonly: true });
    assert.deepEqual(before.prepare('SELECT guild_id FROM guilds').all(), [{ guild_id: OTHER_GUILD }]);
    before.close();
  });

  it('says that everyone has to sign in again only if the secret differs', async () => {
    const { home, file } = await makeFilledHome();
    assertDone(await home.votary('backup', file));
    assert.match((await home.votary('restore', file)).stdout, /The master secret is unchanged\.$/m);
    const other = await makeHome();
    assert.match((await other.votary('restore', file)).stdout, /everyone has to sign in again/);
  });

  it('moves a service to another machine', async () => {
    const { home, key, file } = await makeFilledHome();
    await home.votary('backup', file);
    const other = await makeHome({ VOTARY_PORT: '0' });
    assert.equal(Object(await other.json('restore', file)).kept, null);
    assert.equal((await stat(await databaseFile(other))).mode & 0o777, 0o600);
    assert.deepEqual(await other.json('key', 'show', GUILD), { guild_id: GUILD, key });
    const served = await serveHere(other);
    assert.equal((await served.get(CHECK, key)).status, 200);
    await served.stop();
  });

  it('restores over a damaged database, which is kept unchanged', async () => {
    const { home, key, file } = await makeFilledHome();
    await home.votary('backup', file);
    const path = await databaseFile(home);
    await writeFile(
      path,
      'not a database any more, and long enough to be read as the header of one'.repeat(99),
    );
    assertFailed(await home.votary('guild', 'list'), /not a SQLite database/);
    const { kept } = Object(await home.json('restore', file));
    assert.match(await readFile(kept, 'utf8'), /^not a database/);
    assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });
  });

  it('refuses to restore while a server has the database open, and changes nothing', async () => {
    const { home, key, file } = await makeFilledHome();
    await home.votary('backup', file);
    const served = await serveHere(home);
    const before = await readdir(home.dataDir);
    assertFailed(await home.votary('restore', file), /is in use: stop the server/);
    assert.deepEqual(await readdir(home.dataDir), before);
    assert.equal((await served.get(CHECK, key)).status, 200);
    await served.stop();
  });

  it('never overwrites a backup or its secret', async () => {
    const { home, file } = await makeFilledHome();
    await writeFile(file, 'precious');
    assertFailed(await home.votary('backup', file), /already exists.*choose another file/);
    assert.equal(await readFile(file, 'utf8'), 'precious');
    await rm(file);
    await writeFile(`${file}.secret`, 'precious');
    assertFailed(
      await home.votary('backup', file),
      /backup\.db\.secret: file already exists; no backup was made/,
    );
    assert.equal(await readFile(`${file}.secret`, 'utf8'), 'precious');
    await assert.rejects(stat(file), { code: 'ENOENT' });
  });

  it('omits the secret on request and explains the consequences', async () => {
    const { home, file } = await makeFilledHome();
    const { code, stdout } = await home.votary('backup', file, '--without-secret');
    assert.equal(code, 0);
    assert.match(stdout, /3 votes\. The master secret .* is not included/);
    await assert.rejects(stat(`${file}.secret`), { code: 'ENOENT' });
    const other = await makeHome();
    assert.equal(Object(await other.json('restore', file)).secret_restored, false);
    assertFailed(await other.votary('key', 'show', GUILD), /encrypted with another VOTARY_SECRET/);
  });

  it('rejects files that are not a backup, damaged backups, and backups of a newer version', async () => {
    const { home, file } = await makeFilledHome();
    await home.votary('backup', file);
    const text = await home.file('text.db', 'x'.repeat(5000));
    assertFailed(await home.votary('restore', text), /text\.db is not a Votary backup/);
    assertFailed(
      await home.votary('restore', `${file}.missing`),
      /cannot read .*missing: check that it exists/,
    );

    const damaged = await home.file('damaged.db', '');
    await cp(file, damaged);
    const bytes = await readFile(damaged);
    bytes.fill(0xff, 4096 + 100, 4096 * 3);
    await writeFile(damaged, bytes);
    assertFailed(await home.votary('restore', damaged), /damaged\.db (?:is damaged|cannot be used)/);

    const foreign = new Database(join(home.dataDir, 'foreign.db'));
    foreign.exec('CREATE TABLE t (x)');
    foreign.close();
    assertFailed(await home.votary('restore', join(home.dataDir, 'foreign.db')), /is not a Votary database/);

    const newer = new Database(file);
    newer.exec("INSERT INTO schema_migrations VALUES (9999, 'later', 0, 9999, NULL, NULL)");
    newer.close();
    assertFailed(await home.votary('restore', file), /schema version 9999.*start a newer Votary/);
    assert.equal(Object(await home.json('guild', 'show', GUILD)).name, 'Kept');
  });

  it('fails without a database, and does not create one', async () => {
    const home = await makeHome();
    assertFailed(await home.votary('backup', join(dirname(home.dataDir), 'x.db')), /there is no database at/);
    await assert.rejects(stat(home.dataDir), { code: 'ENOENT' });
    assertBadUsage(await home.votary('backup'), /missing required argument 'file'/);
  });

  it('refers operators of PostgreSQL to its own tools', async () => {
    const home = await makeHome({
      VOTARY_DATABASE_URL: 'postgres://votary:hidden@127.0.0.1:1/votary',
      VOTARY_SECRET: 'a master secret for tests',
    });
    assertFailed(
      await home.votary('backup', '/tmp/b'),
      /pg_dump --format=custom --file=\/tmp\/b "\$VOTARY_DATABASE_URL"/,
    );
    assertFailed(
      await home.votary('restore', '/tmp/b'),
      /pg_restore --clean --if-exists --single-transaction --exit-on-error --dbname="\$VOTARY_DATABASE_URL" \/tmp\/b/,
    );
  });
});
