import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { announceChanges } from '../../src/store/announce.ts';
import { openWebhooks } from '../../src/webhooks/open.ts';
import { addGuild, voteOf } from '../store/fixtures.ts';
import { openFixture } from './fixture.ts';
import { startReceiver } from './receiver.ts';

test('an accepted vote is sent immediately, without waiting for the next poll', async () => {
  const [{ store, clock }, receiver] = [await openFixture(), await startReceiver()];
  const webhooks = openWebhooks({
    store,
    clock,
    random: Math.random,
    secrets: deriveSecrets('a secret of sixteen characters'),
    allowsLoopback: true,
    logger: { error: (details) => assert.fail(JSON.stringify(details)) },
  });
  const announced = announceChanges(store, {
    onVote: () => {},
    onEvents: (guild) => webhooks.wake(guild),
    onAccess: () => {},
  });
  const guildId = await addGuild(store);
  const input = { url: receiver.url, events: ['vote_received'] } as const;
  assert.equal((await webhooks.endpoints.addEndpoint(guildId, input, null)).ok, true);
  // Not started: only the vote itself, and then the replay, can wake it.
  assert.equal((await announced.votes.cast(voteOf(guildId))).kind, 'accepted');
  await receiver.untilReceived(1);
  await webhooks.stop();
  const [record] = await webhooks.endpoints.deliveryLog(guildId, 1);
  assert.equal(record?.state, 'delivered');
});
