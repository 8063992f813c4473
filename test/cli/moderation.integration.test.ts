import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkPeriod } from '../../src/domain/votes/networks.ts';
import { voteId } from '../../src/domain/votes/vote.ts';
import { openStore } from '../../src/store/open.ts';
import {
  assertBadUsage,
  assertFailed,
  GUILD,
  type Home,
  makeHome,
  makeHomeWithGuild,
  voteLine,
} from './votary.ts';

const USER = '200000000000000001';

async function homeWithVotes(): Promise<Home> {
  const home = await makeHomeWithGuild();
  const lines = [
    voteLine({ timestamp: '2026-01-01T00:00:00.000Z', external_id: 'Steve_42' }),
    voteLine({ timestamp: '2026-01-02T00:00:00.000Z' }),
    voteLine({
      timestamp: '2026-01-03T00:00:00.000Z',
      user_id: '200000000000000002',
      external_id: 'Steve_42',
    }),
  ];
  await home.pipe(lines.join('\n'), 'votes', 'import', '-');
  return home;
}

async function exported(home: Home): Promise<number> {
  const votes = await home.json('votes', 'export', GUILD);
  assert.ok(Array.isArray(votes));
  return votes.length;
}

async function actions(home: Home): Promise<unknown[]> {
  const store = await openStore({ kind: 'sqlite', path: `${home.dataDir}/votary.db` });
  const entries = await store.audit.recent(null, 100);
  await store.close();
  return entries.map(({ actor, action, guildId, detail }) => [actor, action, guildId, detail]).toReversed();
}

function batchOf(outcome: unknown): string {
  assert.ok(outcome && typeof outcome === 'object' && 'batch' in outcome);
  assert.match(String(outcome.batch), /^void_[0-9a-f]{16}$/);
  return String(outcome.batch);
}

describe('votary votes void', { concurrency: 4 }, () => {
  it('voids the votes of a user, prints the batch, and restores it', async () => {
    const home = await homeWithVotes();
    const voided = await home.json('votes', 'void', GUILD, '--user', USER, '--reason', 'a script');
    const batch = batchOf(voided);
    assert.deepEqual(voided, { batch, voided: 2 });
    assert.equal(await exported(home), 1);
    assert.deepEqual(await home.json('votes', 'restore', batch), { batch, restored: 2 });
    assert.equal(await exported(home), 3);
    assert.deepEqual(await home.json('votes', 'restore', batch), { batch, restored: 0 });
    assert.deepEqual((await actions(home)).slice(-2), [
      [null, 'votes_voided', GUILD, { batch, votes: 2, reason: 'a script', selection: `--user ${USER}` }],
      [null, 'votes_restored', GUILD, { batch, votes: 2 }],
    ]);
  });

  it('voids the votes under a name in a period, and counts them first with --dry-run', async () => {
    const home = await homeWithVotes();
    const selection = ['votes', 'void', GUILD, '--external-id', 'Steve_42', '--from', '2026-01-02'];
    assert.deepEqual(await home.json(...selection, '--dry-run'), { batch: null, voided: 1 });
    assert.equal(await exported(home), 3);
    const { stdout } = await home.votary(...selection);
    assert.match(stdout, /^1 vote voided\. Undo it with: votary votes restore void_[0-9a-f]{16}\n$/);
    assert.equal(await exported(home), 2);
    const nothing = ['votes', 'void', GUILD, '--external-id', 'steve_42'];
    assert.deepEqual(await home.json(...nothing), { batch: null, voided: 0 });
  });

  it('voids the votes with a mark, or from the network of a vote', async () => {
    const home = await makeHomeWithGuild();
    const store = await openStore({ kind: 'sqlite', path: `${home.dataDir}/votary.db` });
    const vote = { guildId: GUILD, userId: USER, castAt: Date.now(), externalId: null, isDoubled: false };
    const network = { hash: `${networkPeriod(vote.castAt)}.farm`, maxAccounts: 9, busyFrom: 1 };
    await store.votes.cast(vote, { marks: 0, network });
    const elsewhere = { ...vote, userId: '200000000000000002' };
    await store.votes.cast(elsewhere);
    await store.close();
    const byMark = ['votes', 'void', GUILD, '--mark', 'busy_network', '--dry-run'];
    assert.deepEqual(await home.json(...byMark), { batch: null, voided: 1 });
    const byNetwork = (id: string) => home.votary('votes', 'void', GUILD, '--network-of', id, '--json');
    assertFailed(await byNetwork(voteId(elsewhere)), /the network of vote_.* is not known/);
    assertFailed(await byNetwork(`vote_${'0'.repeat(32)}`), /has no vote vote_0/);
    assertBadUsage(await byNetwork('vote_1'), /must be a vote_id/);
    assertBadUsage(await home.votary('votes', 'void', GUILD, '--mark', 'odd'), /young_account, busy_network/);
    const { stdout } = await byNetwork(voteId(vote));
    assert.equal(JSON.parse(stdout).voided, 1);
    assert.equal(await exported(home), 1);
  });

  it('fails for an unknown guild or batch, and requires exactly one selection', async () => {
    const home = await makeHomeWithGuild();
    assertFailed(await home.votary('votes', 'void', '123456789012345670', '--user', USER), /is not listed/);
    assertFailed(await home.votary('votes', 'restore', 'void_1'), /there is no batch void_1/);
    assertBadUsage(await home.votary('votes', 'void', GUILD), /exactly one of/);
    const both = ['votes', 'void', GUILD, '--user', USER, '--external-id', 'x'];
    assertBadUsage(await home.votary(...both), /exactly one of/);
    assertBadUsage(await home.votary('votes', 'void', GUILD, '--user', 'Steve'), /15 to 20 digits/);
    const backwards = ['--from', '2026-02-01', '--to', '2026-01-01'];
    assertBadUsage(await home.votary('votes', 'void', GUILD, '--user', USER, ...backwards), /earlier/);
  });
});

