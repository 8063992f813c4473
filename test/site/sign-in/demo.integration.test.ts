import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleVotes } from '../../../src/demo.ts';
import { DEMO_PEOPLE } from '../../../src/site/sign-in/demo-sign-in.ts';
import {
  csrfTokenOf,
  openWithDiscord,
  openWithEnv,
  personOf,
  signInAsDemo,
  signInByDiscord,
} from './support.ts';

const DEMO = { isDemo: true };
const ALEX = { userId: '200000000000000101', name: 'Alex' };

describe('the demo sign-in', () => {
  it('says that it is a demo, and offers three users', async (t) => {
    const { visitor } = await openWithEnv(t, {}, DEMO);
    const page = await visitor().get('/sign-in');
    assert.equal(page.status, 200);
    assert.ok(page.text.includes('<h1>Demo sign-in</h1>'));
    assert.ok(page.text.includes('Demo: sign-in is simulated on this machine.'));
    assert.equal(page.text.match(/name="person"/g)?.length, 3);
    for (const { name } of DEMO_PEOPLE) assert.ok(page.text.includes(`<strong>${name}</strong>`));
  });

  it('is available in French', async (t) => {
    const { visitor } = await openWithEnv(t, {}, DEMO);
    const page = await visitor().get('/sign-in', { 'accept-language': 'fr' });
    assert.ok(page.text.includes('<h1>Connexion de démonstration</h1>'));
  });

  it('signs in as the chosen user, and returns to the original page', async (t) => {
    const { visitor } = await openWithEnv(t, {}, DEMO);
    const alex = visitor();
    const answer = await signInAsDemo(alex, ALEX.userId, '/guild/1/vote?external_id=Steve%20%F0%9F%8E%AE');
    assert.deepEqual(
      [answer.status, answer.location],
      [303, '/guild/1/vote?external_id=Steve%20%F0%9F%8E%AE'],
    );
    assert.deepEqual(personOf(await alex.get('/probe')), ALEX);
  });

  it('gives each user the communities that they administer', async (t) => {
    const { visitor } = await openWithEnv(t, {}, DEMO);
    const guilds: Record<string, string[]> = {};
    for (const { userId, name } of DEMO_PEOPLE) {
      const browser = visitor();
      await signInAsDemo(browser, userId);
      const answer: { guildId: string }[] = JSON.parse((await browser.get('/probe/guilds')).text);
      guilds[name] = answer.map(({ guildId }) => guildId);
    }
    assert.deepEqual(guilds, { Alex: ['100000000000000001'], Sam: [], Charlie: ['100000000000000002'] });
  });

  it('offers only users who have not voted', () => {
    const voters = new Set(sampleVotes(Date.parse('2026-11-18T12:00:00.000Z')).map(({ userId }) => userId));
    assert.deepEqual(
      DEMO_PEOPLE.filter(({ userId }) => voters.has(userId)),
      [],
    );
  });

  it('cannot be used by another site to sign in its visitors', async (t) => {
    const { visitor } = await openWithEnv(t, {}, DEMO);
    const victim = visitor();
    const form = { person: ALEX.userId, back: '/' };
    assert.equal((await victim.post('/sign-in', form)).status, 403);
    await victim.get('/sign-in');
    assert.equal((await victim.post('/sign-in', form)).status, 403);
    const attacker = csrfTokenOf(await visitor().get('/sign-in'));
    assert.equal((await victim.post('/sign-in', { ...form, _csrf: attacker })).status, 403);
    assert.equal(personOf(await victim.get('/probe')), null);
  });

  it('accepts its three users only', async (t) => {
    const { visitor } = await openWithEnv(t, {}, DEMO);
    const browser = visitor();
    const answer = await signInAsDemo(browser, '200000000000000001');
    assert.equal(answer.status, 400);
    assert.equal(personOf(await browser.get('/probe')), null);
  });
});

