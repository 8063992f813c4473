import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openStore } from '../../src/store/open.ts';
import { assertDone, GUILD, makeHome } from '../cli/votary.ts';
import { USER } from '../store/fixtures.ts';
import { serve } from '../support/serve.ts';
import { startReceiver } from '../webhooks/receiver.ts';

test('a running server sends what other programs queue: a vote, and a replay from the command line', async () => {
  const home = await makeHome({ VOTARY_PORT: '0', VOTARY_LOG_LEVEL: 'info' }, { reachesLoopback: true });
  assertDone(await home.votary('guild', 'add', GUILD));
  const receiver = await startReceiver();
  const served = await serve(home, '--demo');
  await home.json('webhook', 'add', GUILD, receiver.url);
  const store = await openStore({ kind: 'sqlite', path: join(home.dataDir, 'votary.db') });
  const vote = { guildId: GUILD, userId: USER, castAt: Date.now(), externalId: 'Steve', isDoubled: false };
  assert.equal((await store.votes.cast(vote)).kind, 'accepted');
  await receiver.untilReceived(1);
  // The response has been sent; the server records it a moment later.
  while ((await store.webhooks.deliveries(GUILD, Date.now(), 1))[0]?.state !== 'delivered') await nextTurn();
  await store.close();
  const eventId = receiver.received[0]?.headers['webhook-id'] ?? '';
  assert.equal(JSON.parse(receiver.received[0]?.body ?? '').data.external_id, 'Steve');
  assert.deepEqual(await home.json('webhook', 'replay', GUILD, '--event', eventId), { replayed: 1 });
  await receiver.untilReceived(2);
  assert.equal(receiver.received[1]?.headers['webhook-id'], eventId);
  assert.equal(await served.stop(), 0);
});
