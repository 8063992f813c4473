/** Votes as callers without a page cast them: the Discord app, and an operator's own program. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import type { Guild } from '../../src/domain/guild.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { NO_RULES } from '../../src/store/moderation/integrity.ts';
import { rotateLinkSecret } from '../../src/store/moderation/link-secrets.ts';
import type { Store } from '../../src/store/store.ts';
import { type Ballot, createVoting, type VoteOutcome, type Voting } from '../../src/voting/cast-vote.ts';
import type { VotingSettings } from '../../src/voting/settings.ts';
import { newUserId } from '../../torture/lib/sessions.ts';
import { NOW } from '../support/api.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { openTemporaryStore } from '../support/sqlite.ts';

const GUILD_ID = '300000000000000001';
const VOTER = '200000000000000001';
const ADDRESS = '192.0.2.10';
const secrets = deriveSecrets('a master secret for tests');

type Scene = {
  store: Store;
  clock: TestClock;
  voting: Voting;
  counted: string[];
  guild(): Promise<Guild>;
  /** A vote that nothing but the rules can refuse. */
  cast(given?: Partial<Ballot> & { userId?: string; address?: string | null }): Promise<VoteOutcome>;
};

async function openScene(t: TestContext, settings: Partial<VotingSettings> = {}): Promise<Scene> {
  const { store, close } = await openTemporaryStore();
  t.after(close);
  const clock = testClock(NOW);
  await store.guilds.add({ guildId: GUILD_ID, name: 'Cats', createdAt: clock() });
  const counted: string[] = [];
  const voting = createVoting({
    ...{ store, clock, secrets },
    settings: { challengeWork: { keys: 2, memoryKib: 16 }, ...settings },
    onVote: (outcome) => counted.push(outcome),
    onRefusal: (reason) => counted.push(reason),
    onChallenge: (event) => counted.push(`challenge ${event}`),
  });
  const guild = async (): Promise<Guild> => {
    const found = await store.guilds.find(GUILD_ID);
    assert.ok(found);
    return found;
  };
  return {
    ...{ store, clock, voting, counted, guild },
    async cast({ userId = VOTER, address = null, ...given } = {}) {
      const voter = { userId, address, isMember: async () => true };
      const ballot = { guild: await guild(), voter, externalId: null, solution: 'waived' as const };
      return voting.cast({ ...ballot, signature: 'trusted', ...given });
    },
  };
}

test('votes are refused during maintenance, a second after another process began it', async (t) => {
  const { cast, store, clock, counted } = await openScene(t);
  assert.equal((await cast()).kind, 'accepted');
  await store.maintenance.begin({ since: clock(), message: 'Back soon' });
  clock.advance(SECOND_MS);
  const userId = newUserId();
  assert.deepEqual(await cast({ userId }), { kind: 'maintenance', message: 'Back soon' });
  assert.deepEqual(counted.slice(-2), ['refused', 'maintenance']);
  await store.maintenance.end();
  clock.advance(SECOND_MS);
  assert.equal((await cast({ userId })).kind, 'accepted');
});

test('the ban of an erased user refuses their votes', async (t) => {
  const { cast, store, clock } = await openScene(t);
  await store.moderation.ban({
    userId: VOTER,
    since: clock(),
    until: null,
    reason: 'a script',
    publicReason: null,
  });
  await store.personalData.erase(VOTER, clock());
  assert.equal((await cast()).kind, 'banned');
  assert.equal((await cast({ userId: newUserId() })).kind, 'accepted');
});

test('an accepted vote is stored, counted, and says when the next one is possible', async (t) => {
  const { cast, store, clock, counted } = await openScene(t);
  const outcome = await cast({ externalId: 'Steve_42' });
  const vote = {
    guildId: GUILD_ID,
    userId: VOTER,
    castAt: clock(),
    externalId: 'Steve_42',
    isDoubled: false,
  };
  assert.deepEqual(outcome, { kind: 'accepted', vote, canVoteAt: clock() + HOUR_MS });
  assert.deepEqual(counted, ['accepted']);
  assert.equal((await store.votes.recent(GUILD_ID, VOTER, null, 1))[0]?.externalId, 'Steve_42');
});

test('a second vote within the hour is refused until the hour is over, and every attempt is counted', async (t) => {
  const { cast, voting, clock, counted } = await openScene(t);
  await cast();
  const canVoteAt = clock() + HOUR_MS;
  clock.advance(HOUR_MS - 1);
  assert.deepEqual(await cast(), { kind: 'cooldown', canVoteAt });
  assert.deepEqual(await voting.statusOf(GUILD_ID, VOTER), { kind: 'cooldown', canVoteAt });
  clock.advance(1);
  assert.equal(await voting.statusOf(GUILD_ID, VOTER), null);
  assert.equal((await cast()).kind, 'accepted');
  assert.deepEqual(counted, ['accepted', 'refused', 'cooldown', 'accepted']);
});

test('a vote for a guild under sanction is refused, and not counted', async (t) => {
  const { cast, store, clock, counted } = await openScene(t);
  await store.guilds.setSanction(GUILD_ID, { since: clock(), reason: null });
  assert.deepEqual(await cast(), { kind: 'sanctioned' });
  assert.deepEqual(counted, []);
});

test('a banned user is refused with the ban', async (t) => {
  const { cast, voting, store, clock, counted } = await openScene(t);
  const ban = {
    userId: VOTER,
    since: clock(),
    until: clock() + HOUR_MS,
    reason: 'scripts',
    publicReason: 'Bots',
  };
  await store.moderation.ban(ban);
  assert.deepEqual(await cast(), { kind: 'banned', ban });
  assert.deepEqual(await voting.statusOf(GUILD_ID, VOTER), { kind: 'banned', ban });
  assert.deepEqual(counted, ['refused', 'banned']);
});

