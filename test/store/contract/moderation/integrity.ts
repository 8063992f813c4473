import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/domain/clock.ts';
import { MARK_BITS, marksOf, type VoteMark } from '../../../../src/domain/votes/marks.ts';
import { networkPeriod } from '../../../../src/domain/votes/networks.ts';
import type { Vote } from '../../../../src/domain/votes/vote.ts';
import { NO_RULES } from '../../../../src/store/moderation/integrity.ts';
import type { CastEvidence } from '../../../../src/store/votes/votes.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

function from(hash: string, maxAccounts: number, busyFrom = 1000): CastEvidence {
  return { marks: 0, network: { hash, maxAccounts, busyFrom } };
}

function votesOfMany(guildId: string, count: number): Vote[] {
  return Array.from({ length: count }, (_, i) => voteOf(guildId, { userId: `3000000000000${1000 + i}` }));
}

export function integrityContract(subject: Subject): void {
  async function marksIn(guildId: string): Promise<VoteMark[][]> {
    const rows = await subject.query(
      `SELECT marks FROM votes WHERE guild_id = '${guildId}' ORDER BY cast_at, user_id`,
    );
    return rows.map(({ marks }) => marksOf(Number(marks)));
  }

  test('a guild has no rules until they are set', async () => {
    const { integrity } = subject.store;
    const guildId = await addGuild(subject.store);
    assert.deepEqual(await integrity.rules(guildId), NO_RULES);
    const rules = { minAccountAgeDays: 30, membersOnly: true, signedLinksOnly: false };
    assert.equal(await integrity.setRules(guildId, rules), true);
    assert.deepEqual(await integrity.rules(guildId), rules);
    assert.equal(await integrity.setRules('199999999999999999', rules), false);
  });

  test('link secrets and rules are set separately, and removed with their guild', async () => {
    const { integrity, guilds } = subject.store;
    const guildId = await addGuild(subject.store);
    assert.equal(await integrity.linkSecrets(guildId), undefined);
    const secrets = { current: 'sealed', previous: 'older', previousUntil: NOW };
    assert.equal(await integrity.setLinkSecrets(guildId, secrets), true);
    const rules = { ...NO_RULES, signedLinksOnly: true };
    await integrity.setRules(guildId, rules);
    assert.deepEqual(await integrity.linkSecrets(guildId), secrets);
    assert.deepEqual(await integrity.rules(guildId), rules);
    await integrity.useChallenge(guildId, 'gone', NOW);
    await guilds.remove(guildId);
    assert.equal(await integrity.linkSecrets(guildId), undefined);
    assert.deepEqual(await integrity.rules(guildId), NO_RULES);
  });

  test('a challenge can be used once, across processes, and deleted when it has expired', async () => {
    const { integrity } = subject.store;
    const guildId = await addGuild(subject.store);
    const uses = await Promise.all(
      Array.from({ length: 20 }, () => integrity.useChallenge(guildId, 'one', NOW + MINUTE_MS)),
    );
    assert.equal(uses.filter(Boolean).length, 1);
    await integrity.prune(NOW, 100);
    assert.equal(await integrity.useChallenge(guildId, 'one', NOW + MINUTE_MS), false);
    await integrity.prune(NOW + MINUTE_MS, 100);
    assert.equal(await integrity.useChallenge(guildId, 'one', NOW + MINUTE_MS), true);
  });

  test('the first salt of a period is kept until the period is over', async () => {
    const { integrity } = subject.store;
    const period = networkPeriod(NOW);
    const salts = await Promise.all(
      ['one', 'two', 'three'].map((salt) => integrity.networkSalt(period, salt)),
    );
    assert.equal(new Set(salts).size, 1);
    await integrity.prune(NOW, 100);
    assert.equal(await integrity.networkSalt(period, 'four'), salts[0]);
    await integrity.prune(NOW + 9 * DAY_MS, 100);
    assert.equal(await integrity.networkSalt(period, 'five'), 'five');
  });

  test('accounts of a network are counted for an hour, across all guilds', async () => {
    const { integrity, votes } = subject.store;
    const [one, other] = [await addGuild(subject.store), await addGuild(subject.store)];
    await votes.cast(voteOf(one), from('counted', 10));
    await votes.cast(voteOf(other, { castAt: NOW + 1 }), from('counted', 10));
    await votes.cast(voteOf(other, { userId: OTHER_USER, castAt: NOW + 2 }), from('counted', 10));
    const at = (userId: string, now: number) => integrity.networkUsage('counted', userId, now);
    assert.deepEqual(await at('300000000000000000', NOW + 3), { otherVotes: [NOW + 1, NOW + 2] });
    assert.deepEqual(await at(USER, NOW + 3), { otherVotes: [NOW + 2] });
    assert.deepEqual(await at(USER, NOW + 2 + HOUR_MS), { otherVotes: [] });
    assert.deepEqual(await integrity.networkUsage('another', USER, NOW), { otherVotes: [] });
  });

  test('concurrent votes of 100 accounts on one network stop exactly at its limit', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const outcomes = await Promise.all(
      votesOfMany(guildId, 100).map((vote) => votes.cast(vote, from('crowd', 7))),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === 'accepted').length, 7);
    const refused = outcomes.filter(({ kind }) => kind !== 'accepted');
    for (const outcome of refused) assert.deepEqual(outcome, { kind: 'crowded' });
    const later = voteOf(guildId, { userId: OTHER_USER, castAt: NOW + HOUR_MS });
    assert.equal((await votes.cast(later, from('crowd', 7))).kind, 'accepted');
  });

  test('an account that voted before is rejected too when its network has reached the limit', async () => {
    const { votes } = subject.store;
    const [guildId, other] = [await addGuild(subject.store), await addGuild(subject.store)];
    for (const vote of votesOfMany(guildId, 3)) await votes.cast(vote, from('filled', 10));
    const again = votesOfMany(other, 1)[0] ?? voteOf(other);
    assert.deepEqual(await votes.cast(again, from('filled', 2)), { kind: 'crowded' });
    assert.equal((await votes.cast(again, from('filled', 3))).kind, 'accepted');
  });

  test('marks are stored with the vote', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const young = {
      marks: MARK_BITS.young_account,
      network: { hash: 'marked', maxAccounts: 9, busyFrom: 2 },
    };
    const [first, second] = votesOfMany(guildId, 2);
    if (!first || !second) throw new Error('no votes');
    await votes.cast(first, young);
    await votes.cast(second, young);
    assert.deepEqual(await marksIn(guildId), [['young_account'], ['young_account', 'busy_network']]);
    const rows = await subject.query(`SELECT DISTINCT network FROM votes WHERE guild_id = '${guildId}'`);
    assert.deepEqual(rows, [{ network: 'marked' }]);
  });

  test('a name that another account used within a day is marked as shared, case-insensitively', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const cast = (userId: string, externalId: string, castAt: number) =>
      votes.cast(voteOf(guildId, { userId, externalId, castAt }));
    await cast(USER, 'Steve', NOW);
    await cast(USER, 'Steve', NOW + HOUR_MS);
    await cast(OTHER_USER, 'STEVE', NOW + 2 * HOUR_MS);
    await cast(USER, 'Alex', NOW + 3 * HOUR_MS);
    await cast(OTHER_USER, 'Alex', NOW + 27 * HOUR_MS);
    assert.deepEqual(await marksIn(guildId), [[], [], ['shared_name'], [], []]);
  });

  test('the network hash of a vote is removed within 30 days, and nothing else', async () => {
    const { votes, integrity } = subject.store;
    const guildId = await addGuild(subject.store);
    await votes.cast(voteOf(guildId), from(`${networkPeriod(NOW)}.hash`, 9));
    const hashes = () => subject.query(`SELECT network FROM votes WHERE guild_id = '${guildId}'`);
    await integrity.prune(NOW + 22 * DAY_MS, 100);
    assert.deepEqual(await hashes(), [{ network: `${networkPeriod(NOW)}.hash` }]);
    assert.ok((await integrity.prune(NOW + 30 * DAY_MS, 100)) > 0);
    assert.deepEqual(await hashes(), [{ network: null }]);
  });
}
