import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startReceiver } from '../../webhooks/receiver.ts';
import { assertBadUsage, assertDone, assertFailed, GUILD, type Home, makeHomeWithGuild } from '../votary.ts';

const URL_A = 'https://8.8.8.8/hook';

type Document = Record<string, unknown> & { endpoint_id: string; secret: string };

async function add(home: Home, ...args: string[]): Promise<Document> {
  const document = await home.json('webhook', 'add', GUILD, ...args);
  assert.ok(isDocument(document));
  return document;
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && 'endpoint_id' in value;
}

async function listed(home: Home): Promise<Document> {
  const list = await home.json('webhook', 'list', GUILD);
  assert.ok(Array.isArray(list) && list.length === 1 && isDocument(list[0]));
  return list[0];
}

describe('votary webhook edit', { concurrency: 4 }, () => {
  it('changes the given settings, and keeps the others and the secret', async () => {
    const home = await makeHomeWithGuild();
    const { endpoint_id, name } = await add(home, URL_A, '--name', 'Main bot');
    assert.equal(name, 'Main bot');
    const before = await listed(home);
    assert.deepEqual([before.name, before.paused], ['Main bot', false]);
    const edited = await home.json('webhook', 'edit', GUILD, endpoint_id, '--url', 'https://8.8.4.4/new');
    const expected = {
      guild_id: GUILD,
      endpoint_id,
      kind: 'https',
      name: 'Main bot',
      url: 'https://8.8.4.4/new',
    };
    assert.deepEqual(edited, { ...expected, events: ['vote_received'] });
    assert.deepEqual(await listed(home), { ...before, url: 'https://8.8.4.4/new' });
    assertDone(
      await home.votary(
        'webhook',
        'edit',
        GUILD,
        endpoint_id,
        '--name',
        ' \u200b',
        '--events',
        'vote_available',
      ),
    );
    const after = await listed(home);
    assert.deepEqual([after.name, after.events], [null, ['vote_available']]);
  });

  it('shows names in the list', async () => {
    const home = await makeHomeWithGuild();
    await add(home, URL_A, '--name', 'Main bot');
    await add(home, 'https://8.8.4.4/');
    const { stdout } = await home.votary('webhook', 'list', GUILD);
    assert.match(stdout, /^ENDPOINT +KIND +NAME +URL +EVENTS +STATE\n/);
    assert.match(stdout, /ep_\w+ +https +Main bot +https:\/\/8\.8\.8\.8\/hook/);
    assert.match(stdout, /ep_\w+ +https +- +https:\/\/8\.8\.4\.4\//);
  });

  it('rejects the same values as add, and unknown endpoints', async () => {
    const home = await makeHomeWithGuild();
    const { endpoint_id } = await add(home, URL_A);
    const edit = (...args: string[]) => home.votary('webhook', 'edit', GUILD, ...args);
    assertFailed(await edit(endpoint_id, '--url', 'https://10.0.0.1/hunter2'), /private or reserved network/);
    assertBadUsage(await edit(endpoint_id, '--name', 'x'.repeat(61)), /at most 60 characters/);
    assertBadUsage(await edit(endpoint_id, '--name', 'a\u0007b'), /without control characters/);
    assertBadUsage(await edit(endpoint_id), /give at least one option, for example --url, --name/);
    assertFailed(await edit('ep_0', '--name', 'X'), /has no endpoint ep_0/);
    assert.equal((await listed(home)).url, URL_A);
  });
});

describe('votary webhook pause and resume', () => {
  it('can be repeated', async () => {
    const home = await makeHomeWithGuild();
    const { endpoint_id } = await add(home, URL_A);
    for (const [command, paused] of [
      ['pause', true],
      ['pause', true],
      ['resume', false],
      ['resume', false],
    ] as const) {
      const document = await home.json('webhook', command, GUILD, endpoint_id);
      assert.deepEqual(document, { guild_id: GUILD, endpoint_id, paused });
      assert.equal((await listed(home)).paused, paused);
      const { stdout } = await home.votary('webhook', 'list', GUILD);
      assert.match(stdout, paused ? /paused since 20\d\d-/ : /vote_received +active\n/);
    }
    assertFailed(await home.votary('webhook', 'pause', GUILD, 'ep_0'), /has no endpoint ep_0/);
    assertFailed(await home.votary('webhook', 'resume', GUILD, 'ep_0'), /has no endpoint ep_0/);
  });
});

describe('votary webhook rotate', () => {
  it('keeps the old secret valid for a day, and warns when a second rotation ends the first', async () => {
    const home = await makeHomeWithGuild();
    const { endpoint_id } = await add(home, URL_A);
    const first = await home.votary('webhook', 'rotate', GUILD, endpoint_id);
    assert.match(first.stdout, /^whsec_\S+\n$/);
    assert.equal(first.stderr, '');
    const second = await home.votary('webhook', 'rotate', GUILD, endpoint_id);
    assert.match(second.stdout, /^whsec_\S+\n$/);
    assert.match(
      second.stderr,
      /^note: the secret from before the last rotation has stopped working; .* until 20\d\d-/,
    );
    const third = await home.json('webhook', 'rotate', GUILD, endpoint_id);
    assert.ok(isDocument(third));
    for (const key of ['previous_valid_until', 'dropped_valid_until'])
      assert.match(String(third[key]), /^20\d\d-.*Z$/);
  });

  it('invalidates the old secret immediately with --now', async () => {
    const [home, receiver] = [await makeHomeWithGuild({ reachesLoopback: true }), await startReceiver()];
    const { endpoint_id, secret } = await add(home, receiver.url);
    const rotated = await home.json('webhook', 'rotate', GUILD, endpoint_id, '--now');
    assert.ok(isDocument(rotated));
    assert.equal(rotated.previous_valid_until, null);
    assertDone(await home.votary('webhook', 'test', GUILD, endpoint_id));
    const { body, headers } = receiver.received[0] ?? assert.fail();
    assert.doesNotThrow(() => new Webhook(rotated.secret).verify(body, headers));
    assert.throws(() => new Webhook(secret).verify(body, headers));
  });
});

describe('votary webhook test --type', () => {
  it('sends a sample of the event, marked as a test', async () => {
    const [home, receiver] = [await makeHomeWithGuild({ reachesLoopback: true }), await startReceiver()];
    const { endpoint_id } = await add(home, receiver.url);
    for (const type of ['vote_received', 'vote_available', 'webhook_test'])
      assertDone(await home.votary('webhook', 'test', GUILD, endpoint_id, '--type', type));
    assertDone(await home.votary('webhook', 'test', GUILD, endpoint_id));
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    assert.deepEqual(
      bodies.map(({ type, data }) => [type, data.test]),
      [
        ['vote_received', true],
        ['vote_available', true],
        ['webhook_test', undefined],
        ['webhook_test', undefined],
      ],
    );
    const log = await home.json('webhook', 'log', GUILD);
    assert.ok(Array.isArray(log) && log.every(({ test }) => test === true));
    assert.match((await home.votary('webhook', 'log', GUILD)).stdout, /vote_received \(test\)/);
    const wrong = await home.votary('webhook', 'test', GUILD, endpoint_id, '--type', 'vote_counted');
    assertBadUsage(
      wrong,
      /Allowed choices are webhook_test, vote_received, vote_available, reward_granted, vote_voided, goal_reached/,
    );
  });
});
