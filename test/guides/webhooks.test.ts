import assert from 'node:assert/strict';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { generateWebhookSecret, signatureHeaders } from '../../src/domain/webhooks/delivery.ts';
import { voteReceived, type WebhookEvent } from '../../src/domain/webhooks/event.ts';
import { type Community, startLive } from '../clients/live.ts';
import { requirement } from '../support/requirement.ts';
import { addSdk, filesOf, type Place, ROOT, start, unpackGuide, write } from './programs.ts';
import { environment, watch } from './services.ts';

const SECRET = generateWebhookSecret();
const NAME = 'Steve_42';
const USER = '200000000000000001';

/** The receivers, with the files of the other guides that they use. */
async function unpack(t: TestContext, env: Record<string, string>): Promise<Place> {
  const place = await unpackGuide(t, 'webhooks', { ...env, PORT: '0', VOTARY_WEBHOOK_SECRET: SECRET });
  const { folder } = place;
  for (const guide of ['discord-bot-node', 'python', 'php-cms']) {
    for (const { name, text } of await filesOf(guide)) {
      if (name.startsWith('rewards.')) await write(folder, name, text);
    }
  }
  await write(folder, 'package.json', '{ "type": "commonjs" }');
  await addSdk(folder);
  await symlink(join(ROOT, 'node_modules/fastify'), join(folder, 'node_modules/fastify'), 'junction');
  await copyFile(join(ROOT, 'clients/python/votary.py'), join(folder, 'votary.py'));
  await copyFile(join(ROOT, 'clients/php/Votary.php'), join(folder, 'Votary.php'));
  await mkdir(join(folder, 'accounts'));
  return { folder, env: { ...place.env, ACCOUNTS_DIR: join(folder, 'accounts') } };
}

/** Runs a receiver of the guide during `use`; returns everything that it printed. */
async function receive(
  t: TestContext,
  command: string[],
  place: Place,
  use: (address: string) => Promise<void>,
): Promise<string> {
  const [program = '', ...args] = command;
  const receiver = watch(t, start(program, args, place));
  const ready = /(?:Listening on |127\.0\.0\.1:)(\d+)\D/;
  await receiver.until(ready);
  const port = ready.exec(receiver.printed())?.[1];
  await use(`http://127.0.0.1:${port}`);
  await receiver.kill();
  return receiver.printed();
}

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
    return { community, place: await unpack(t, environment(live.url, community.key, live.certificate)) };
  }

  const php = ['php', '-d', `curl.cainfo=${live.certificate}`, '-S', '127.0.0.1:0'];
  const receivers: [name: string, command: string[], path: string, reward: RegExp, skip: string | false][] = [
    ['Node', [process.execPath, 'receiver.mjs'], '', /was rewarded for 1 votes/g, false],
    ['Fastify', [process.execPath, 'fastify-receiver.mjs'], '/votes', /was rewarded for 1 votes/g, false],
    ['Python', ['python3', 'receiver.py'], '', /10 coins for 200000000000000001/g, requirement('python')],
    ['PHP', php, '/webhook.php', /Steve_42 was rewarded for 1 votes/g, requirement('php')],
  ];
  for (const [name, command, path, reward, skip] of receivers) {
    it(`rewards a vote once with ${name}, even after a restart, and rejects forged ones`, {
      skip,
    }, async (t) => {
      const { community, place } = await open(t);
      await community.cast({ externalId: NAME });
      const vote = event(community);
      const first = await receive(t, command, place, async (address) => {
        assert.equal(await deliver(address + path, vote, [generateWebhookSecret()]), 401);
        assert.deepEqual(await community.claims(NAME), { claimable: 1, claimed: 0 });
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
      assert.deepEqual(await community.claims(NAME), { claimable: 0, claimed: 1 });
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
