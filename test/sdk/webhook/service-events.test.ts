import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyWebhook } from '../../../sdk/src/index.ts';
import { voteId } from '../../../src/domain/votes/vote.ts';
import { generateWebhookSecret, signatureHeaders } from '../../../src/domain/webhooks/delivery.ts';
import {
  goalReached,
  rewardGranted,
  SUBSCRIBABLE_EVENTS,
  sampleEvent,
  voteAvailable,
  voteReceived,
  voteVoided,
  type WebhookEvent,
  webhookTest,
} from '../../../src/domain/webhooks/event.ts';
import { NOW } from './deliveries.ts';

const VOTE = {
  guildId: '100000000000000001',
  userId: '200000000000000001',
  castAt: Date.parse('2026-11-15T11:00:00.123Z'),
  externalId: 'Élodie 🎮',
  isDoubled: true,
};
const WHO = { voteId: voteId(VOTE), guildId: VOTE.guildId, userId: VOTE.userId, externalId: VOTE.externalId };
const SUMS = { votesThisMonth: 12, totalVotes: 7, streakDays: 3 };
const CAST = new Date(VOTE.castAt);
const AN_HOUR_LATER = new Date('2026-11-15T12:00:00.123Z');

/** An event of the service as parsed by the SDK, signed by the service during a rotation. */
async function receive(event: WebhookEvent) {
  const secrets = [generateWebhookSecret(), generateWebhookSecret()];
  const headers = signatureHeaders({ id: event.eventId, at: NOW, body: event.body }, secrets);
  const results = await Promise.all(
    secrets.map((secret) => verifyWebhook(event.body, headers, secret, { now: () => NOW })),
  );
  const [first, second] = results;
  assert.deepEqual(first, second);
  assert.ok(first?.valid);
  assert.equal(first.event.id, event.eventId);
  return first.event;
}

describe('the SDK parses the events of the service', () => {
  it('for a vote', async () => {
    const { type, timestamp, data } = await receive(voteReceived(VOTE, SUMS));
    const vote = { timestamp: CAST, isDoubled: true, nextVoteAt: AN_HOUR_LATER, ...SUMS };
    assert.deepEqual([type, timestamp, data], ['vote_received', CAST, { ...WHO, ...vote }]);
  });

  it('for the end of a cooldown, without an external id', async () => {
    const { type, data } = await receive(voteAvailable({ ...VOTE, externalId: null }));
    const times = { lastVoteAt: CAST, availableAt: AN_HOUR_LATER };
    assert.deepEqual([type, data], ['vote_available', { ...WHO, externalId: null, ...times }]);
  });

  it('for a claimed vote', async () => {
    const { type, timestamp, data } = await receive(
      rewardGranted({ ...VOTE, claimedAt: NOW, consumer: 'bot' }),
    );
    const claim = { voteTimestamp: CAST, isDoubled: true, claimedAt: new Date(NOW), consumer: 'bot' };
    assert.deepEqual([type, timestamp, data], ['reward_granted', new Date(NOW), { ...WHO, ...claim }]);
  });

  it('for a voided vote', async () => {
    const batch = { batch: 'void_1', reason: null, voidedAt: NOW };
    const { type, timestamp, data } = await receive(voteVoided(VOTE, batch));
    const voided = {
      timestamp: CAST,
      isDoubled: true,
      reason: null,
      batch: 'void_1',
      voidedAt: new Date(NOW),
    };
    assert.deepEqual([type, timestamp, data], ['vote_voided', new Date(NOW), { ...WHO, ...voided }]);
  });

  it('for a goal', async () => {
    const { type, timestamp, data } = await receive(
      goalReached({ period: 'week', target: 50, votes: 50, vote: VOTE }),
    );
    const { guildId } = VOTE;
    const goal = { guildId, goal: 50, period: 'week', votes: 50, reachedAt: CAST };
    assert.deepEqual([type, timestamp, data], ['goal_reached', CAST, goal]);
  });

  for (const type of SUBSCRIBABLE_EVENTS) {
    it(`for a sample of ${type}, which is marked as a test`, async () => {
      const event = await receive(sampleEvent(type, VOTE.guildId, NOW, 'nonce'));
      assert.ok(event.type !== 'unknown' && event.type !== 'webhook_test');
      assert.deepEqual([event.type, event.data.test, event.data.guildId], [type, true, VOTE.guildId]);
    });
  }

  it('for a test of the endpoint', async () => {
    const { type, data } = await receive(webhookTest(VOTE.guildId, NOW, 'nonce'));
    assert.equal(type, 'webhook_test');
    assert.deepEqual(data, {
      guildId: VOTE.guildId,
      message: 'This is a test. Your endpoint receives webhooks.',
    });
  });
});
