import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { voteId } from '../../../src/domain/votes/vote.ts';
import {
  firstEventIdAt,
  goalReached,
  rewardGranted,
  voteAvailable,
  voteReceived,
  voteVoided,
  webhookTest,
} from '../../../src/domain/webhooks/event.ts';

const vote = {
  guildId: '123456789012345678',
  userId: '200000000000000001',
  castAt: Date.parse('2026-11-15T12:00:00.123Z'),
  externalId: 'Steve_42',
  isDoubled: true,
};

const SUMS = { votesThisMonth: 1, totalVotes: 1, streakDays: 1 };

describe('an event', () => {
  test('describes a vote as documented', () => {
    const event = voteReceived(vote, { votesThisMonth: 42, totalVotes: 7, streakDays: 3 });
    assert.equal(event.occursAt, vote.castAt);
    assert.deepEqual(JSON.parse(event.body), {
      type: 'vote_received',
      timestamp: '2026-11-15T12:00:00.123Z',
      data: {
        vote_id: voteId(vote),
        guild_id: '123456789012345678',
        user_id: '200000000000000001',
        external_id: 'Steve_42',
        timestamp: '2026-11-15T12:00:00.123Z',
        is_doubled: true,
        next_vote_at: '2026-11-15T13:00:00.123Z',
        votes_this_month: 42,
        total_votes: 7,
        streak_days: 3,
      },
    });
  });

  test('is sent when the cooldown ends', () => {
    const event = voteAvailable(vote);
    assert.equal(event.occursAt, vote.castAt + HOUR_MS);
    assert.deepEqual(JSON.parse(event.body), {
      type: 'vote_available',
      timestamp: '2026-11-15T13:00:00.123Z',
      data: {
        vote_id: voteId(vote),
        guild_id: '123456789012345678',
        user_id: '200000000000000001',
        external_id: 'Steve_42',
        last_vote_at: '2026-11-15T12:00:00.123Z',
        available_at: '2026-11-15T13:00:00.123Z',
      },
    });
  });

  test('contains when a claimed vote was cast and claimed', () => {
    const event = rewardGranted({ ...vote, claimedAt: vote.castAt + HOUR_MS, consumer: 'default' });
    assert.equal(event.occursAt, vote.castAt + HOUR_MS);
    assert.deepEqual(JSON.parse(event.body), {
      type: 'reward_granted',
      timestamp: '2026-11-15T13:00:00.123Z',
      data: {
        vote_id: voteId(vote),
        guild_id: '123456789012345678',
        user_id: '200000000000000001',
        external_id: 'Steve_42',
        vote_timestamp: '2026-11-15T12:00:00.123Z',
        is_doubled: true,
        claimed_at: '2026-11-15T13:00:00.123Z',
        consumer: 'default',
      },
    });
  });

  test('contains the goal that a vote reached, and nothing about the voter', () => {
    const event = goalReached({ period: 'party', target: 50, votes: 50, vote });
    assert.equal(event.occursAt, vote.castAt);
    assert.deepEqual(JSON.parse(event.body), {
      type: 'goal_reached',
      timestamp: '2026-11-15T12:00:00.123Z',
      data: {
        guild_id: '123456789012345678',
        goal: 50,
        period: 'party',
        votes: 50,
        reached_at: '2026-11-15T12:00:00.123Z',
      },
    });
    assert.equal(event.eventId, goalReached({ period: 'party', target: 50, votes: 50, vote }).eventId);
  });

  test('contains the reason and batch of a voided vote, and has another id in another batch', () => {
    const batch = { batch: 'void_1', reason: 'a farm', voidedAt: vote.castAt + HOUR_MS };
    const event = voteVoided(vote, batch);
    assert.equal(event.occursAt, batch.voidedAt);
    assert.deepEqual(JSON.parse(event.body), {
      type: 'vote_voided',
      timestamp: '2026-11-15T13:00:00.123Z',
      data: {
        vote_id: voteId(vote),
        guild_id: '123456789012345678',
        user_id: '200000000000000001',
        external_id: 'Steve_42',
        timestamp: '2026-11-15T12:00:00.123Z',
        is_doubled: true,
        reason: 'a farm',
        batch: 'void_1',
        voided_at: '2026-11-15T13:00:00.123Z',
      },
    });
    assert.notEqual(voteVoided(vote, { ...batch, batch: 'void_2' }).eventId, event.eventId);
  });

  test('has the same id for the same vote and type, and a different one otherwise', () => {
    assert.equal(
      voteReceived(vote, SUMS).eventId,
      voteReceived({ ...vote }, { ...SUMS, votesThisMonth: 2 }).eventId,
    );
    const others = [
      voteAvailable(vote),
      voteReceived({ ...vote, castAt: vote.castAt + 1 }, SUMS),
      voteReceived({ ...vote, userId: '200000000000000002' }, SUMS),
      voteReceived({ ...vote, guildId: '123456789012345679' }, SUMS),
      webhookTest(vote.guildId, vote.castAt, 'a'),
      webhookTest(vote.guildId, vote.castAt, 'b'),
    ];
    const ids = new Set([voteReceived(vote, SUMS), ...others].map(({ eventId }) => eventId));
    assert.equal(ids.size, 7);
    for (const id of ids) assert.match(id, /^evt_[0-9a-f]{32}$/);
  });

  test('has an id that sorts by time', () => {
    const instants = [0, 1, 15, 16, vote.castAt, vote.castAt + 1, Date.parse('9999-12-31T23:59:59.999Z')];
    const ids = instants.map((castAt) => voteReceived({ ...vote, castAt }, SUMS).eventId);
    assert.deepEqual(ids, ids.toSorted());
    for (const [i, instant] of instants.entries()) assert.ok(firstEventIdAt(instant) <= (ids[i] ?? ''));
  });

  test('says that it is a test if it is one', () => {
    const { type, data } = JSON.parse(webhookTest(vote.guildId, vote.castAt, 'a').body);
    assert.equal(type, 'webhook_test');
    assert.equal(data.guild_id, vote.guildId);
    assert.equal(typeof data.message, 'string');
  });
});
