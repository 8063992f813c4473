import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requirement } from '../support/requirement.ts';
import { startClocked } from './clocked.ts';
import { receive, unpackReceivers } from './receivers.ts';

const VOTES = 40;
const RATE_LIMIT = 30;
const MINUTE_MS = 60_000;

describe('40 votes within 6 seconds', async () => {
  const service = await startClocked();
  const { clock, store, worker } = service;
  const php = ['php', '-d', `curl.cainfo=${service.certificate}`, '-S', '127.0.0.1:0'];
  const receivers: [name: string, command: string[], path: string, reward: RegExp, skip: string | false][] = [
    ['Node', [process.execPath, 'receiver.mjs'], '', /was rewarded for 1 votes/g, false],
    ['Fastify', [process.execPath, 'fastify-receiver.mjs'], '/votes', /was rewarded for 1 votes/g, false],
    ['Python', ['python3', 'receiver.py'], '', /10 coins for /g, requirement('python')],
    ['PHP', php, '/webhook.php', /was rewarded for 1 votes/g, requirement('php')],
  ];
  for (const [name, command, path, reward, skip] of receivers) {
    it(`are all rewarded as soon as the rate limit allows it with ${name}`, { skip }, async (t) => {
      const { guildId, endpoint, secret } = await service.addEndpoint('http://127.0.0.1:9999/');
      const env = { ...(await service.environmentOf(guildId)), VOTARY_WEBHOOK_SECRET: secret };
      const claimsBefore = service.sent().length;
      const log = await receive(t, command, await unpackReceivers(t, env), async (address) => {
        const settings = { ...endpoint, url: address + path };
        await store.webhooks.updateEndpoint(guildId, endpoint.endpointId, settings);
        for (let vote = 0; vote < VOTES; vote += 1) {
          await castAs(`Player_${vote}`, guildId);
          clock.advance(150);
          await worker.runDue();
        }
        assert.equal(await rewarded(guildId), RATE_LIMIT);
        clock.advance(MINUTE_MS);
        await worker.runDue();
        assert.equal(await rewarded(guildId), VOTES);
      });
      assert.equal(log.match(reward)?.length, VOTES, log);
      // One claim per vote, and few that were refused.
      const requests = service.sent().length - claimsBefore;
      assert.ok(requests <= VOTES + 4, `${requests} requests`);
    });
  }

  let voters = 0;

  async function castAs(externalId: string, guildId: string): Promise<void> {
    voters += 1;
    const userId = String(400_000_000_000_000_000n + BigInt(voters));
    const vote = { guildId, userId, castAt: clock(), externalId, isDoubled: false };
    assert.equal((await store.votes.cast(vote)).kind, 'accepted');
  }

  async function rewarded(guildId: string): Promise<number> {
    const log = await service.log(guildId);
    return log.filter(({ state }) => state === 'delivered').length;
  }
});