describe('votary voter', { concurrency: 4 }, () => {
  it('bans a voter, lists the ban and lifts it', async () => {
    const home = await makeHome();
    const until = '2099-01-01T00:00:00.000Z';
    const reasons = ['--reason', 'scripts', '--public-reason', 'Bots'];
    const banned = await home.json('voter', 'ban', USER, '--until', '2099-01-01', ...reasons);
    assert.ok(banned && typeof banned === 'object' && 'since' in banned);
    const given = { reason: 'scripts', public_reason: 'Bots' };
    assert.deepEqual(banned, { user_id: USER, banned: true, since: banned.since, until, ...given });
    assert.deepEqual(await home.json('voter', 'list'), [banned]);
    assert.match((await home.votary('voter', 'list')).stdout, new RegExp(`${USER} .* scripts`));
    assert.deepEqual(await home.json('voter', 'unban', USER), { user_id: USER, banned: false });
    assertFailed(await home.votary('voter', 'unban', USER), /is not banned/);
    assert.match((await home.votary('voter', 'list')).stdout, /Nobody is banned/);
    assert.deepEqual(await actions(home), [
      [null, 'voter_banned', null, { userId: USER, until, reason: 'scripts', publicReason: 'Bots' }],
      [null, 'voter_unbanned', null, { userId: USER }],
    ]);
  });

  it('treats an end in the past, and a name instead of an id, as usage errors', async () => {
    const home = await makeHome();
    assertBadUsage(await home.votary('voter', 'ban', USER, '--until', '2020-01-01'), /in the future/);
    assertBadUsage(await home.votary('voter', 'ban', 'Steve'), /15 to 20 digits/);
  });
});

describe('the log of operators', { concurrency: 4 }, () => {
  it('contains the commands that were run on a guild, even after the guild is removed', async () => {
    const home = await makeHome();
    await home.votary('guild', 'add', GUILD, '--name', 'Old');
    await home.votary('guild', 'rename', GUILD, 'New');
    for (const change of ['unlist', 'relist']) await home.votary('guild', change, GUILD);
    await home.votary('key', 'generate', GUILD);
    await home.votary('premium', 'grant', GUILD, '--until', '2030-01-01');
    await home.votary('sanction', 'add', GUILD, '--reason', 'bots');
    await home.votary('sanction', 'lift', GUILD);
    await home.votary('guild', 'remove', GUILD);
    assert.deepEqual(await actions(home), [
      [null, 'guild_added', GUILD, { guild: 'Old' }],
      [null, 'guild_renamed', GUILD, { guild: 'Old', name: 'New' }],
      [null, 'guild_unlisted', GUILD, { guild: 'New' }],
      [null, 'guild_relisted', GUILD, { guild: 'New' }],
      [null, 'key_generated', GUILD, {}],
      [null, 'premium_changed', GUILD, { guild: 'New', until: '2030-01-01T00:00:00.000Z' }],
      [null, 'sanction_added', GUILD, { guild: 'New', reason: 'bots' }],
      [null, 'sanction_lifted', GUILD, { guild: 'New' }],
      [null, 'guild_removed', GUILD, { guild: 'New' }],
    ]);
  });
});