test('the stricter account age of site and guild applies', async (t) => {
  const { cast, voting, store, clock } = await openScene(t, { minAccountAgeDays: 7 });
  const createdAt = clock() - 8 * DAY_MS;
  const userId = String(BigInt(createdAt - 1_420_070_400_000) << 22n);
  await store.integrity.setRules(GUILD_ID, { ...NO_RULES, minAccountAgeDays: 9 });
  const refusal = { kind: 'young_account', canVoteAt: createdAt + 9 * DAY_MS };
  assert.deepEqual(await cast({ userId }), refusal);
  assert.deepEqual(await voting.statusOf(GUILD_ID, userId), refusal);
  await store.integrity.setRules(GUILD_ID, { ...NO_RULES, minAccountAgeDays: 1 });
  assert.equal((await cast({ userId })).kind, 'accepted');
});

test('membership is checked only if the guild requires it', async (t) => {
  const { cast, store } = await openScene(t);
  const voter = (isMember: () => Promise<boolean | 'unknown'>) => ({
    voter: { userId: newUserId(), address: null, isMember },
  });
  const failing = async () => assert.fail('membership was read');
  assert.equal((await cast(voter(failing))).kind, 'accepted');
  await store.integrity.setRules(GUILD_ID, { ...NO_RULES, membersOnly: true });
  assert.equal((await cast(voter(async () => true))).kind, 'accepted');
  assert.deepEqual(await cast(voter(async () => false)), { kind: 'not_member' });
  assert.deepEqual(await cast(voter(async () => 'unknown')), { kind: 'membership_unknown' });
});

test('where links have to be signed, the signature decides unless the caller is trusted', async (t) => {
  const { cast, store, clock } = await openScene(t);
  await store.integrity.setRules(GUILD_ID, { ...NO_RULES, signedLinksOnly: true });
  const secret = await rotateLinkSecret(store, secrets, GUILD_ID, clock());
  const expires = String(clock() / SECOND_MS + 60);
  const content = `v1.${GUILD_ID}.${expires}.Steve_42`;
  const signature = { expires, signature: createHmac('sha256', secret).update(content).digest('base64url') };
  const problemOf = (problem: string) => ({ kind: 'bad_link', problem });
  const externalId = 'Steve_42';
  assert.deepEqual(await cast({ externalId, signature: null }), problemOf('not_signed'));
  assert.deepEqual(await cast({ externalId: 'Alex', signature }), problemOf('wrong_signature'));
  assert.equal((await cast({ externalId, signature })).kind, 'accepted');
  clock.advance(MINUTE_MS);
  assert.deepEqual(await cast({ externalId, signature }), problemOf('expired'));
  assert.equal((await cast({ userId: newUserId(), signature: 'trusted' })).kind, 'accepted');
});

test('a caller without challenges is refused only above the second limit of a network', async (t) => {
  const { cast, clock, counted } = await openScene(t, { networkVotes: { challengeFrom: 2, refuseAbove: 3 } });
  const first = clock();
  for (let accounts = 0; accounts < 3; accounts += 1) {
    assert.equal((await cast({ userId: newUserId(), address: ADDRESS })).kind, 'accepted');
    clock.advance(MINUTE_MS);
  }
  counted.length = 0;
  const late = { userId: newUserId(), address: ADDRESS };
  assert.deepEqual(await cast(late), { kind: 'busy_network', canVoteAt: first + HOUR_MS });
  assert.deepEqual(counted, ['refused', 'busy_network']);
  assert.equal((await cast({ userId: newUserId(), address: '192.0.2.11' })).kind, 'accepted');
  clock.set(first + HOUR_MS);
  assert.equal((await cast(late)).kind, 'accepted');
});

test('a caller with challenges gets one between the limits', async (t) => {
  const { cast, counted } = await openScene(t, { networkVotes: { challengeFrom: 2, refuseAbove: 3 } });
  const vote = (solution: Ballot['solution']) => cast({ userId: newUserId(), address: ADDRESS, solution });
  assert.equal((await vote({})).kind, 'accepted');
  counted.length = 0;
  const missing = await vote({});
  assert.ok(missing.kind === 'challenge');
  assert.equal(missing.problem, 'missing');
  const forged = await vote({ proof: 'made up' });
  assert.ok(forged.kind === 'challenge');
  assert.equal(forged.problem, 'forged');
  const expected = ['missing', 'forged'].flatMap((problem) => [
    `challenge ${problem}`,
    'challenge issued',
    'refused',
    'challenge',
  ]);
  assert.deepEqual(counted, expected);
});

test('a vote whose network is unknown is not limited by it', async (t) => {
  const { cast } = await openScene(t, { networkVotes: { challengeFrom: 1, refuseAbove: 1 } });
  assert.equal((await cast({ userId: newUserId() })).kind, 'accepted');
  assert.equal((await cast({ userId: newUserId() })).kind, 'accepted');
});

test('a disabled network limit refuses nobody', async (t) => {
  const { cast } = await openScene(t, {
    networkVotes: { challengeFrom: Number.POSITIVE_INFINITY, refuseAbove: Number.POSITIVE_INFINITY },
  });
  for (let accounts = 0; accounts < 4; accounts += 1)
    assert.equal((await cast({ userId: newUserId(), address: ADDRESS })).kind, 'accepted');
});
