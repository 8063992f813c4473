import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../../../src/domain/clock.ts';
import { wholeMonth } from '../../../../src/domain/votes/period.ts';
import type { VoterRole } from '../../../../src/domain/votes/voter-role.ts';
import type { DueMember, RoleClaim } from '../../../../src/store/guilds/voter-roles.ts';
import { openStore } from '../../../../src/store/open.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

const RECENT: VoterRole = { roleId: '500000000000000001', rule: 'recent', amount: 12 };
const MONTH: VoterRole = { roleId: '500000000000000002', rule: 'month', amount: 2 };

export function voterRoleContract(subject: Subject): void {
  async function guildWithRole(role: VoterRole = RECENT): Promise<string> {
    const guildId = await addGuild(subject.store);
    assert.equal(await subject.store.voterRoles.set(guildId, role, NOW), true);
    return guildId;
  }

  const cast = async (guildId: string, castAt: Instant = NOW, userId = USER) =>
    assert.equal((await subject.store.votes.cast(voteOf(guildId, { userId, castAt }))).kind, 'accepted');

  /** Claims the guild; others that are due at that time are released again. */
  async function claimGuild(guildId: string, now: Instant): Promise<RoleClaim | undefined> {
    const { voterRoles } = subject.store;
    const claimed = await voterRoles.claim({ now, until: now + MINUTE_MS, limit: 1000 });
    for (const other of claimed) if (other.guildId !== guildId) await voterRoles.release(other, 0);
    return claimed.find((claim) => claim.guildId === guildId);
  }

  async function dueOne(guildId: string, now: Instant): Promise<DueMember> {
    const [member, ...others] = await subject.store.voterRoles.due(guildId, now, 100);
    assert.ok(member);
    assert.deepEqual(others, []);
    return member;
  }

  const rows = (guildId: string) =>
    subject.query(
      `SELECT user_id, role_id, state, check_at FROM voter_role_members WHERE guild_id = '${guildId}'
       ORDER BY user_id, role_id`,
    );

  /** The user has the role; the guild waits for its end. */
  async function assign(guildId: string, now = NOW): Promise<DueMember> {
    const { voterRoles } = subject.store;
    const claim = await claimGuild(guildId, now);
    assert.ok(claim);
    const member = await dueOne(guildId, now);
    assert.equal(await voterRoles.request(member), true);
    await voterRoles.keep(member, now + 12 * HOUR_MS);
    await voterRoles.release(claim, now);
    return member;
  }

  test('users who are due for an earlier role can be postponed; others are not', async () => {
    const { voterRoles } = subject.store;
    const guildId = await guildWithRole();
    await cast(guildId, NOW - DAY_MS);
    await cast(guildId, NOW - 2 * DAY_MS, OTHER_USER);
    await voterRoles.set(guildId, MONTH, NOW);
    const earlier = (await voterRoles.due(guildId, NOW, 100)).find(({ roleId }) => roleId === RECENT.roleId);
    assert.ok(earlier);
    const times = { now: NOW, until: NOW + HOUR_MS, since: NOW - DAY_MS };
    await cast(guildId, NOW);
    await voterRoles.postpone({ ...earlier, roleId: MONTH.roleId }, times);
    assert.equal((await rows(guildId)).length, 3);
    await voterRoles.postpone(earlier, times);
    const state = 'none';
    const left = (await rows(guildId)).map((row) => ({ ...row, check_at: Number(row.check_at) }));
    assert.deepEqual(left, [
      { user_id: USER, role_id: RECENT.roleId, state, check_at: NOW + HOUR_MS },
      { user_id: USER, role_id: MONTH.roleId, state, check_at: NOW },
    ]);
  });

  test('a guild has no voter role until it is set, and none after it is turned off', async () => {
    const { voterRoles } = subject.store;
    const guildId = await addGuild(subject.store);
    assert.equal(await voterRoles.find(guildId), null);
    await voterRoles.set(guildId, RECENT, NOW);
    assert.deepEqual(await voterRoles.find(guildId), { ...RECENT, problem: null });
    assert.equal(await voterRoles.set(guildId, null, NOW), true);
    assert.equal(await voterRoles.find(guildId), null);
    assert.equal(await voterRoles.set('199999999999999999', RECENT, NOW), false);
    assert.equal(await voterRoles.set('199999999999999999', null, NOW), false);
  });

  test('a vote makes its voter due, only in guilds with a voter role', async () => {
    const { voterRoles } = subject.store;
    const [guildId, without, off] = [
      await guildWithRole(),
      await addGuild(subject.store),
      await guildWithRole(),
    ];
    await voterRoles.set(off, null, NOW);
    for (const id of [guildId, without, off]) await cast(id);
    for (const id of [without, off]) assert.deepEqual(await rows(id), []);
    assert.deepEqual(await claimGuild(guildId, NOW), { guildId, role: RECENT, until: NOW + MINUTE_MS });
    assert.deepEqual(await dueOne(guildId, NOW), {
      ...{ guildId, userId: USER, roleId: RECENT.roleId, state: 'none', version: 0 },
      ...{ lastVoteAt: NOW, votesThisMonth: 1 },
    });
  });

  test('setting a role checks users who qualify already, and those who have an earlier role', async () => {
    const { voterRoles } = subject.store;
    const guildId = await addGuild(subject.store);
    await importAll(
      subject.store,
      voteOf(guildId, { castAt: NOW - 12 * HOUR_MS + 1 }),
      voteOf(guildId, { userId: OTHER_USER, castAt: NOW - 12 * HOUR_MS }),
    );
    await voterRoles.set(guildId, RECENT, NOW);
    assert.deepEqual(
      (await rows(guildId)).map(({ user_id }) => user_id),
      [USER],
    );
    await assign(guildId);
    const { from } = wholeMonth(NOW);
    const votes = [0, 1].map((i) => voteOf(guildId, { userId: OTHER_USER, castAt: from + i * HOUR_MS }));
    await importAll(subject.store, ...votes);
    await voterRoles.set(guildId, MONTH, NOW + 1);
    assert.deepEqual(
      (await rows(guildId)).map(({ user_id, role_id, check_at }) => [user_id, role_id, Number(check_at)]),
      [
        [USER, RECENT.roleId, NOW + 1],
        [OTHER_USER, MONTH.roleId, NOW + 1],
      ].sort(),
    );
  });

  test('a claimed guild is claimed again when it is released or the claim expires', async () => {
    const { voterRoles } = subject.store;
    const guildId = await guildWithRole();
    await cast(guildId);
    const claim = await claimGuild(guildId, NOW);
    assert.ok(claim);
    // A vote of somebody else does not end the claim.
    await cast(guildId, NOW + 1, OTHER_USER);
    assert.equal(await claimGuild(guildId, NOW + MINUTE_MS - 1), undefined);
    const second = await claimGuild(guildId, NOW + MINUTE_MS);
    assert.ok(second);
    await voterRoles.release(claim, 0);
    assert.equal(await claimGuild(guildId, NOW + 2 * MINUTE_MS - 1), undefined);
    await voterRoles.release(second, NOW + HOUR_MS);
    assert.equal(await claimGuild(guildId, NOW + HOUR_MS - 1), undefined);
    assert.ok(await claimGuild(guildId, NOW + HOUR_MS));
  });

  test('a guild is due again when the first role ends, or at once after a vote', async () => {
    const guildId = await guildWithRole();
    await cast(guildId);
    await assign(guildId);
    assert.equal(await claimGuild(guildId, NOW + 12 * HOUR_MS - 1), undefined);
    assert.ok(await claimGuild(guildId, NOW + 12 * HOUR_MS));
    const again = await guildWithRole();
    await cast(again);
    await assign(again);
    await cast(again, NOW + HOUR_MS);
    assert.ok(await claimGuild(again, NOW + HOUR_MS));
    assert.equal((await dueOne(again, NOW + HOUR_MS)).state, 'assigned');
  });

  test('a vote during a check is checked again', async () => {
    const { voterRoles } = subject.store;
    const guildId = await guildWithRole();
    await cast(guildId);
    const claim = await claimGuild(guildId, NOW);
    assert.ok(claim);
    const member = await dueOne(guildId, NOW);
    await cast(guildId, NOW + HOUR_MS);
    await voterRoles.keep(member, NOW + 12 * HOUR_MS);
    const later = await dueOne(guildId, NOW + HOUR_MS);
    assert.deepEqual([later.state, later.lastVoteAt], ['assigned', NOW + HOUR_MS]);
    await voterRoles.drop(member);
    assert.equal((await dueOne(guildId, NOW + HOUR_MS)).state, 'none');
    await voterRoles.drop(await dueOne(guildId, NOW + HOUR_MS));
    assert.deepEqual(await rows(guildId), []);
    await voterRoles.release(claim, NOW);
    assert.equal(await claimGuild(guildId, NOW + DAY_MS), undefined);
  });

  test('voiding and restoring votes checks their voters', async () => {
    const { moderation, voterRoles } = subject.store;
    const guildId = await guildWithRole();
    await cast(guildId);
    await assign(guildId);
    const voidedAt = NOW + MINUTE_MS;
    const batch = `void_${guildId}`;
    const request = { guildId, selection: { userId: USER }, period: ALL_TIME, reason: null };
    await moderation.void({ ...request, batch, voidedAt });
    assert.ok(await claimGuild(guildId, voidedAt));
    const member = await dueOne(guildId, voidedAt);
    assert.deepEqual([member.state, member.lastVoteAt, member.votesThisMonth], ['assigned', null, 0]);
    await voterRoles.drop(member);
    await moderation.restore(batch, NOW + HOUR_MS);
    assert.ok(await claimGuild(guildId, NOW + HOUR_MS));
    assert.equal((await dueOne(guildId, NOW + HOUR_MS)).lastVoteAt, NOW);
  });

  test('turning it off makes everybody due who may have the role', async () => {
    const { voterRoles } = subject.store;
    const guildId = await guildWithRole();
    await cast(guildId);
    await assign(guildId);
    await voterRoles.set(guildId, null, NOW + 1);
    assert.deepEqual(await claimGuild(guildId, NOW + 1), {
      ...{ guildId, role: null, until: NOW + 1 + MINUTE_MS },
    });
    assert.equal((await dueOne(guildId, NOW + 1)).state, 'assigned');
  });

  test('a problem is kept with its first time until a change works or the role is set again', async () => {
    const { voterRoles } = subject.store;
    const guildId = await guildWithRole();
    await cast(guildId);
    const claim = await claimGuild(guildId, NOW);
    assert.ok(claim);
    for (const at of [NOW, NOW + 5]) await voterRoles.setProblem(guildId, 'missing_permission', at);
    await voterRoles.release(claim, NOW + HOUR_MS);
    const problemOf = async () => (await voterRoles.find(guildId))?.problem;
    assert.deepEqual(await problemOf(), { kind: 'missing_permission', since: NOW });
    await voterRoles.setProblem(guildId, 'not_in_server', NOW + 6);
    assert.deepEqual(await problemOf(), { kind: 'not_in_server', since: NOW + 6 });
    await voterRoles.setProblem(guildId, null, NOW + 7);
    assert.equal(await problemOf(), null);
    await voterRoles.setProblem(guildId, 'rejected', NOW + 8);
    await voterRoles.retry(guildId);
    assert.equal(await problemOf(), null);
    assert.ok(await claimGuild(guildId, NOW + 8));
  });

  test('users who could not be checked for a long time are forgotten', async () => {
    const { voterRoles } = subject.store;
    const guildId = await guildWithRole();
    await cast(guildId);
    await voterRoles.prune(NOW, 1000);
    assert.equal((await rows(guildId)).length, 1);
    await voterRoles.prune(NOW + 1, 1000);
    assert.deepEqual(await rows(guildId), []);
  });

  test('an erased user is not requested', async () => {
    const { voterRoles } = subject.store;
    const guildId = await guildWithRole();
    await cast(guildId);
    const member = await dueOne(guildId, NOW);
    await voterRoles.drop(member);
    assert.equal(await voterRoles.request(member), false);
  });

  test('several processes never claim the same guild, and casts meanwhile are not lost', async () => {
    const guilds = await Promise.all([1, 2, 3, 4].map(() => guildWithRole()));
    for (const guildId of guilds) await cast(guildId);
    const stores = await Promise.all([1, 2].map(() => openStore(subject.database)));
    try {
      const at = NOW + HOUR_MS;
      const claim = { now: at, until: at + MINUTE_MS, limit: 1000 };
      const [claims] = await Promise.all([
        Promise.all([subject.store, ...stores].map(({ voterRoles }) => voterRoles.claim(claim))),
        ...guilds.map((guildId) => cast(guildId, at)),
      ]);
      const claimed = claims.flat().filter(({ guildId }) => guilds.includes(guildId));
      assert.deepEqual(claimed.map(({ guildId }) => guildId).sort(), [...guilds].sort());
      for (const one of claims.flat()) await subject.store.voterRoles.release(one, at);
      for (const guildId of guilds) assert.equal((await dueOne(guildId, at)).lastVoteAt, at);
    } finally {
      for (const store of stores) await store.close();
    }
  });
}
