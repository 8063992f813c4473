import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { openStore } from '../../src/store/open.ts';
import { GUILD, type Home, makeHomeWithGuild, voteLine } from './votary.ts';

const USER = '200000000000000001';

/** From now on, the database refuses to change guilds, bans and votes. */
function refuseChanges({ dataDir }: Home): void {
  const database = new Database(`${dataDir}/votary.db`);
  for (const change of [
    'UPDATE ON guilds',
    'DELETE ON guilds',
    'INSERT ON voter_bans',
    'DELETE ON voter_bans',
    'INSERT ON votes',
    'DELETE ON votes',
    'DELETE ON voided_votes',
  ]) {
    const name = change.toLowerCase().replaceAll(' ', '_');
    database.exec(`CREATE TRIGGER refuse_${name} BEFORE ${change} BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  }
  database.close();
}

async function lastAction({ dataDir }: Home): Promise<string | undefined> {
  const store = await openStore({ kind: 'sqlite', path: `${dataDir}/votary.db` });
  const [entry] = await store.audit.recent(null, 1);
  await store.close();
  return entry?.action;
}

describe('a command is logged before the change', { concurrency: 4 }, () => {
  for (const [action, ...command] of [
    ['guild_renamed', 'guild', 'rename', GUILD, 'Our New Name'],
    ['guild_unlisted', 'guild', 'unlist', GUILD],
    ['guild_removed', 'guild', 'remove', GUILD],
    ['key_generated', 'key', 'generate', GUILD],
    ['key_revoked', 'key', 'revoke', GUILD],
    ['premium_changed', 'premium', 'grant', GUILD, '--until', '2030-01-01'],
    ['sanction_added', 'sanction', 'add', GUILD],
    ['voter_banned', 'voter', 'ban', USER],
    ['voter_unbanned', 'voter', 'unban', USER],
  ] as const) {
    it(action, async () => {
      const home = await makeHomeWithGuild();
      if (action === 'voter_unbanned') await home.votary('voter', 'ban', USER);
      refuseChanges(home);
      assert.notEqual((await home.votary(...command)).code, 0);
      assert.equal(await lastAction(home), action);
    });
  }

  it('votes_import_started, and the result in a second entry', async () => {
    const home = await makeHomeWithGuild();
    await home.pipe(voteLine({ user_id: USER }), 'votes', 'import', '-');
    assert.equal(await lastAction(home), 'votes_imported');
    refuseChanges(home);
    const later = voteLine({ user_id: USER, timestamp: '2026-01-01T00:00:00.000Z' });
    assert.notEqual((await home.pipe(later, 'votes', 'import', '-')).code, 0);
    assert.equal(await lastAction(home), 'votes_import_started');
  });

  it('votes_voided', async () => {
    const home = await makeHomeWithGuild();
    await home.pipe(voteLine({ user_id: USER }), 'votes', 'import', '-');
    refuseChanges(home);
    assert.notEqual((await home.votary('votes', 'void', GUILD, '--user', USER)).code, 0);
    assert.equal(await lastAction(home), 'votes_voided');
  });

  it('votes_restored', async () => {
    const home = await makeHomeWithGuild();
    await home.pipe(voteLine({ user_id: USER }), 'votes', 'import', '-');
    const voided = await home.json('votes', 'void', GUILD, '--user', USER);
    assert.ok(voided && typeof voided === 'object' && 'batch' in voided);
    refuseChanges(home);
    assert.notEqual((await home.votary('votes', 'restore', String(voided.batch))).code, 0);
    assert.equal(await lastAction(home), 'votes_restored');
  });

  it('a void that finds no votes is not logged', async () => {
    const home = await makeHomeWithGuild();
    await home.pipe(voteLine({ user_id: USER }), 'votes', 'import', '-');
    await home.votary('votes', 'void', GUILD, '--external-id', 'nobody');
    assert.equal(await lastAction(home), 'votes_imported');
  });
});
