import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { GUIDES } from '../../src/api/openapi/introduction.ts';
import { DAY_MS, formatInstant } from '../../src/domain/clock.ts';
import { voteReceived, type WebhookEvent } from '../../src/domain/webhook-event.ts';
import { generateWebhookSecret, signatureHeaders } from '../../src/domain/webhook-signature.ts';
import { assertDone, makeHome } from '../cli/votary.ts';
import { isAtHand, type Place, run, start, unpackGuide, write } from './guide-programs.ts';

type Demo = { url: string; key: string; user: string; name: string; certificate: string };

let service: ChildProcess;
let demo: Demo;
const NODE = process.execPath;
/** The guides whose programs ran on this machine. */
const ran = new Set<string>();

before(async () => {
  const home = await makeHome({ VOTARY_PORT: '0' });
  service = home.start('serve', '--demo', '--json');
  const document = JSON.parse(await firstLine(service));
  demo = {
    url: document.url,
    key: document.demo.key,
    user: document.demo.user_id,
    name: document.demo.external_id,
    certificate: join(home.dataDir, 'tls/cert.pem'),
  };
});
after(async () => {
  const exit = once(service, 'exit');
  service.kill();
  await exit;
});

async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout);
  let printed = '';
  for await (const [chunk] of on(child.stdout, 'data', { close: ['end'] })) {
    printed += chunk;
    if (printed.includes('\n')) return printed;
  }
  throw new Error(`ended after printing: ${printed}`);
}

/** A guide's folder and what its programs read from the environment, the demo's certificate included. */
async function open(t: TestContext, guide: string, key = demo.key): Promise<Place> {
  const env = {
    VOTARY_URL: demo.url,
    VOTARY_API_KEY: key,
    CURL_CA_BUNDLE: demo.certificate,
    NODE_EXTRA_CA_CERTS: demo.certificate,
    SSL_CERT_FILE: demo.certificate,
  };
  const folder = await unpackGuide(t, guide);
  ran.add(guide);
  return { folder, env };
}

test('the curl guide: one call, a check in a script, all pages of a list', async (t) => {
  if (!isAtHand(t, 'curl')) return;
  const place = await open(t, 'curl');
  for (const script of ['one-call.sh', 'by-name.sh']) {
    const answer = await run('sh', [script], place);
    assertDone(answer);
    assert.equal(JSON.parse(answer.stdout).has_voted, true);
  }
  assert.deepEqual(await run('sh', ['check-vote.sh', demo.name], place), {
    code: 0,
    stdout: `${demo.name} has voted\n`,
    stderr: '',
  });
  assert.equal((await run('sh', ['check-vote.sh', 'Élodie & Co'], place)).code, 1);
  const period = [formatInstant(Date.now() - 30 * DAY_MS), formatInstant(Date.now())];
  const listed = await run('sh', ['all-votes.sh', ...period], place);
  assertDone(listed);
  const pages = listed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(pages.length > 1);
  assert.equal(pages.flatMap(({ votes }) => votes).length, pages[0].total);
});

test('the curl guide: a wrong key is told, with exit code 2', async (t) => {
  if (!isAtHand(t, 'curl')) return;
  const { code, stderr } = await run('sh', ['check-vote.sh', demo.name], await open(t, 'curl', 'wrong'));
  assert.equal(code, 2);
  assert.match(stderr, /INVALID_API_TOKEN/);
});

/** Stands for Discord, which is not ours to call: it hands the bot one command and prints what it replies. */
const DISCORD = `
import { EventEmitter } from 'node:events';
export const Events = { ClientReady: 'ready', InteractionCreate: 'interaction' };
export const GatewayIntentBits = { Guilds: 1 };
export const MessageFlags = { Ephemeral: 64 };
export class Client extends EventEmitter {
  application = { commands: { set: async (commands) => console.log('commands', commands[0].name) } };
  async login() {
    this.emit('ready');
    for (const id of process.env.ASKING.split(',')) await new Promise((resolve) => this.emit('interaction', {
      isChatInputCommand: () => true, commandName: 'reward', user: { id },
      deferReply: async () => {}, editReply: async (text) => resolve(console.log(text)),
    }));
  }
}`;

test('the Discord guide: a vote is rewarded once, and others get the link', async (t) => {
  const { folder, env } = await open(t, 'discord-bot-node');
  await write(
    folder,
    'node_modules/discord.js/package.json',
    '{ "type": "module", "exports": "./index.js" }',
  );
  await write(folder, 'node_modules/discord.js/index.js', DISCORD);
  const stranger = '299999999999999999';
  const asking = [demo.user, demo.user, stranger].join(',');
  const answer = await run(NODE, ['bot.js'], { folder, env: { ...env, ASKING: asking } });
  assert.deepEqual({ code: answer.code, stderr: answer.stderr }, { code: 0, stderr: '' });
  assert.match(
    answer.stdout,
    /^commands reward\n.+ for 2\d+\nThank you .+\nYou have your reward already.+\nYou have not voted .+\/vote\n$/,
  );
});

