import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRecord } from '../../../src/domain/record.ts';
import { CHANNEL_ID, CHANNEL_TOKEN, startDiscordChannel } from '../../webhooks/discord/discord-channel.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import { startVotifierServer } from '../../webhooks/votifier/votifier-server.ts';
import { assertBadUsage, assertDone, assertFailed, GUILD, type Home, makeHome } from '../votary.ts';

const TOKEN = 'votifier-token-of-the-test';

async function homeWith(variables: Record<string, string>, reachesLoopback = true): Promise<Home> {
  const home = await makeHome(variables, { reachesLoopback });
  assertDone(await home.votary('guild', 'add', GUILD, '--name', 'Northwind'));
  return home;
}

async function add(home: Home, ...args: string[]): Promise<Record<string, unknown>> {
  const document = await home.json('webhook', 'add', GUILD, ...args);
  assert.ok(isRecord(document));
  return document;
}

describe('votary webhook', { concurrency: 4 }, () => {
  it('adds a Discord channel, tests it, and never prints its token', async () => {
    const channel = await startDiscordChannel();
    const home = await homeWith({ VOTARY_DISCORD_API: channel.api });
    const added = await add(home, '--discord', channel.url, '--language', 'fr', '--message', '{user} !');
    const url = `https://discord.com/api/webhooks/${CHANNEL_ID}`;
    const { endpoint_id: endpointId, ...rest } = added;
    assert.deepEqual(rest, {
      guild_id: GUILD,
      kind: 'discord',
      url,
      language: 'fr',
      messages: { vote_received: '{user} !' },
      name: null,
      events: ['vote_received'],
    });
    const id = String(endpointId);
    assertDone(await home.votary('webhook', 'test', GUILD, id, '--type', 'vote_received'));
    assert.equal(channel.messages[0]?.description, 'Votary\\_Test !');
    channel.status = 404;
    assertFailed(
      await home.votary('webhook', 'test', GUILD, id),
      /status 404.*Discord does not know this webhook/,
    );
    const outputs = [
      await home.votary('webhook', 'list', GUILD),
      await home.votary('webhook', 'list', GUILD, '--json'),
      await home.votary('webhook', 'log', GUILD, '--json'),
      await home.votary('webhook', 'log', GUILD),
    ];
    assert.ok(outputs.every(({ stdout }) => !stdout.includes(CHANNEL_TOKEN) && stdout.includes('discord')));
    assertFailed(await home.votary('webhook', 'rotate', GUILD, id), /no signing secret.*--discord/);
  });

  it('adds a receiver in a top.gg format, with a secret from a variable or a new one', async () => {
    const receiver = await startReceiver();
    const home = await homeWith({ TOPGG_SECRET: 'my secret', EMPTY: '' });
    const added = await add(home, receiver.url, '--format', 'topgg-v0', '--secret-env', 'TOPGG_SECRET');
    const { endpoint_id: endpointId, ...rest } = added;
    const expected = { guild_id: GUILD, kind: 'https', format: 'topgg-v0', url: receiver.url, name: null };
    assert.deepEqual(rest, { ...expected, events: ['vote_received'] });
    const id = String(endpointId);
    assertDone(await home.votary('webhook', 'test', GUILD, id));
    assert.equal(receiver.received[0]?.headers.authorization, 'my secret');
    const generated = await add(home, receiver.url, '--format', 'topgg-v1');
    assert.match(String(generated.secret), /^whs_/);
    const { stdout } = await home.votary('webhook', 'list', GUILD);
    assert.match(stdout, /topgg-v0 .*\n.*topgg-v1 /);
    receiver.answer = (_request, response) => response.writeHead(403).end();
    assertFailed(await home.votary('webhook', 'test', GUILD, id), /status 403.*rejected the secret/);
    const rotated = await home.json('webhook', 'rotate', GUILD, String(generated.endpoint_id));
    assert.ok(isRecord(rotated) && rotated.previous_valid_until === null);
    assertDone(await home.votary('webhook', 'edit', GUILD, id, '--secret-env', 'TOPGG_SECRET'));
    for (const [args, problem] of [
      [
        ['webhook', 'edit', GUILD, id, '--token-env', 'TOPGG_SECRET'],
        /--token-env is for endpoints of kind votifier, and this one is in a top.gg format/,
      ],
      [
        ['webhook', 'add', GUILD, receiver.url, '--secret-env', 'TOPGG_SECRET'],
        /--secret-env is for endpoints in a top.gg format/,
      ],
      [
        ['webhook', 'add', GUILD, receiver.url, '--format', 'topgg-v0', '--secret-env', 'EMPTY'],
        /EMPTY is not set or empty/,
      ],
    ] as const)
      assertFailed(await home.votary(...args), problem);
    for (const args of [
      ['--format', 'topgg-v0'],
      ['--discord', 'https://discord.com/', '--format', 'topgg-v0'],
      [receiver.url, '--format', 'topgg'],
    ])
      assertBadUsage(await home.votary('webhook', 'add', GUILD, ...args), /--format|exactly one/);
  });

  it('adds a Minecraft server with a token from a variable', async () => {
    const server = await startVotifierServer({ token: TOKEN });
    const home = await homeWith({ MC_TOKEN: TOKEN, EMPTY: '' });
    const added = await add(
      home,
      '--votifier',
      server.address,
      '--token-env',
      'MC_TOKEN',
      '--service-name',
      'Site',
    );
    assert.deepEqual(
      [added.kind, added.url, added.service_name],
      ['votifier', `votifier://${server.address}`, 'Site'],
    );
    assert.ok(!JSON.stringify(added).includes(TOKEN));
    const id = String(added.endpoint_id);
    const tested = await home.votary('webhook', 'test', GUILD, id);
    assert.match(tested.stdout, /^Delivered: accepted after \d+ ms/);
    assert.deepEqual(
      server.votes.map(({ username, serviceName }) => [username, serviceName]),
      [['Votary_Test', 'Site']],
    );
    assertFailed(await home.votary('webhook', 'rotate', GUILD, id), /no signing secret.*--token-env/);
    assertDone(await home.votary('webhook', 'edit', GUILD, id, '--token-env', 'MC_TOKEN'));
    assertFailed(
      await home.votary('webhook', 'edit', GUILD, id, '--token-env', 'EMPTY'),
      /EMPTY is not set or empty/,
    );
  });

  it('keeps the tokens when the master secret is rotated', async () => {
    const channel = await startDiscordChannel();
    const server = await startVotifierServer({ token: TOKEN });
    const home = await homeWith({ VOTARY_DISCORD_API: channel.api, MC_TOKEN: TOKEN });
    const added = [
      await add(home, '--discord', channel.url),
      await add(home, '--votifier', server.address, '--token-env', 'MC_TOKEN'),
    ];
    assertDone(await home.votary('secret', 'rotate'));
    for (const { endpoint_id: id } of added)
      assertDone(await home.votary('webhook', 'test', GUILD, String(id)));
    assert.deepEqual([channel.messages.length, server.votes.length], [1, 1]);
  });

  it('says what is wrong with a target, without printing it', async () => {
    const home = await homeWith({ MC_TOKEN: 'hunter2', BAD: 'hunter2 with spaces' }, false);
    const channelUrl = `https://discord.com/api/webhooks/${CHANNEL_ID}/${CHANNEL_TOKEN}`;
    const votifier = (address: string, token = 'MC_TOKEN') => ['--votifier', address, '--token-env', token];
    for (const [args, reason] of [
      [[channelUrl], /give it as --discord <url>/],
      [['--discord', `https://example.org/${CHANNEL_TOKEN}`], /not the webhook URL of a Discord channel/],
      [['--discord', channelUrl, '--message', '{nobody}'], /a field other than \{user\}/],
      [votifier('127.0.0.1:8192'), /private or reserved network.*VOTARY_WEBHOOK_ALLOW/],
      [votifier('mc.example.org:25'), /port above 1023/],
      [votifier('not an address'), /not the address of a server/],
      [votifier('8.8.8.8', 'BAD'), /the token is empty, or contains spaces/],
      [[...votifier('8.8.8.8'), '--service-name', 'é'], /the service name must be/],
    ] as const) {
      const outcome = await home.votary('webhook', 'add', GUILD, ...args);
      assertFailed(outcome, reason);
      assert.ok(!outcome.stderr.includes(CHANNEL_TOKEN) && !outcome.stderr.includes('hunter2'));
    }
    assertBadUsage(
      await home.votary('webhook', 'add', GUILD),
      /exactly one of <url>, --discord and --votifier/,
    );
    assertBadUsage(await home.votary('webhook', 'add', GUILD, '--votifier', '8.8.8.8'), /needs --token-env/);
    assertBadUsage(
      await home.votary('webhook', 'add', GUILD, 'https://8.8.8.8/', '--discord', channelUrl),
      /exactly one of/,
    );
  });

  it('rejects options of another kind of endpoint', async () => {
    const home = await homeWith({ MC_TOKEN: TOKEN }, false);
    const channelUrl = `https://discord.com/api/webhooks/${CHANNEL_ID}/${CHANNEL_TOKEN}`;
    for (const [args, flag] of [
      [['https://8.8.8.8/', '--message', 'x'], '--message'],
      [['https://8.8.8.8/', '--token-env', 'MC_TOKEN'], '--token-env'],
      [['--discord', channelUrl, '--service-name', 'Site'], '--service-name'],
      [['--votifier', '8.8.8.8', '--token-env', 'MC_TOKEN', '--language', 'fr'], '--language'],
    ] as const) {
      const outcome = await home.votary('webhook', 'add', GUILD, ...args);
      assertFailed(outcome, new RegExp(`nothing was changed: ${flag} is for endpoints of kind`));
    }
    const { endpoint_id: id } = await add(home, 'https://8.8.8.8/');
    const edit = ['webhook', 'edit', GUILD, String(id)];
    assertFailed(await home.votary(...edit, '--discord', channelUrl), /--discord.*this one is of kind https/);
    assertFailed(await home.votary(...edit, '--message', 'x'), /--message.*this one is of kind https/);
  });

  it('says that a server rejected a vote, not that it did not respond', async () => {
    const server = await startVotifierServer({ token: 'another-token' });
    const home = await homeWith({ MC_TOKEN: TOKEN });
    const { endpoint_id: id } = await add(home, '--votifier', server.address, '--token-env', 'MC_TOKEN');
    const { stderr } = await home.votary('webhook', 'test', GUILD, String(id));
    assert.match(stderr, /not delivered: failed after \d+ ms; the server rejected the token.*; response/);
  });

  it('accepts localhost if one of its addresses is allowed, and sends there', async () => {
    const receiver = await startReceiver();
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    const home = await homeWith({ VOTARY_WEBHOOK_ALLOW: '127.0.0.0/8' }, false);
    const { endpoint_id: endpointId } = await add(home, url);
    assertDone(await home.votary('webhook', 'test', GUILD, String(endpointId)));
    assert.equal(receiver.received.length, 1);
  });

  it('accepts this machine for the demo community, like its server', async () => {
    const receiver = await startReceiver();
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    const demo = '100000000000000001';
    const home = await homeWith({}, false);
    assertDone(await home.votary('guild', 'add', demo));
    const added = await home.json('webhook', 'add', demo, url);
    assertDone(await home.votary('webhook', 'test', demo, String(Object(added).endpoint_id)));
    assert.equal(receiver.received.length, 1);
    assertFailed(await home.votary('webhook', 'add', GUILD, url), /must start with https/);
    const published = await homeWith({ VOTARY_PUBLIC_URL: 'https://votes.example.org' }, false);
    assertDone(await published.votary('guild', 'add', demo));
    assertFailed(await published.votary('webhook', 'add', demo, url), /must start with https/);
  });

  it('names the address that is not allowed, and how to allow it', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const home = await homeWith({ MC_TOKEN: TOKEN }, false);
    const votifier = ['--votifier', '192.168.1.5', '--token-env', 'MC_TOKEN'];
    for (const [args, address] of [
      [[`https://localhost:${port}/hunter2`], '127.0.0.1, ::1'],
      [['https://10.1.2.3/hunter2'], '10.1.2.3'],
      [votifier, '192.168.1.5'],
    ] as const) {
      const { stderr } = await home.votary('webhook', 'add', GUILD, ...args);
      assert.ok(stderr.includes(`network (${address}); to permit`), stderr);
      assert.match(stderr, /VOTARY_WEBHOOK_ALLOW=[\d.]+$/m);
      assert.doesNotMatch(stderr, /hunter2/);
    }
    assertFailed(
      await home.votary('webhook', 'add', GUILD, 'https://169.254.169.254/'),
      /\(169\.254\.169\.254\), which cannot be permitted/,
    );
    // Allowed when it was added, but not for the process that sends.
    const allowing = await makeHome({ VOTARY_DATA_DIR: home.dataDir, VOTARY_WEBHOOK_ALLOW: '127.0.0.1' });
    const { endpoint_id: id } = await add(allowing, `http://localhost:${port}/hunter2`);
    const test = await home.votary('webhook', 'test', GUILD, String(id));
    assertFailed(test, /not delivered: .*\(127\.0\.0\.1, ::1\).*VOTARY_WEBHOOK_ALLOW=127\.0\.0\.1/);
  });

  it('sends to a private network that VOTARY_WEBHOOK_ALLOW lists', async () => {
    const receiver = await startReceiver();
    const home = await homeWith({ VOTARY_WEBHOOK_ALLOW: '127.0.0.1' }, false);
    const { endpoint_id: endpointId } = await add(home, receiver.url);
    assertDone(await home.votary('webhook', 'test', GUILD, String(endpointId)));
    assert.equal(receiver.received.length, 1);
    const other = await homeWith({ VOTARY_WEBHOOK_ALLOW: '10.0.0.0/8' }, false);
    assertFailed(await other.votary('webhook', 'add', GUILD, receiver.url), /VOTARY_WEBHOOK_ALLOW/);
  });
});
