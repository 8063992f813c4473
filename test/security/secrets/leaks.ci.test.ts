import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import {
  assertDone,
  assertFailed,
  finish,
  GUILD,
  type Home,
  makeHome,
  type Outcome,
} from '../../cli/votary.ts';
import { startFakeDiscord } from '../../support/discord/fake-discord.ts';
import { freePort } from '../../support/free-port.ts';
import { type HttpsAnswer, type HttpsVisitor, newHttpsVisitor } from '../../support/https-visitor.ts';
import { createTestDatabase } from '../../support/postgres/postgres.ts';
import { serve } from '../../support/serve.ts';
import { CHANNEL_TOKEN } from '../../webhooks/discord/discord-channel.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import { assertListed, assertNowhere, commandLines, watchProcesses } from './search.ts';
import { DEMO_GUILD, enterDemo, useApi, useDiscord, useManagement, useSite } from './use-everything.ts';

const MC_TOKEN = 'the-token-of-the-minecraft-server';

const CHECK = '/v7/vote-check?discord_id=200000000000000001';

describe('after using every feature', { concurrency: true }, () => {
  it('no key, session or secret is in logs, errors, metrics or the process list', async () => {
    const nowhere = { MC_TOKEN, VOTARY_DISCORD_API: 'http://127.0.0.1:1029' };
    const { home, metricsPort } = await makeTalkativeHome(nowhere);
    const { key, old } = await openKeys(home);
    const master = (await readFile(join(home.dataDir, 'secret'), 'utf8')).trim();
    const receiver = await startReceiver();
    const webhook = Object(await home.json('webhook', 'add', DEMO_GUILD, receiver.url));
    // No server listens at either address, so that every attempt fails and is logged.
    const channel = `https://discord.com/api/webhooks/400000000000000001/${CHANNEL_TOKEN}`;
    await home.json('webhook', 'add', DEMO_GUILD, '--discord', channel);
    const server = ['--votifier', '127.0.0.1:1029', '--token-env', 'MC_TOKEN'];
    await home.json('webhook', 'add', DEMO_GUILD, ...server);

    const served = await serve(home, '--demo');
    const visitor = newHttpsVisitor(served.url);
    const { token } = Object(await home.json('token', 'create', '--name', 'Site'));
    const answers = [
      ...(await useApi(visitor, key, old)),
      ...(await useManagement(visitor, token)),
      ...(await useSite(visitor, enterDemo)),
    ];
    // The vote that the demo starts with, and the one that was just cast.
    await receiver.untilReceived(2);
    const { result: tested, processes } = await watchProcesses(
      finish(home.start('webhook', 'test', DEMO_GUILD, webhook.endpoint_id)),
    );
    assert.equal(tested.code, 0, tested.stderr);
    breakDatabase(home);
    const broken = await visitor.get(CHECK, { 'x-api-token': key });
    const metrics = await readMetrics(metricsPort);
    visitor.close();
    assert.equal(await served.stop(), 0);

    assert.equal(receiver.received.length, 3);
    assert.equal(broken.status, 500);
    assert.match(served.printed(), /no such table/);
    assertListed(processes, /votary\.js serve/);
    assertListed(processes, /votary\.js webhook test/);
    const places = {
      'the log': withoutBanner(served.printed()),
      metrics,
      'the list of processes': processes,
      'what a command prints': printedBy(tested),
    };
    const secrets = {
      'the key': key,
      'the old key': old,
      'the token': token,
      'the master secret': master,
      'the secret of the webhook': webhook.secret,
      'the token of the channel': CHANNEL_TOKEN,
      'the token of the Minecraft server': MC_TOKEN,
    };
    assertNowhere(secrets, { ...places, 'an answer': allOf([...answers, broken]) });
    assertNowhere({ 'a session': sessionOf(visitor) }, places);
    await assertOwnerOnly(home);
  });

  it('nor are secrets of the environment: the master secret, the Discord secret, and the PostgreSQL password', async (t) => {
    const discord = await startFakeDiscord();
    t.after(() => discord.close());
    const { url, drop } = await createTestDatabase();
    const given = { VOTARY_SECRET: 'the-secret-from-outside', VOTARY_NEW_SECRET: 'the-next-from-outside' };
    const { home, metricsPort } = await makeTalkativeHome({
      ...discord.env,
      ...given,
      VOTARY_DATABASE_URL: url,
    });
    const { key } = await openKeys(home);

    const served = await serve(home);
    const visitor = newHttpsVisitor(served.url);
    const { answers, codes } = await useDiscord(served.url, visitor, discord);
    // From here on every query fails, with a cause and a stack in the log.
    await drop();
    const broken = await visitor.get(CHECK, { 'x-api-token': key });
    const metrics = await readMetrics(metricsPort);
    const around = await commandLines();
    visitor.close();
    assert.equal(await served.stop(), 0);
    const { result: failed, processes } = await watchProcesses(finish(home.start('secret', 'rotate')));
    const shutOut = await useWrongPassword(url);

    assert.equal(broken.status, 503);
    assert.match(served.printed(), /token of Discord was not revoked/);
    assertFailed(failed, /cannot be opened: it does not exist/);
    assertListed(around, /votary\.js serve/);
    assertListed(processes, /votary\.js secret rotate/);
    const places = {
      'the log': served.printed(),
      metrics,
      'the list of processes': around + processes,
      'what a command prints': printedBy(failed) + printedBy(shutOut),
    };
    const { password } = new URL(url);
    const tokens = [...discord.tokens.keys()];
    assert.equal(tokens.length, 2);
    const secrets = {
      ...given,
      'the key': key,
      'the secret that Discord gave the site': discord.env.VOTARY_DISCORD_CLIENT_SECRET ?? '',
      'the password of the database': decodeURIComponent(password),
      'the password of the database, as its address has it': password,
      'a wrong password of the database': WRONG_PASSWORD,
      ...numbered('code', codes),
      ...numbered('token', tokens),
    };
    assertNowhere(secrets, { ...places, 'an answer': allOf([...answers, broken]) });
    assertNowhere({ 'a session': sessionOf(visitor) }, places);
  });
});