test('the Discord guide: a user is told when the check fails', async (t) => {
  const { folder, env } = await open(t, 'discord-bot-node', 'wrong');
  await write(
    folder,
    'node_modules/discord.js/package.json',
    '{ "type": "module", "exports": "./index.js" }',
  );
  await write(folder, 'node_modules/discord.js/index.js', DISCORD);
  const answer = await run(NODE, ['bot.js'], { folder, env: { ...env, ASKING: demo.user } });
  assert.match(answer.stderr, /^INVALID_API_TOKEN/);
  assert.match(answer.stdout, /I could not check your vote/);
});

test('the Python guide', async (t) => {
  if (!isAtHand(t, 'python3')) return;
  const place = await open(t, 'python');
  const voted = await run('python3', ['votary.py', demo.name], place);
  assert.match(voted.stdout, /^Steve_42 has voted, and can again in \d+ seconds\n$/);
  assert.match(
    (await run('python3', ['votary.py', 'Nobody'], place)).stdout,
    /^Nobody has not voted: https:/,
  );
  const period = [formatInstant(Date.now() - 30 * DAY_MS), formatInstant(Date.now())];
  const listed = await run('python3', ['list_votes.py', ...period], place);
  assertDone(listed);
  assert.ok(listed.stdout.split('\n').length > 50);
  const refused = await run('python3', ['votary.py', demo.name], await open(t, 'python', 'wrong'));
  assert.match(refused.stderr, /^INVALID_API_TOKEN: /);
});

test('the Java guide', async (t) => {
  if (!isAtHand(t, 'java', '-version') || !isAtHand(t, 'keytool', '-help')) return;
  const place = await open(t, 'java-game-server');
  const trust = ['-importcert', '-noprompt', '-alias', 'votary', '-file', demo.certificate];
  const store = ['-keystore', 'demo.p12', '-storepass', 'changeit'];
  assert.equal((await run('keytool', [...trust, ...store], place)).code, 0);
  const options = ['-Djavax.net.ssl.trustStore=demo.p12', '-Djavax.net.ssl.trustStorePassword=changeit'];
  const voted = await run('java', [...options, 'VoteCheck.java', demo.name], place);
  assert.deepEqual(voted, { code: 0, stdout: 'Steve_42 has voted\n', stderr: '' });
  const wrong = { folder: place.folder, env: { ...place.env, VOTARY_API_KEY: 'wrong' } };
  const refused = await run('java', [...options, 'VoteCheck.java', demo.name], wrong);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /status 401: This API key opens no community/);
});

test('the PHP guide', async (t) => {
  if (!isAtHand(t, 'php')) return;
  const place = await open(t, 'php-cms');
  assert.match((await run('php', ['claim.php', demo.name], place)).stdout, /^Thank you, Steve_42!/);
  assert.match((await run('php', ['claim.php', 'Nobody'], place)).stdout, /^You have not voted/);
});

for (const [name, command, file] of [
  ['Node', NODE, 'receiver.js'],
  ['Python', 'python3', 'receiver.py'],
] as const) {
  test(`the webhooks guide (${name}): a vote is taken once, and a forged one not at all`, async (t) => {
    if (!isAtHand(t, command)) return;
    const { folder, env } = await open(t, 'webhooks');
    const secret = generateWebhookSecret();
    const receiver = start(command, [file], {
      folder,
      env: { ...env, PORT: '0', VOTARY_WEBHOOK_SECRET: secret },
    });
    t.after(() => receiver.kill());
    const port = /Listening on (\d+)/.exec(await firstLine(receiver))?.[1];
    let printed = '';
    receiver.stdout?.on('data', (chunk) => {
      printed += chunk;
    });
    const event = voteReceived(
      { guildId: '1', userId: demo.user, castAt: Date.now(), externalId: 'Steve_42', isDoubled: false },
      1,
    );
    assert.equal(await deliver(`http://127.0.0.1:${port}`, event, generateWebhookSecret()), 401);
    assert.equal(await deliver(`http://127.0.0.1:${port}`, event, secret), 204);
    assert.equal(await deliver(`http://127.0.0.1:${port}`, event, secret), 204);
    const exit = once(receiver, 'close');
    receiver.kill();
    await exit;
    assert.equal(printed, 'A reward for Steve_42\n');
  });
}

async function deliver(url: string, { eventId, body }: WebhookEvent, secret: string): Promise<number> {
  const headers = signatureHeaders({ id: eventId, at: Date.now(), body }, [secret]);
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

test('every guide that the reference lists is served as a page, with the links between them', async () => {
  const { Agent, get } = await import('node:https');
  const agent = new Agent({ rejectUnauthorized: false });
  for (const name of Object.keys(GUIDES)) {
    const [answer] = await once(get(`${demo.url}/docs/guides/${name}`, { agent }), 'response');
    assert.equal(answer.statusCode, 200, name);
    const page = (await answer.setEncoding('utf8').toArray()).join('');
    assert.match(page, /<h1>/);
    assert.doesNotMatch(page, /href="[^"]*\.md/);
  }
  agent.destroy();
});

test('the guides for curl and Node were run, whatever else this machine lacks', () => {
  for (const name of ['curl', 'discord-bot-node', 'webhooks'])
    assert.ok(ran.has(name), `${name} did not run`);
});
