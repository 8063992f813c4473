/** Receivers of programs that were written for top.gg, with the packages they use. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';
import { Webhook, type WebhookPayload } from '@top-gg/sdk';
import express from 'express';
import { watch } from '../../guides/services.ts';
import { addGuild } from '../../store/fixtures.ts';
import { freePort } from '../../support/free-port.ts';
import { type Fixture, openFixture } from '../fixture.ts';
import { portOf } from '../receiver.ts';
import { resultOf, vote } from './open-receiver.ts';

async function addReceiver({ store, endpoints }: Fixture, url: string, secret: string) {
  const guildId = await addGuild(store);
  const input = { kind: 'topgg', format: 'topgg-v0', url, secret, events: ['vote_received'] } as const;
  const added = await endpoints.addEndpoint(guildId, input, null);
  assert.ok(added.ok);
  return { guildId, endpointId: added.endpoint.endpointId };
}

describe('@top-gg/sdk 3', () => {
  test('receives a vote and a test, and rejects another secret', async (t) => {
    const received: WebhookPayload[] = [];
    const webhook = new Webhook('the secret');
    const app = express();
    app.post(
      '/dblwebhook',
      webhook.listener((payload) => void received.push(payload)),
    );
    const server = createServer(app).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${portOf(server)}/dblwebhook`;
    const fixture = await openFixture();
    const { guildId, endpointId } = await addReceiver(fixture, url, 'the secret');
    const { userId } = await vote(fixture, guildId, { externalId: 'Steve & Co' });
    await fixture.worker.runDue();
    await fixture.endpoints.sendTest(guildId, endpointId);
    assert.deepEqual(received, [
      { guild: guildId, user: userId, type: 'upvote', query: { external_id: 'Steve & Co' } },
      { guild: guildId, user: '200000000000000001', type: 'test', query: { external_id: 'Votary_Test' } },
    ]);
    const other = await addReceiver(fixture, url, 'another secret');
    await vote(fixture, other.guildId);
    await fixture.worker.runDue();
    const expected = { state: 'failed', attempts: 1, error: 'TOPGG_SECRET_REJECTED' };
    assert.deepEqual(await resultOf(fixture, other.guildId), expected);
    assert.equal(received.length, 2);
  });
});

/** It has no way to stop its server, so it runs in a process of its own. */
const TOPGG_VOTES = `
  const { VoteClient, VoteClientEvents } = require('topgg-votes');
  const webhook = { port: Number(process.env.PORT), authorization: 'the secret' };
  new VoteClient({ webhook }).on(VoteClientEvents.ServerVote, (vote) => console.log(JSON.stringify(vote)));`;

describe('topgg-votes', () => {
  test('receives a vote for a server', async (t) => {
    const port = await freePort();
    const client = spawn(process.execPath, ['-e', TOPGG_VOTES], {
      env: { ...process.env, PORT: String(port) },
    });
    const output = watch(t, client);
    await output.until('running on port');
    const fixture = await openFixture();
    const { guildId } = await addReceiver(fixture, `http://127.0.0.1:${port}/dblwebhook`, 'the secret');
    const { userId } = await vote(fixture, guildId);
    await fixture.worker.runDue();
    await output.until(JSON.stringify({ userId, guildId, type: 'upvote' }));
    assert.equal((await resultOf(fixture, guildId)).state, 'delivered');
  });
});
