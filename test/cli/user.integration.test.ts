import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import {
  assertBadUsage,
  assertDone,
  assertFailed,
  GUILD,
  type Home,
  makeHomeWithGuild,
  voteLine,
} from './votary.ts';

const USER = '234567890123456789';
const OTHER = '234567890123456790';

async function homeWithVotes(): Promise<Home> {
  const home = await makeHomeWithGuild();
  const lines = [
    voteLine({ user_id: USER, timestamp: '2026-01-01T00:00:00.000Z', external_id: 'Steve_42' }),
    voteLine({
      user_id: USER,
      timestamp: '2026-01-02T00:00:00.000Z',
      claimed_at: '2026-01-02T00:01:00.000Z',
    }),
    voteLine({ user_id: OTHER, timestamp: '2026-01-03T00:00:00.000Z' }),
  ];
  await home.pipe(lines.join('\n'), 'votes', 'import', '-');
  return home;
}

const votersOf = async (home: Home) => {
  const votes = await home.json('votes', 'export', GUILD);
  assert.ok(Array.isArray(votes));
  return votes.map(({ user_id }) => String(user_id));
};

describe('votary user export', { concurrency: 4 }, () => {
  it('prints one JSON object with everything that is stored', async () => {
    const home = await homeWithVotes();
    await home.votary('voter', 'ban', USER, '--reason', 'a script');
    const exported = await home.json('user', 'export', USER);
    assert.ok(exported && typeof exported === 'object');
    assert.deepEqual(Object.keys(exported), [
      'user_id',
      'exported_at',
      'profile',
      'ban',
      'signed_out_at',
      'reminders',
      'voter_roles',
      'votes',
      'cooldowns',
      'webhook_events',
      'claim_responses',
      'activities',
      'operator_actions',
    ]);
    assert.ok('votes' in exported && Array.isArray(exported.votes));
    assert.deepEqual(
      exported.votes.map(({ timestamp, external_id, claimed_at, voided }) => [
        ...[timestamp, external_id, claimed_at, voided],
      ]),
      [
        ['2026-01-01T00:00:00.000Z', 'Steve_42', null, false],
        ['2026-01-02T00:00:00.000Z', null, '2026-01-02T00:01:00.000Z', false],
      ],
    );
    const { stdout } = await home.votary('user', 'export', USER);
    assert.equal(JSON.parse(stdout).ban.reason, 'a script');
  });

  it('says that nothing is stored about an unknown user, and refuses a bad id', async () => {
    const home = await makeHomeWithGuild();
    assertFailed(
      await home.votary('user', 'export', USER),
      /nothing is stored about user 234567890123456789/,
    );
    assertBadUsage(await home.votary('user', 'export', '12'), /15 to 20 digits/);
  });

  it('exports a user with very many votes', async () => {
    const home = await makeHomeWithGuild();
    const start = Date.parse('2026-01-01T00:00:00.000Z');
    const lines = Array.from({ length: 5000 }, (_, i) =>
      voteLine({ user_id: USER, timestamp: new Date(start + i * 1000).toISOString() }),
    );
    await home.pipe(lines.join('\n'), 'votes', 'import', '-');
    const exported = await home.json('user', 'export', USER);
    assert.ok(exported && typeof exported === 'object' && 'votes' in exported);
    assert.ok(Array.isArray(exported.votes));
    assert.equal(new Set(exported.votes.map(({ vote_id }) => vote_id)).size, 5000);
  });
});

describe('votary user erase', { concurrency: 4 }, () => {
  it('asks for confirmation, erases the user and keeps the votes', async () => {
    const home = await homeWithVotes();
    assertFailed(await home.votary('user', 'erase', USER), /would be erased.* Add --yes to confirm/);
    assert.deepEqual((await votersOf(home)).filter((id) => id === USER).length, 2);
    const erased = await home.json('user', 'erase', USER, '--yes');
    assert.deepEqual(erased, { user_id: USER, erased: true, votes: 2, guilds: 1 });
    const voters = await votersOf(home);
    assert.equal(voters.length, 3);
    assert.ok(!voters.includes(USER) && voters.includes(OTHER));
    assertFailed(await home.votary('user', 'erase', USER, '--yes'), /nothing is stored about user/);
    const file = await readFile(`${home.dataDir}/votary.db`);
    assert.equal(file.includes(USER), false);
  });

  it('is logged without the user', async () => {
    const home = await homeWithVotes();
    await home.votary('voter', 'ban', USER);
    await home.json('user', 'erase', USER, '--yes');
    const store = await openStore({ kind: 'sqlite', path: `${home.dataDir}/votary.db` });
    const entries = await store.audit.recent(null, 10);
    await store.close();
    assert.deepEqual(
      entries.slice(0, 2).map(({ action, actor, detail }) => [action, actor, detail]),
      [
        ['user_erased', null, {}],
        ['voter_banned', null, { userId: 'erased user', until: null, reason: null }],
      ],
    );
  });

  it('keeps a ban, which can be lifted by the id', async () => {
    const home = await homeWithVotes();
    await home.votary('voter', 'ban', USER, '--reason', 'a script');
    await home.json('user', 'erase', USER, '--yes');
    const { stdout } = await home.votary('voter', 'list');
    assert.match(stdout, /erased_[0-9a-f]{32} .* a script/);
    assertDone(await home.votary('voter', 'unban', USER));
    assert.deepEqual(await home.json('voter', 'list'), []);
  });

  it('erases all users of a file, also again after a restore', async () => {
    const home = await homeWithVotes();
    const file = await home.file(
      'erased.txt',
      `# erased in November\n${USER}\r\n\n${OTHER}\n345678901234567890\n`,
    );
    assertFailed(await home.votary('user', 'erase', '--from', file), /3 users would be erased/);
    const erased = await home.json('user', 'erase', '--from', file, '--yes');
    assert.deepEqual(erased, { erased: 2, unknown: 1 });
    const bad = await home.file('bad.txt', `${USER}\nSteve\n`);
    assertFailed(
      await home.votary('user', 'erase', '--from', bad, '--yes'),
      /line 2 of .*bad.txt is not an id of 15 to 20 digits; nobody was erased/,
    );
    assertFailed(
      await home.votary('user', 'erase', '--from', `${file}.missing`, '--yes'),
      /cannot read .*nobody was erased/,
    );
    assertBadUsage(await home.votary('user', 'erase', USER, '--from', file), /either a user id or '--from/);
    assertBadUsage(await home.votary('user', 'erase'), /either a user id or '--from/);
  });
});
