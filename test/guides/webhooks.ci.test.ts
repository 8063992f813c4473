import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { generateWebhookSecret, signatureHeaders } from '../../src/domain/webhooks/delivery.ts';
import { sampleEvent, voteReceived, type WebhookEvent } from '../../src/domain/webhooks/event.ts';
import { type Community, startLive } from '../clients/live.ts';
import { requirement } from '../support/requirement.ts';
import { receive, unpackReceivers } from './receivers.ts';
import { environment } from './services.ts';

const SECRET = generateWebhookSecret();
const NAME = 'Steve_42';
const USER = '200000000000000001';

function event({ guildId }: Community): WebhookEvent {
  const vote = { guildId, userId: USER, castAt: Date.now(), externalId: NAME, isDoubled: false };
  return voteReceived(vote, { votesThisMonth: 1, totalVotes: 1, streakDays: 1 });
}

async function deliver(url: string, { eventId, body }: WebhookEvent, secrets = [SECRET]): Promise<number> {
  const signed = signatureHeaders({ id: eventId, at: Date.now(), body }, secrets);
  const headers = { 'content-type': 'application/json', ...signed };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

describe('the webhooks guide', async () => {
  const live = await startLive();

  async function open(t: TestContext) {
    const community = await live.addCommunity();
    return {
      community,
      place: await unpackReceivers(t, {
        ...environment(live.url, community.key, live.certificate),
        VOTARY_WEBHOOK_SECRET: SECRET,
      }),
    };
  }

  const php = ['php', '-d', `curl.cainfo=${live.certificate}`, '-S', '127.0.0.1:0'];
  const node = (file: string) => ({
    command: [process.execPath, file],
    consumer: 'bot',
    reward: /was rewarded for 1 votes/g,
    skip: false as const,
  });
  const receivers = [
    { name: 'Node', path: '', ...node('receiver.mjs') },
    { name: 'Fastify', path: '/votes', ...node('fastify-receiver.mjs') },
    {
      name: 'Python',
      path: '',
      command: ['python3', 'receiver.py'],
      consumer: 'survival',
      reward: /10 coins for 200000000000000001/g,
      skip: requirement('python'),
    },
    {
      name: 'PHP',
      path: '/webhook.php',
      command: php,
      consumer: 'website',
      reward: /Steve_42 was rewarded for 1 votes/g,
      skip: requirement('php'),
    },
  ];
  for (const { name, command, path, consumer, reward, skip } of receivers) {
    it(`rewards a vote once with ${name}, even after a restart, and rejects forged ones`, {
      skip,
    }, async (t) => {
      const { community, place } = await open(t);
      await community.cast({ externalId: NAME });
      const vote = event(community);
      const first = await receive(t, command, place, async (address) => {
        assert.equal(await deliver(address + path, vote, [generateWebhookSecret()]), 401);
        assert.deepEqual(await community.claims(NAME, consumer), { claimable: 1, claimed: 0 });
        const both = [generateWebhookSecret(), SECRET];
        assert.deepEqual(
          [await deliver(address + path, vote), await deliver(address + path, vote, both)],
          [204, 204],
        );
      });
      const second = await receive(t, command, place, async (address) => {
        assert.equal(await deliver(address + path, vote), 204);
      });
      assert.equal((first + second).match(reward)?.length, 1, first + second);
      assert.deepEqual(await community.claims(NAME, consumer), { claimable: 0, claimed: 1 });
    });

    it(`claims nothing for a sample with ${name}`, { skip }, async (t) => {
      const { community, place } = await open(t);
      // The vote of the user whose id samples use.
      await community.cast({ externalId: NAME });
      await receive(t, command, place, async (address) => {
        const sample = sampleEvent('vote_received', community.guildId, Date.now(), 'nonce');
        assert.equal(await deliver(address + path, sample), 204);
      });
      assert.deepEqual(await community.claims(NAME, consumer), { claimable: 1, claimed: 0 });
    });

    it(`requests another delivery if its reward failed with ${name}`, { skip }, async (t) => {
      const { community, place } = await open(t);
      const broken = { ...place, env: { ...place.env, VOTARY_API_KEY: 'wrong' } };
      await receive(t, command, broken, async (address) => {
        const status = await deliver(address + path, event(community)).catch(() => 'no answer');
        assert.ok(status === 500 || status === 'no answer', `${status}`);
      });
    });
  }

  it('does not affect JSON bodies of other Fastify routes', async (t) => {
    const { place } = await open(t);
    await receive(t, [process.execPath, 'fastify-receiver.mjs'], place, async (address) => {
      const headers = { 'content-type': 'application/json' };
      const other = await fetch(`${address}/other`, { method: 'POST', headers, body: '{ "a": 1 }' });
      assert.deepEqual(await other.json(), { a: 1 });
    });
  });
});
