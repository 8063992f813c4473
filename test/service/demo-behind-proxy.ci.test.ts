import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { connect } from 'node:tls';
import { assertDone, GUILD, makeHome } from '../cli/votary.ts';
import { type HttpsVisitor, newHttpsVisitor, tokenIn } from '../support/https-visitor.ts';
import { startNginx } from '../support/nginx.ts';
import { requirement } from '../support/requirement.ts';
import { type Served, serve } from '../support/serve.ts';

const ALEX = '200000000000000101';
const DEMO_GUILD = '100000000000000001';
const WEBHOOKS = `/dashboard/${DEMO_GUILD}/webhooks`;
/** What every visitor of the public site sends; by default nginx replaces the first header. */
const PUBLIC = { host: 'votes.example.org', origin: 'https://votes.example.org' };

type Proxied = { home: { dataDir: string }; served: Served; local: HttpsVisitor };

async function start(t: TestContext, ...options: string[]): Promise<Proxied> {
  const home = await makeHome({ VOTARY_PORT: '0', VOTARY_LOG_LEVEL: 'info' });
  if (options.length === 0) assertDone(await home.votary('guild', 'add', GUILD));
  const served = await serve(home, ...options);
  const local = newHttpsVisitor(served.url);
  t.after(async () => {
    local.close();
    assert.equal(await served.stop(), 0);
  });
  return { home, served, local };
}

async function visitThroughNginx(t: TestContext, { home, served }: Proxied, settings = '') {
  const directives = `proxy_pass ${served.url}; ${settings}`;
  const { url } = await startNginx(t, { certificates: join(home.dataDir, 'tls'), directives });
  const visitor = newHttpsVisitor(url);
  t.after(() => visitor.close());
  return visitor;
}

async function signIn(visitor: HttpsVisitor, headers = {}) {
  const page = await visitor.get('/sign-in');
  return visitor.post('/sign-in', { _csrf: tokenIn(page), person: ALEX, back: '/' }, headers);
}

describe('a service on loopback behind nginx', { skip: requirement('nginx'), timeout: 60_000 }, () => {
  it('offers no sign-in before Discord is configured, and says what to set, in the log too', async (t) => {
    const service = await start(t);
    const stranger = await visitThroughNginx(t, service);
    const page = await stranger.get('/sign-in', PUBLIC);
    assert.equal(page.status, 503);
    assert.match(page.text, /VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET/);
    const vote = await stranger.get(`/guild/${GUILD}/vote`, PUBLIC);
    assert.equal(vote.status, 200);
    assert.doesNotMatch(page.text + vote.text, /demo/i);
    assert.equal((await stranger.post('/sign-in', { person: ALEX }, PUBLIC)).status, 404);
    const lines = service.served.printed().split('\n');
    assert.equal(lines.filter((line) => line.includes('VOTARY_DISCORD_CLIENT_ID')).length, 1);
  });

  it('gives remote visitors no demo features, even with a demo session', async (t) => {
    const demo = await start(t, '--demo');
    const { local } = demo;
    const stranger = await visitThroughNginx(t, demo);
    const page = await stranger.get('/sign-in', PUBLIC);
    assert.equal(page.status, 403);
    assert.match(page.text, /The demo only works locally/);
    assert.doesNotMatch((await stranger.get('/', PUBLIC)).text, /sign-in is simulated/);

    assert.equal((await signIn(local)).status, 303);
    const tab = await local.get(WEBHOOKS);
    assert.equal(tab.status, 200);
    for (const [name, value] of local.cookies) stranger.cookies.set(name, value);
    assert.equal((await stranger.get(WEBHOOKS, PUBLIC)).status, 303);
    const form = { _csrf: tokenIn(tab), url: 'http://127.0.0.1:1029/', vote_received: 'on' };
    assert.equal((await stranger.post(WEBHOOKS, form, PUBLIC)).status, 401);
    assert.doesNotMatch((await local.get(WEBHOOKS)).text, /127\.0\.0\.1:1029/);
    assert.equal((await local.post(WEBHOOKS, form)).status, 303);
    assert.match((await local.get(WEBHOOKS)).text, /127\.0\.0\.1:1029/);
  });

  it('recognizes remote visitors by proxy headers, and their forms by origin', async (t) => {
    const demo = await start(t, '--demo');
    const forwarding = 'proxy_http_version 1.1; proxy_set_header X-Forwarded-For $remote_addr;';
    const visible = await visitThroughNginx(t, demo, forwarding);
    assert.equal((await visible.get('/sign-in', PUBLIC)).status, 403);
    const silent = await visitThroughNginx(t, demo, 'proxy_http_version 1.1;');
    assert.equal((await signIn(silent, PUBLIC)).status, 403);
    assert.equal((await signIn(demo.local, { origin: demo.served.url })).status, 303);
  });
});

describe('a request forwarded by nginx', { timeout: 60_000 }, () => {
  it('gets no demo sign-in', async (t) => {
    const { served } = await start(t, '--demo');
    const { hostname, port } = new URL(served.url);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    socket.write(`GET /sign-in HTTP/1.0\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`);
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.[01] 403 /);
    assert.doesNotMatch(answer, /name="person"/);
  });
});