const WRONG_PASSWORD = 'not-the-password-of-anybody';

/** Logs and counts as much as possible. */
async function makeTalkativeHome(variables: Record<string, string> = {}) {
  const metricsPort = await freePort();
  const own = { VOTARY_PORT: '0', VOTARY_METRICS_PORT: String(metricsPort), VOTARY_LOG_LEVEL: 'trace' };
  const home = await makeHome({ ...own, ...variables }, { reachesLoopback: true });
  return { home, metricsPort };
}

async function openKeys(home: Home): Promise<{ old: string; key: string }> {
  for (const guild of [DEMO_GUILD, GUILD]) assertDone(await home.votary('guild', 'add', guild));
  const old = Object(await home.json('key', 'generate', DEMO_GUILD)).key;
  return { old, key: Object(await home.json('key', 'generate', DEMO_GUILD)).key };
}

async function readMetrics(port: number): Promise<string> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.match(metrics, /votary_http_requests_total/);
  return metrics;
}

async function useWrongPassword(url: string): Promise<Outcome> {
  const wrong = new URL(url);
  wrong.password = WRONG_PASSWORD;
  const home = await makeHome({ VOTARY_DATABASE_URL: wrong.href, VOTARY_SECRET: 'the-secret-from-outside' });
  const outcome = await home.votary('guild', 'list');
  assertFailed(outcome, /password authentication failed/);
  return outcome;
}

/** From here on every query fails, with a cause and a stack in the log. */
function breakDatabase({ dataDir }: Home): void {
  const db = new Database(join(dataDir, 'votary.db'));
  db.exec('DROP TABLE votes');
  db.close();
}

function numbered(name: string, texts: string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text, n) => [`${name} ${n}`, text]));
}

function allOf(answers: HttpsAnswer[]): string {
  return answers.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n');
}

function printedBy({ stdout, stderr }: Outcome): string {
  return stdout + stderr;
}

/** The demo prints its key once on purpose, when it starts. */
function withoutBanner(printed: string): string {
  const rest = printed.replace(/^Votary is running at .*?^Stop with Ctrl\+C\.$/ms, '');
  assert.ok(rest.length < printed.length);
  return rest;
}

function sessionOf({ cookies }: HttpsVisitor): string {
  return [...cookies].find(([name]) => name.includes('session'))?.[1] ?? '';
}

/** The folder is closed to others; the secrets in it are closed even if the folder is not. */
async function assertOwnerOnly({ dataDir }: Home): Promise<void> {
  const modeOf = async (path: string) => (await stat(join(dataDir, path))).mode & 0o777;
  assert.equal(await modeOf(''), 0o700);
  for (const path of ['secret', 'tls/key.pem']) assert.equal(await modeOf(path), 0o600, path);
}
