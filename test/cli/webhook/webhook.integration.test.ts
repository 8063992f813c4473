import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { answerWith, startReceiver } from '../../webhooks/receiver.ts';
import {
  assertBadUsage,
  assertDone,
  assertFailed,
  GUILD,
  type Home,
  makeHome,
  makeHomeWithGuild,
} from '../votary.ts';

type Added = { endpoint_id: string; url: string; events: string[]; secret: string };

async function add(home: Home, ...args: string[]): Promise<Added> {
  const document = await home.json('webhook', 'add', GUILD, ...args);
  assert.ok(isAdded(document));
  return document;
}

function isAdded(value: unknown): value is Added {
  return typeof value === 'object' && value !== null && 'endpoint_id' in value && 'secret' in value;
}

describe('votary webhook', { concurrency: 4 }, () => {
  it('adds an endpoint with a secret, lists it without the secret, and removes it', async () => {
    const home = await makeHomeWithGuild();
    const url = 'https://8.8.8.8/hook';
    const added = await add(home, url, '--events', 'vote_received,vote_available');
    assert.match(added.secret, /^whsec_/);
    const expected = {
      guild_id: GUILD,
      kind: 'https',
      name: null,
      url,
      events: ['vote_received', 'vote_available'],
    };
    assert.deepEqual(added, { ...expected, endpoint_id: added.endpoint_id, secret: added.secret });
    const listed = await home.votary('webhook', 'list', GUILD, '--json');
    assert.ok(listed.stdout.includes(added.endpoint_id) && !listed.stdout.includes('whsec_'));
    assertDone(await home.votary('webhook', 'remove', GUILD, added.endpoint_id));
    assert.deepEqual(await home.json('webhook', 'list', GUILD), []);
    assertFailed(
      await home.votary('webhook', 'remove', GUILD, added.endpoint_id),
      /has no endpoint ep_.*webhook list/,
    );
  });

  it('tests an endpoint and shows the response; a failure exits with 1', async () => {
    const [home, receiver] = [await makeHomeWithGuild({ reachesLoopback: true }), await startReceiver()];
    const { endpoint_id, secret } = await add(home, receiver.url);
    const tested = await home.votary('webhook', 'test', GUILD, endpoint_id);
    assertDone(tested);
    assert.match(tested.stdout, /^Delivered: status 200 after \d+ ms; response "thank you"\n$/);
    const { body, headers } = receiver.received[0] ?? assert.fail();
    assert.doesNotThrow(() => new Webhook(secret).verify(body, headers));
    receiver.answer = answerWith(500);
    assertFailed(
      await home.votary('webhook', 'test', GUILD, endpoint_id),
      /not delivered: status 500 after \d+ ms/,
    );
    const asJson = await home.votary('webhook', 'test', GUILD, endpoint_id, '--json');
    assert.equal(asJson.code, 1);
    const { delivered, status } = JSON.parse(asJson.stdout);
    assert.deepEqual({ delivered, status }, { delivered: false, status: 500 });
    const log = await home.json('webhook', 'log', GUILD);
    assert.ok(Array.isArray(log));
    assert.deepEqual(
      log.map(({ state }) => state),
      ['failed', 'failed', 'delivered'],
    );
  });

  it('sends no test for a sanctioned guild', async () => {
    const [home, receiver] = [await makeHomeWithGuild({ reachesLoopback: true }), await startReceiver()];
    const { endpoint_id } = await add(home, receiver.url);
    assertDone(await home.votary('sanction', 'add', GUILD));
    assertFailed(
      await home.votary('webhook', 'test', GUILD, endpoint_id),
      /no test was sent: nothing is sent while the guild is sanctioned/,
    );
    assert.equal(receiver.received.length, 0);
  });

  it('shows the duration and response of each attempt, for all events or one', async () => {
    const [home, receiver] = [await makeHomeWithGuild({ reachesLoopback: true }), await startReceiver()];
    receiver.answer = (_request, response) => response.end(`\u001b[2J\u009b2J${'x'.repeat(500)}`);
    const { endpoint_id } = await add(home, receiver.url);
    assertDone(await home.votary('webhook', 'test', GUILD, endpoint_id));
    const { stdout } = await home.votary('webhook', 'log', GUILD);
    const result = /status 200 after \d+ ms; response "\\u001b\[2J\ufffd2Jx{73}"…\n$/;
    assert.match(stdout, result);
    const event = /evt_[0-9a-f]+/.exec(stdout)?.[0] ?? assert.fail();
    const tries = await home.votary('webhook', 'log', GUILD, '--event', event);
    assert.match(tries.stdout, /^TIME +ENDPOINT +RESULT\n/);
    assert.match(tries.stdout, result);
    assertFailed(
      await home.votary('webhook', 'log', GUILD, '--event', 'evt_0'),
      /no attempt for evt_0 in the log/,
    );
  });

  it('rotates the secret, enables, and replays', async () => {
    const [home, receiver] = [await makeHomeWithGuild({ reachesLoopback: true }), await startReceiver()];
    const { endpoint_id, secret } = await add(home, receiver.url);
    const rotated = await home.votary('webhook', 'rotate', GUILD, endpoint_id);
    assert.match(rotated.stdout, /^whsec_\S+\n$/);
    assert.notEqual(rotated.stdout.trim(), secret);
    assertDone(await home.votary('webhook', 'enable', GUILD, endpoint_id));
    assert.deepEqual(await home.json('webhook', 'replay', GUILD, '--since', '2026-01-01'), { replayed: 0 });
    assertFailed(
      await home.votary('webhook', 'replay', GUILD, '--event', 'evt_0'),
      /evt_0 was not resent: it does not exist/,
    );
    assertFailed(
      await home.votary('webhook', 'replay', GUILD, '--since', '2026-01-01', '--endpoint', 'ep_0'),
      /has no endpoint ep_0.*webhook list/,
    );
    assertBadUsage(await home.votary('webhook', 'replay', GUILD), /either --event or --since/);
  });

  it('rejects URLs that are not public https with a message that does not contain them', async () => {
    const home = await makeHomeWithGuild();
    const refused = {
      'http://127.0.0.1:1029/hunter2': /must start with https/,
      'https://127.0.0.1/hunter2': /private or reserved network/,
      'https://me:hunter2@example.org/': /user name or a password/,
      'https://example.org:22/hunter2': /port 443 or a port above 1023/,
    };
    for (const [url, reason] of Object.entries(refused)) {
      const outcome = await home.votary('webhook', 'add', GUILD, url);
      assertFailed(outcome, reason);
      assert.ok(!outcome.stderr.includes('hunter2'));
    }
    const wrong = await home.votary('webhook', 'add', GUILD, 'https://8.8.8.8/', '--events', 'vote_counted');
    assertBadUsage(
      wrong,
      /"vote_counted" is not one of vote_received, vote_available, reward_granted, vote_voided, goal_reached/,
    );
  });

  it('fails for an unknown guild', async () => {
    const home = await makeHome();
    assertFailed(await home.votary('webhook', 'add', GUILD, 'https://8.8.8.8/'), /is not listed/);
  });
});
