import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { monthOf } from '../../../../src/domain/votes/period.ts';
import type { Vote } from '../../../../src/domain/votes/vote.ts';
import type { ClaimRequest } from '../../../../src/store/claims/claims.ts';
import { UnknownGuildError } from '../../../../src/store/store.ts';
import { claimRequest, claimVote } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';
import { addEndpoint } from '../../webhook-fixtures.ts';

const UNKNOWN_GUILD = '999999999999999999';

function userNumber(i: number): string {
  return String(210_000_000_000_000_000n + BigInt(i));
}

const voteOfUser = (guildId: string, i: number, given: Partial<Vote> = {}) =>
  voteOf(guildId, { userId: userNumber(i), castAt: NOW + i, ...given });

/** Writes of one tick can share a transaction. Nobody may notice it. */
export function oneTickContract(subject: Subject): void {
  async function feedOf(guildId: string) {
    return (await subject.store.feed.read(guildId, 0, 0, 1000)).votes;
  }

  async function outcomesOf<T>(work: Promise<T>[], nameOf: (value: T) => unknown): Promise<unknown[]> {
    const settled = await Promise.allSettled(work);
    return settled.map((outcome) =>
      outcome.status === 'fulfilled' ? nameOf(outcome.value) : outcome.reason.constructor.name,
    );
  }

  async function assertCounted(guildId: string, count: number): Promise<void> {
    const { votes } = subject.store;
    assert.deepEqual(
      (await feedOf(guildId)).map(({ seq }) => seq),
      Array.from({ length: count }, (_, i) => i + 1),
    );
    assert.equal(await votes.countInMonth(guildId, monthOf(NOW)), count);
    assert.equal(await votes.count({ guildId, userId: null, period: ALL_TIME }), count);
  }

  test('a vote that cannot be cast is refused alone, without the other votes of its tick', async () => {
    const { store } = subject;
    const [guildId, other] = [await addGuild(store), await addGuild(store)];
    await store.moderation.ban({
      userId: userNumber(1),
      since: NOW,
      until: null,
      reason: null,
      publicReason: null,
    });
    const votes = [
      voteOfUser(guildId, 0),
      voteOfUser(guildId, 1),
      voteOfUser(UNKNOWN_GUILD, 2),
      voteOfUser(guildId, 3, { externalId: 'Steve' }),
      voteOfUser(guildId, 0, { castAt: NOW + HOUR_MS - 1 }),
      voteOfUser(other, 0),
      voteOfUser(guildId, 5, { isDoubled: true }),
    ];
    const kinds = await outcomesOf(
      votes.map((vote) => store.votes.cast(vote)),
      ({ kind }) => kind,
    );
    await store.moderation.unban(userNumber(1), NOW);
    const expected = ['accepted', 'banned', UnknownGuildError.name, 'accepted', 'cooldown'];
    assert.deepEqual(kinds, [...expected, 'accepted', 'accepted']);
    assert.deepEqual(
      (await feedOf(guildId)).map(({ userId }) => userId).toSorted(),
      [0, 3, 5].map(userNumber),
    );
    await assertCounted(guildId, 3);
    await assertCounted(other, 1);
  });

  test('a vote that was imported for its instant is refused alone, without the other votes of its tick', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const future = voteOfUser(guildId, 1, { castAt: NOW + 5 * HOUR_MS });
    await importAll(store, future);
    const kinds = await outcomesOf(
      [voteOfUser(guildId, 0), future, voteOfUser(guildId, 2)].map((vote) => store.votes.cast(vote)),
      ({ kind }) => kind,
    );
    assert.deepEqual(kinds, ['accepted', 'cooldown', 'accepted']);
    assert.deepEqual((await feedOf(guildId)).map(({ userId }) => userId).toSorted(), [0, 2].map(userNumber));
  });

  test('a vote that the database rejects fails alone, without the other votes of its tick', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const votes = [0, 1, 2, 3].map((i) => voteOfUser(guildId, i));
    // No database column accepts half a millisecond.
    votes.splice(2, 0, voteOfUser(guildId, 9, { castAt: NOW + 0.5 }));
    const settled = await Promise.allSettled(votes.map((vote) => store.votes.cast(vote)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    await assertCounted(guildId, 4);
  });

  test('exactly one of the votes that one user casts for one guild in one tick is accepted', async () => {
    const { store } = subject;
    const guildIds = [await addGuild(store), await addGuild(store)];
    const casts = Array.from({ length: 40 }, (_, i) =>
      store.votes.cast(voteOf(guildIds[i % 2] ?? '', { castAt: NOW + i })),
    );
    const outcomes = await Promise.all(casts);
    for (const guildId of guildIds) {
      const accepted = outcomes.flatMap((outcome) =>
        outcome.kind === 'accepted' && outcome.vote.guildId === guildId ? [outcome.vote] : [],
      );
      assert.equal(accepted.length, 1);
      await assertCounted(guildId, 1);
      const [vote] = await feedOf(guildId);
      assert.equal(vote?.castAt, accepted[0]?.castAt);
    }
    const lastVotes = outcomes.flatMap((outcome) =>
      outcome.kind === 'cooldown' ? [outcome.lastVoteAt] : [],
    );
    const accepted = outcomes.flatMap((outcome) =>
      outcome.kind === 'accepted' ? [outcome.vote.castAt] : [],
    );
    assert.deepEqual(new Set(lastVotes), new Set(accepted));
  });

  test('votes of one tick under one name know of each other, and each event has its own count', async () => {
    const { store, query } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId, { events: ['vote_received'] });
    const votes = Array.from({ length: 5 }, (_, i) => voteOfUser(guildId, i, { externalId: 'Steve' }));
    await Promise.all(votes.map((vote) => store.votes.cast(vote)));
    const marked = await query(`SELECT marks FROM votes WHERE guild_id = '${guildId}' AND marks <> 0`);
    assert.equal(marked.length, 4);
    const events = await query(`SELECT body FROM webhook_events WHERE guild_id = '${guildId}'`);
    const counts = events.map(({ body }) => JSON.parse(String(body)).data.votes_this_month);
    assert.deepEqual(counts.toSorted(), [1, 2, 3, 4, 5]);
  });

  test('the claims of one tick claim each vote once, and a failing claim fails alone', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId, { events: ['reward_granted'] });
    await importAll(
      store,
      voteOf(guildId, { castAt: NOW - 3, externalId: 'Steve' }),
      voteOf(guildId, { castAt: NOW - 2 * HOUR_MS, userId: OTHER_USER }),
      voteOf(guildId, { castAt: NOW - 3 * HOUR_MS, userId: OTHER_USER }),
    );
    const [user, name, other] = [{ userId: USER }, { externalId: 'Steve' }, { userId: OTHER_USER }];
    const failing = () => {
      throw new RangeError('half-way');
    };
    const requests: [ClaimRequest, string][] = [
      [claimRequest(guildId, user), 'once'],
      [claimRequest(guildId, name), 'once'],
      [claimRequest(guildId, { foldedName: 'STEVE' }), 'once'],
      [claimRequest(UNKNOWN_GUILD, user), UnknownGuildError.name],
      [claimRequest(guildId, other, { render: failing }), RangeError.name],
      [claimRequest(guildId, other), `${NOW - 3 * HOUR_MS}`],
      [claimRequest(guildId, other), `${NOW - 2 * HOUR_MS}`],
      [claimRequest(guildId, other), 'none'],
      [claimRequest(guildId, { userId: userNumber(0) }), 'none'],
    ];
    const outcomes = await outcomesOf(
      requests.map(([request]) => store.claims.claim(request)),
      (result) => {
        assert.ok(result.kind === 'done');
        return String(JSON.parse(result.body).vote?.castAt ?? 'none');
      },
    );
    const expected = requests.map(([, outcome]) => outcome);
    const claimedOnce = outcomes.filter((outcome, i) => expected[i] === 'once' && outcome === `${NOW - 3}`);
    assert.equal(claimedOnce.length, 1);
    const isOther = (i: number) => requests[i]?.[0].identity === other;
    assert.deepEqual(
      outcomes.filter((_, i) => isOther(i)).toSorted(),
      expected.filter((_, i) => isOther(i)).toSorted(),
    );
    assert.deepEqual([outcomes[3], outcomes[8]], [UnknownGuildError.name, 'none']);
    const events = await subject.query(`SELECT body FROM webhook_events WHERE guild_id = '${guildId}'`);
    assert.equal(events.length, 3);
  });

  test('a name gets no reward for a vote near one that its user claims in the same tick', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const [first, second] = [
      voteOf(guildId, { castAt: NOW - 20_000, externalId: 'Steve' }),
      voteOf(guildId, { castAt: NOW - 10_000, externalId: 'Steve', userId: OTHER_USER }),
    ];
    await importAll(store, first, second);
    const [ofUser, ofName, ofNobody] = await Promise.all([
      claimVote(store, guildId, { userId: OTHER_USER }),
      claimVote(store, guildId, { externalId: 'Steve' }),
      claimVote(store, guildId, { externalId: 'Alex' }),
    ]);
    assert.deepEqual([ofUser.vote?.castAt, ofName.vote, ofNobody.vote], [second.castAt, null, null]);
  });

  test('claims of one tick with one Idempotency-Key share one claim, other parameters are refused, other keys claim the next vote', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const votes = [3, 2, 1].map((hours) => voteOf(guildId, { castAt: NOW - hours * HOUR_MS }));
    await importAll(store, ...votes);
    const withKey = (key: string, requestHash = 'same') =>
      store.claims.claim(claimRequest(guildId, { userId: USER }, { idempotency: { key, requestHash } }));
    const results = await Promise.all([
      ...Array.from({ length: 10 }, () => withKey('a')),
      ...Array.from({ length: 10 }, () => withKey('b')),
    ]);
    const bodies = results.map((result) => (result.kind === 'done' ? result.body : result.kind));
    assert.equal(new Set(bodies).size, 2);
    assert.equal(results.filter((result) => result.kind === 'done' && result.claimed).length, 2);
    const [kept, ...refused] = await Promise.all([withKey('c'), withKey('c', 'x'), withKey('a', 'x')]);
    assert.deepEqual([kept, ...refused].filter(({ kind }) => kind === 'mismatch').length, 2);
  });
}