/** Headers that distinguish a remote request from one of a browser on this machine. */
const FROM_OUTSIDE: Record<string, string>[] = [
  { forwarded: 'for=198.51.100.7' },
  { 'x-forwarded-for': '198.51.100.7' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-host': 'votes.example.org' },
  { 'X-Forwarded-Anything': '' },
  { 'x-real-ip': '198.51.100.7' },
  { via: '1.1 cache.example' },
  { origin: 'https://votes.example.org' },
];

describe('a request that came through a proxy, or from another site', () => {
  for (const headers of FROM_OUTSIDE) {
    it(`cannot use the demo: ${JSON.stringify(headers)}`, async (t) => {
      const { visitor } = await openWithEnv(t, {}, DEMO);
      const browser = visitor();
      const token = csrfTokenOf(await browser.get('/sign-in'));
      const page = await browser.get('/sign-in', headers);
      assert.equal(page.status, 403);
      assert.ok(page.text.includes('<h1>The demo only works locally</h1>'));
      assert.doesNotMatch(page.text, /name="person"|sign-in is simulated/);
      const form = { _csrf: token, person: ALEX.userId, back: '/' };
      assert.equal((await browser.post('/sign-in', form, headers)).status, 403);
      assert.equal(personOf(await browser.get('/probe')), null);
    });

    it(`is not signed in by a demo session, which is kept: ${JSON.stringify(headers)}`, async (t) => {
      const { visitor } = await openWithEnv(t, {}, DEMO);
      const alex = visitor();
      await signInAsDemo(alex, ALEX.userId);
      const answer = await alex.get('/probe', headers);
      assert.deepEqual([personOf(answer), answer.headers['set-cookie']], [null, undefined]);
      assert.equal((await alex.get('/probe/private', headers)).status, 303);
      assert.deepEqual(personOf(await alex.get('/probe')), ALEX);
    });
  }

  it('gets this explanation in French', async (t) => {
    const { visitor } = await openWithEnv(t, {}, DEMO);
    const page = await visitor().get('/sign-in', { via: '1.1 x', 'accept-language': 'fr' });
    assert.ok(page.text.includes('La démo ne fonctionne qu’en local'));
  });

  it('is served as usual if sign-in uses Discord', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const mona = visitor();
    await signInByDiscord(mona);
    for (const headers of FROM_OUTSIDE) assert.notEqual(personOf(await mona.get('/probe', headers)), null);
  });
});

describe('the demo sign-in is not available', () => {
  it('without --demo', async (t) => {
    const { visitor } = await openWithEnv(t, {});
    const page = await visitor().get('/sign-in');
    assert.equal(page.status, 503);
    assert.ok(!page.text.includes('Demo'));
  });

  it('if Discord is configured', async (t) => {
    const { visitor } = await openWithEnv(
      t,
      { VOTARY_DISCORD_CLIENT_ID: '123', VOTARY_DISCORD_CLIENT_SECRET: 'abc' },
      DEMO,
    );
    assert.match((await visitor().get('/sign-in')).location, /^https:\/\/discord\.com\//);
    assert.doesNotMatch((await visitor().get('/')).text, /sign-in is simulated/);
  });

  const elsewhere: Record<string, Record<string, string>> = {
    'on all addresses': { VOTARY_HOST: '0.0.0.0' },
    'on all IPv6 addresses': { VOTARY_HOST: '::' },
    'on an address of the network': { VOTARY_HOST: '192.168.1.10' },
    'on a host name': { VOTARY_HOST: 'votes.example.org' },
    'behind a proxy': { VOTARY_TRUSTED_PROXIES: '127.0.0.1' },
    'under a public address': { VOTARY_PUBLIC_URL: 'https://votes.example.org' },
  };
  for (const [where, env] of Object.entries(elsewhere)) {
    it(where, async (t) => {
      const { visitor } = await openWithEnv(t, env, DEMO);
      const browser = visitor();
      const page = await browser.get('/sign-in');
      assert.equal(page.status, 503);
      assert.ok(page.text.includes('<h1>Sign-in is not set up yet</h1>'));
      assert.ok(page.text.includes('VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET'));
      assert.ok(!page.text.includes('Demo'));
      const answer = await browser.post('/sign-in', { person: ALEX.userId });
      assert.ok(answer.status >= 400);
      assert.equal(personOf(await browser.get('/probe')), null);
    });
  }

  it('under a foreign host name that points to this machine', async (t) => {
    const { visitor } = await openWithEnv(t, {}, DEMO);
    assert.equal((await visitor().get('/sign-in', { host: 'evil.example:8443' })).status, 503);
  });

  for (const host of ['localhost', '127.0.0.1', '127.0.0.53', '::1']) {
    it(`except on ${host}`, async (t) => {
      const { visitor } = await openWithEnv(t, { VOTARY_HOST: host }, DEMO);
      const asked = host.includes(':') ? `[${host}]:8443` : `${host}:8443`;
      assert.equal((await visitor().get('/sign-in', { host: asked })).status, 200);
    });
  }
});
