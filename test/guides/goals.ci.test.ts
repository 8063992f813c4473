import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateWebhookSecret, signatureHeaders } from '../../src/domain/webhooks/delivery.ts';
import { goalReached, type WebhookEvent } from '../../src/domain/webhooks/event.ts';
import { GUILD } from '../cli/votary.ts';
import { voteOf } from '../store/fixtures.ts';
import { startDiscordChannel } from '../webhooks/discord/discord-channel.ts';
import { addSdk, run, unpackGuide, unpackWithVotary } from './programs.ts';
import { receive } from './receivers.ts';

describe('the guide for goals', () => {
  it('sets a vote party and sends a sample to a channel', async (t) => {
    const channel = await startDiscordChannel();
    const env = { DISCORD_WEBHOOK_URL: channel.url, VOTARY_DISCORD_API: channel.api };
    const place = await unpackWithVotary(t, 'goals', env);
    const { stdout } = await run('sh', ['vote-party.sh', GUILD], place);
    assert.match(stdout, /has a vote party every 50 votes; 0 votes so far\.\nDelivered: status 200/);
    assert.match(channel.messages[0]?.description ?? '', /reached its vote goal/);
  });

  it('starts a party once although its event arrives twice, even after a restart', async (t) => {
    const secret = generateWebhookSecret();
    const place = await unpackGuide(t, 'goals', { VOTARY_WEBHOOK_SECRET: secret, PORT: '0' });
    await addSdk(place.folder);
    const goal = { period: 'party' as const, target: 50 };
    const event = (userId: string) =>
      goalReached({ vote: voteOf(GUILD, { userId, castAt: Date.now() }), ...goal, votes: 50 });
    const [first, second] = [event('200000000000000001'), event('200000000000000002')];
    const deliver = async (address: string, { eventId, body }: WebhookEvent) => {
      const signed = signatureHeaders({ id: eventId, at: Date.now(), body }, [secret]);
      const headers = { 'content-type': 'application/json', ...signed };
      assert.equal((await fetch(address, { method: 'POST', headers, body })).status, 204);
    };
    const receiveAll = (events: WebhookEvent[]) =>
      receive(t, [process.execPath, 'party.mjs'], place, async (address) => {
        for (const sent of events) await deliver(address, sent);
      });
    const printed = [await receiveAll([first, first]), await receiveAll([first, second])];
    assert.deepEqual(
      printed.map((text) => text.match(/Vote party.*/g)),
      [['Vote party number 1, for 50 votes'], ['Vote party number 2, for 50 votes']],
    );
  });
});
