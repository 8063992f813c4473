import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { isRecord } from '../../../src/domain/record.ts';
import { challengeIn, openVoting, solve, type VotingScene } from './voters.ts';

type Stand = { api: string; asked: unknown[]; answer: unknown; isDown: boolean };

/** Implements the wire format of siteverify. */
async function startTurnstile(t: TestContext): Promise<Stand> {
  const stand: Stand = { api: '', asked: [], answer: { success: true }, isDown: false };
  const server = createServer(async (request, response) => {
    stand.asked.push({ url: request.url, ...Object(await json(request)) });
    if (stand.isDown) response.destroy();
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(stand.answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  stand.api = `http://127.0.0.1:${isRecord(address) ? address.port : 0}`;
  return stand;
}

async function openWithTurnstile(t: TestContext): Promise<{ scene: VotingScene; stand: Stand }> {
  const stand = await startTurnstile(t);
  const scene = await openVoting(t, {
    networkVotes: { challengeFrom: 1, refuseAbove: 9 },
    turnstile: { siteKey: 'a-site-key', secret: 'a-secret', api: stand.api },
  });
  return { scene, stand };
}

test('a Turnstile token is verified for the voter, and counts as a solved challenge', async (t) => {
  const { scene, stand } = await openWithTurnstile(t);
  const voter = await scene.voter();
  const page = await voter.open();
  assert.match(page.text, /data-turnstile="a-site-key"/);
  const policy = String(page.headers['content-security-policy']);
  assert.match(policy, /script-src 'self' https:\/\/challenges\.cloudflare\.com;/);
  assert.match(policy, /frame-src https:\/\/challenges\.cloudflare\.com/);
  const cdata = `${scene.guildId}-${voter.userId}`;
  for (const answer of [
    { success: false, 'error-codes': ['timeout-or-duplicate'] },
    { success: true, action: 'another', cdata },
    { success: true, action: 'vote', cdata: `${scene.guildId}-1` },
  ]) {
    stand.answer = answer;
    const refused = await voter.vote({ 'cf-turnstile-response': 'a-token' });
    assert.deepEqual([refused.status, /The check was not passed/.test(refused.text)], [403, true]);
  }
  stand.answer = { success: true, action: 'vote', cdata, hostname: 'votes.example.org' };
  assert.equal((await voter.vote({ 'cf-turnstile-response': 'a-token' })).status, 303);
  const asked = { url: '/siteverify', secret: 'a-secret', response: 'a-token', remoteip: '192.0.2.10' };
  assert.deepEqual(stand.asked.at(-1), asked);
});

test('while Turnstile cannot be reached, proof of work replaces it', async (t) => {
  const { scene, stand } = await openWithTurnstile(t);
  stand.isDown = true;
  const voter = await scene.voter();
  const answer = await voter.vote({ 'cf-turnstile-response': 'a-token' });
  assert.equal(answer.status, 403);
  assert.match(answer.text, /could not be confirmed, so your browser runs a different one/);
  assert.doesNotMatch(answer.text, /data-turnstile=/);
  assert.doesNotMatch((await voter.open()).text, /data-turnstile=/);
  assert.equal((await voter.vote({ altcha: await solve(answer) })).status, 303);
  assert.match(await scene.metrics.text(), /votary_challenges_total\{event="turnstile_unreachable"\} 1/);
  scene.clock.advance(MINUTE_MS);
  assert.match((await (await scene.voter()).open()).text, /data-turnstile=/);
});

test('a browser that cannot load Turnstile solves a more expensive proof of work', async (t) => {
  const { scene } = await openWithTurnstile(t);
  const voter = await scene.voter();
  const page = await voter.open();
  assert.equal(challengeIn(page).parameters.algorithm, 'SCRYPT');
  assert.equal((await voter.vote({ altcha: await solve(page) })).status, 303);
});

test('without Turnstile a page allows only our own files', async (t) => {
  const scene = await openVoting(t);
  const policy = String((await (await scene.voter()).open()).headers['content-security-policy']);
  assert.doesNotMatch(policy, /cloudflare|frame-src/);
});
