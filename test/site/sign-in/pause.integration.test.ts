import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, consent, openWithDiscord, personOf, signInByDiscord } from './support.ts';

const SECOND = 1000;

describe('after a 429 from Discord', () => {
  for (const endpoint of ['token', 'user'] as const) {
    it(`to the ${endpoint} request, no request is sent until the wait is over`, async (t) => {
      const { visitor, discord, clock } = await openWithDiscord(t);
      const waiting = visitor();
      const callback = await consent(waiting);
      discord.faults[endpoint] = 'limited';
      discord.limit.headers = { 'retry-after': '17' };
      assertPaused(await signInByDiscord(visitor()), 17);
      discord.faults = {};
      const calls = { ...discord.calls };
      clock.advance(6 * SECOND);
      assertPaused(await visitor().get('/sign-in'), 11);
      assertPaused(await waiting.get(callback), 11);
      assert.deepEqual(discord.calls, calls);
      clock.advance(11 * SECOND);
      assert.equal((await waiting.get(callback)).status, 303);
      assert.notEqual(personOf(await waiting.get('/probe')), null);
    });
  }

  const waits: [string, { headers: Record<string, string>; body: unknown }, number][] = [
    ['the header', { headers: { 'retry-after': '17' }, body: { retry_after: 40 } }, 17],
    ['the body, to the next second', { headers: {}, body: { retry_after: 17.2 } }, 18],
    ['no longer than a minute', { headers: {}, body: { retry_after: 3600 } }, 60],
    ['no shorter than five seconds', { headers: { 'retry-after': '1' }, body: {} }, 5],
    ['five seconds if none is given', { headers: {}, body: {} }, 5],
    [
      'five seconds for an answer nobody understands',
      { headers: { 'retry-after': 'soon' }, body: '<h1>' },
      5,
    ],
    ['five seconds for a wait below zero', { headers: { 'retry-after': '-3' }, body: {} }, 5],
  ];
  for (const [what, limit, seconds] of waits) {
    it(`the wait is: ${what}`, async (t) => {
      const { visitor, discord } = await openWithDiscord(t);
      discord.faults.token = 'limited';
      discord.limit = limit;
      assertPaused(await signInByDiscord(visitor()), seconds);
    });
  }

  it('French visitors get a French page', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    discord.faults.token = 'limited';
    await signInByDiscord(visitor());
    const { text } = await visitor().get('/sign-in', { 'accept-language': 'fr' });
    assert.ok(text.includes('<h1>La connexion est indisponible pour le moment</h1>'));
    assert.ok(text.includes('Veuillez réessayer dans 60 secondes.'));
  });

  it('that limits one user, others can still sign in, and no requests are sent for that user', async (t) => {
    const { visitor, discord, clock } = await openWithDiscord(t);
    const mona = visitor();
    await signInByDiscord(mona);
    discord.faults.guilds = 'limited';
    discord.limit.headers = { 'retry-after': '20', 'x-ratelimit-scope': 'user' };
    assertPaused(await mona.get('/probe/guilds'), 20);
    discord.faults = {};
    assertPaused(await mona.get('/probe/guilds'), 20);
    assert.equal(discord.calls.guilds, 1);
    discord.person = { id: '200000000000000501', username: 'noor', global_name: 'Noor', guilds: [] };
    const noor = visitor();
    assert.equal((await signInByDiscord(noor)).status, 303);
    assert.equal((await noor.get('/probe/guilds')).status, 200);
    clock.advance(20 * SECOND);
    assert.equal((await mona.get('/probe/guilds')).status, 200);
  });

  it('that limits the site, dashboards wait too, and offer a retry', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    const mona = visitor();
    await signInByDiscord(mona);
    discord.faults.guilds = 'limited';
    const answer = await mona.get('/probe/guilds');
    assertPaused(answer, 60);
    assert.match(answer.text, /<a class="button" href="\/probe\/guilds">Try again<\/a>/);
    assertPaused(await visitor().get('/sign-in'), 60);
    assert.deepEqual(personOf(await mona.get('/probe')), { userId: '200000000000000500', name: 'Mona' });
  });
});

function assertPaused({ status, headers, text }: Answer, seconds: number): void {
  assert.deepEqual([status, headers['retry-after']], [503, String(seconds)]);
  assert.ok(text.includes('<h1>Sign-in is unavailable right now</h1>'), text);
  assert.ok(text.includes(`Please try again in ${seconds} seconds.`), text);
}
