import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { assertDone, GUILD, type Home, makeHome } from '../cli/votary.ts';
import { type HttpsAnswer, type HttpsVisitor, newHttpsVisitor, tokenIn } from '../support/https-visitor.ts';
import { serve } from '../support/serve.ts';

const DEMO_GUILD = '100000000000000001';
const ALEX = '200000000000000101';

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Everything a client can do with a key, well and badly. Gives the answers, which must not repeat it. */
async function useApi(visitor: HttpsVisitor, key: string, old: string): Promise<HttpsAnswer[]> {
  const answers: HttpsAnswer[] = [];
  const encoded = key.replace('_', '%5f').replace('v', '%76');
  for (const one of [key, old, `${key}x`, `<${key}>`]) {
    for (const path of ['/v7/vote-check?discord_id=1', '/v7/guild/votes?cursor=x', '/v7/nothing', '/nothing'])
      answers.push(await visitor.get(path, { authorization: `Bearer ${one}`, 'x-api-token': one }));
    answers.push(await visitor.get(`/v7/vote-check?external_id=a&api_token=${one}`));
  }
  answers.push(await visitor.get(`/v7/vote-check?api_token=${encoded}&external_id=${key}&limit=${key}`));
  answers.push(await visitor.get(`/${key}/v7?${key}=${key}`));
  answers.push(await visitor.send('POST', `/v7/vote-check?api_token=${key}`, {}, key));
  answers.push(await visitor.get('/v7/vote-check', { 'x-padding': key.repeat(1000) }));
  return answers;
}

/** An admin who reveals the key, which only that one answer may show. */
async function useSite(visitor: HttpsVisitor): Promise<HttpsAnswer[]> {
  const signIn = await visitor.get('/sign-in');
  await visitor.post('/sign-in', { _csrf: tokenIn(signIn), person: ALEX, back: '/dashboard' });
  const page = await visitor.get(`/dashboard/${DEMO_GUILD}/key`);
  const revealed = await visitor.post(`/dashboard/${DEMO_GUILD}/key/reveal`, { _csrf: tokenIn(page) });
  assert.match(revealed.text, /vty_[0-9A-Za-z]{36}/);
  const vote = await visitor.get(`/guild/${DEMO_GUILD}/vote`);
  await visitor.post(`/guild/${DEMO_GUILD}/vote`, { _csrf: tokenIn(vote) });
  return [
    page,
    await visitor.get(`/dashboard/${DEMO_GUILD}`),
    await visitor.get(`/dashboard/${DEMO_GUILD}/activity`),
  ];
}

/** From here on every look-up fails, with a cause and a stack in the log. */
function breakDatabase({ dataDir }: Home): void {
  const db = new Database(join(dataDir, 'votary.db'));
  db.exec('DROP TABLE votes; DROP TABLE recent_votes');
  db.close();
}

describe('after a run of everything', () => {
  it('no key, session or secret stands in logs, errors, metrics or the list of processes', async () => {
    const metricsPort = await freePort();
    const home = await makeHome({
      VOTARY_PORT: '0',
      VOTARY_METRICS_PORT: String(metricsPort),
      VOTARY_LOG_LEVEL: 'trace',
    });
    for (const guild of [DEMO_GUILD, GUILD]) assertDone(await home.votary('guild', 'add', guild));
    const old = Object(await home.json('key', 'generate', DEMO_GUILD)).key;
    const key = Object(await home.json('key', 'generate', DEMO_GUILD)).key;
    const master = (await readFile(join(home.dataDir, 'secret'), 'utf8')).trim();

    const served = await serve(home);
    const visitor = newHttpsVisitor(served.url);
    const answers = [...(await useApi(visitor, key, old)), ...(await useSite(visitor))];
    breakDatabase(home);
    const broken = await visitor.get('/v7/vote-check?discord_id=200000000000000001', { 'x-api-token': key });
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const processes = await commandLines();
    visitor.close();
    assert.equal(await served.stop(), 0);

    assert.equal(broken.status, 500);
    assert.match(served.printed(), /no such table/);
    assert.match(metrics, /votary_http_requests_total/);
    const searched = {
      'the log': served.printed(),
      'an answer': [...answers, broken].map(({ text, headers }) => text + JSON.stringify(headers)).join('\n'),
      metrics,
      'the list of processes': processes,
    };
    const session = [...visitor.cookies].find(([name]) => name.includes('session'))?.[1] ?? '';
    assert.ok(session);
    const secrets = { 'the key': key, 'the old key': old, 'the master secret': master };
    for (const [place, text] of Object.entries(searched)) {
      for (const [name, secret] of Object.entries(secrets))
        assert.ok(!text.includes(secret), `${name} stands in ${place}`);
      if (place !== 'an answer') assert.ok(!text.includes(session), `a session stands in ${place}`);
    }
    await assertOwnerOnly(home);
  });
});

/** What every user of the machine can read of every process, ours among them. */
async function commandLines(): Promise<string> {
  if (!existsSync('/proc')) return '';
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  const all = lines.join('\n').replaceAll('\0', ' ');
  assert.match(all, /votary\.js serve/);
  return all;
}

/** The folder keeps everybody else out; the secrets in it would stay closed even in an open one. */
async function assertOwnerOnly({ dataDir }: Home): Promise<void> {
  const modeOf = async (path: string) => (await stat(join(dataDir, path))).mode & 0o777;
  assert.equal(await modeOf(''), 0o700);
  for (const path of ['secret', 'tls/key.pem']) assert.equal(await modeOf(path), 0o600, path);
}
