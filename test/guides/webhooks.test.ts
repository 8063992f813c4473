import assert from 'node:assert/strict';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { voteReceived, type WebhookEvent } from '../../src/domain/webhooks/event.ts';
import { generateWebhookSecret, signatureHeaders } from '../../src/domain/webhooks/signature.ts';
import { requirement } from '../support/requirement.ts';
import { addSdk, type Place, ROOT, start, unpackGuide, write } from './programs.ts';
import { firstLine } from './services.ts';

const SECRET = generateWebhookSecret();

async function unpack(t: TestContext): Promise<Place> {
  const place = await unpackGuide(t, 'webhooks', { PORT: '0', VOTARY_WEBHOOK_SECRET: SECRET });
  await write(place.folder, 'package.json', '{ "type": "commonjs" }');
  await addSdk(place.folder);
  await symlink(join(ROOT, 'node_modules/fastify'), join(place.folder, 'node_modules/fastify'), 'junction');
  return place;
}

/** A receiver of the guide while `use` runs; everything that it printed after it was ready. */
async function receive(
  command: string,
  file: string,
  place: Place,
  use: (address: string) => Promise<void>,
): Promise<string> {
  const receiver = start(command, [file], place);
  const exit = once(receiver, 'close');
  try {
    const port = /Listening on (\d+)/.exec(await firstLine(receiver))?.[1];
    const printed = receiver.stdout?.setEncoding('utf8').toArray();
    await use(`http://127.0.0.1:${port}`);
    receiver.kill();
    await exit;
    return (await printed)?.join('') ?? '';
  } finally {
    receiver.kill('SIGKILL');
  }
}

function event(): WebhookEvent {
  const vote = { guildId: '1', userId: '2', castAt: Date.now(), externalId: 'Steve_42', isDoubled: false };
  return voteReceived(vote, 1);
}

async function deliver(url: string, { eventId, body }: WebhookEvent, secrets = [SECRET]): Promise<number> {
  const signed = signatureHeaders({ id: eventId, at: Date.now(), body }, secrets);
  const headers = { 'content-type': 'application/json', ...signed };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

for (const [name, command, file, skip] of [
  ['Node', process.execPath, 'receiver.mjs', false],
  ['Python', 'python3', 'receiver.py', requirement('python')],
] as const) {
  describe(`the webhooks guide for ${name}`, { skip }, () => {
    it('takes a vote once, also after a restart and with either secret, and a forged one not at all', async (t) => {
      const place = await unpack(t);
      const vote = event();
      const first = await receive(command, file, place, async (address) => {
        assert.equal(await deliver(address, vote, [generateWebhookSecret()]), 401);
        assert.equal(await deliver(address, vote), 204);
        assert.equal(await deliver(address, vote, [generateWebhookSecret(), SECRET]), 204);
      });
      assert.equal(first, 'A reward for Steve_42\n');
      const second = await receive(command, file, place, async (address) => {
        assert.equal(await deliver(address, vote), 204);
      });
      assert.equal(second, '');
    });
  });
}

describe('the webhooks guide for Fastify', () => {
  it('takes a vote on its route, and leaves JSON to the other routes', async (t) => {
    const printed = await receive(
      process.execPath,
      'fastify-receiver.mjs',
      await unpack(t),
      async (address) => {
        assert.equal(await deliver(`${address}/votes`, event(), [generateWebhookSecret()]), 401);
        assert.equal(await deliver(`${address}/votes`, event()), 204);
        const headers = { 'content-type': 'application/json' };
        const other = await fetch(`${address}/other`, { method: 'POST', headers, body: '{ "a": 1 }' });
        assert.deepEqual(await other.json(), { a: 1 });
      },
    );
    assert.equal(printed, 'A reward for Steve_42\n');
  });
});
