import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { discordSignIn } from '../../../src/site/sign-in/discord-sign-in.ts';
import { type Endpoint, type Fault, startFakeDiscord } from '../../support/discord/fake-discord.ts';
import {
  type Answer,
  consent,
  guildsSignIn,
  openSignIn,
  openWithDiscord,
  openWithEnv,
  personOf,
  signInByDiscord,
  type Visitor,
} from './support.ts';

const MINUTE = 60_000;

describe('signing in through Discord', () => {
  it('returns to the original page, as the user that Discord reports', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const mona = visitor();
    const answer = await signInByDiscord(mona, '/probe?a=1');
    assert.deepEqual([answer.status, answer.location], [303, '/probe?a=1']);
    assert.deepEqual(personOf(await mona.get('/probe')), { userId: '200000000000000500', name: 'Mona' });
  });

  it('requests only the identity, with PKCE and a new state each time', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    const [one, two] = await Promise.all([visitor().get('/sign-in'), visitor().get('/sign-in')]);
    const first = new URL(one.location);
    const second = new URL(two.location);
    assert.equal(first.origin + first.pathname, `${discord.url}/oauth2/authorize`);
    assert.equal(first.searchParams.get('scope'), 'identify');
    assert.equal(first.searchParams.get('code_challenge_method'), 'S256');
    for (const name of ['state', 'code_challenge']) {
      assert.match(first.searchParams.get(name) ?? '', /^[\w-]{43,}$/);
      assert.notEqual(first.searchParams.get(name), second.searchParams.get(name));
    }
  });

  it('requests the communities of a user for the dashboard, and for a members-only community', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const scopeFor = async (path: string) =>
      new URL((await visitor().get(path)).location).searchParams.get('scope');
    assert.equal(await scopeFor('/sign-in?back=%2Fdashboard'), 'identify guilds');
    assert.equal(await scopeFor('/sign-in?back=%2Fdashboard%2F300000000000000001%2Fkey'), 'identify guilds');
    assert.equal(await scopeFor(guildsSignIn('/guild/300000000000000001/vote')), 'identify guilds');
    assert.equal(await scopeFor('/sign-in?back=%2Fdashboards'), 'identify');
    assert.equal(await scopeFor('/sign-in?back=%2Fguild%2F300000000000000001%2Fvote'), 'identify');
  });

  it('sends a user who signed in to vote through Discord once more, for the dashboard', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    discord.person.guilds = [{ id: '300000000000000001', name: 'Mine', owner: true, permissions: '0' }];
    const mona = visitor();
    const toVote = await mona.get('/sign-in?back=%2Fprobe');
    const { headers } = await fetch(toVote.location, { redirect: 'manual' });
    await mona.get(headers.get('location')?.replace(/^https:\/\/[^/]+/, '') ?? '');
    assert.ok(personOf(await mona.get('/probe')));
    const sent = await mona.get('/dashboard');
    assert.deepEqual([sent.status, sent.location], [303, '/sign-in?back=%2Fdashboard']);
    assert.equal(discord.calls.guilds, 0);
    await signInByDiscord(mona, '/dashboard');
    assert.match((await mona.get('/dashboard')).text, /Mine/);
  });

  it('uses the real Discord if nothing else is configured', async (t) => {
    const { visitor } = await openWithEnv(t, {
      VOTARY_DISCORD_CLIENT_ID: '123',
      VOTARY_DISCORD_CLIENT_SECRET: 'abc',
    });
    const { location } = await visitor().get('/sign-in');
    assert.ok(location.startsWith('https://discord.com/oauth2/authorize?'), location);
  });

  it('returns to the public address of the site', async (t) => {
    const { visitor } = await openWithDiscord(t, { VOTARY_PUBLIC_URL: 'https://votes.example.org' });
    const mona = visitor();
    const { location } = await mona.get('/sign-in');
    const redirect = new URL(location).searchParams.get('redirect_uri');
    assert.equal(redirect, 'https://votes.example.org/sign-in/callback');
    assert.equal((await signInByDiscord(mona)).status, 303);
  });

  it('keeps the longest vote link, and the cookie within the limit of browsers', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const mona = visitor();
    const externalId = Array.from({ length: 191 }, (_, index) => String.fromCodePoint(0x1f300 + index)).join(
      '',
    );
    const back = `/guild/1/vote?${new URLSearchParams({ external_id: externalId, return_to: 'https://play.example/thanks' })}`;
    const callback = await consent(mona, back);
    for (const [name, value] of mona.cookies) assert.ok(name.length + value.length < 4096);
    assert.equal((await mona.get(callback)).location, back);
    for (const [name, value] of mona.cookies) assert.ok(name.length + value.length < 4096);
  });

  it('uses the account name if no display name is set', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    discord.person.global_name = null;
    const mona = visitor();
    await signInByDiscord(mona);
    assert.deepEqual(personOf(await mona.get('/probe')), { userId: '200000000000000500', name: 'mona_1' });
  });

  it('shows a hostile name as text', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    discord.person.global_name = '<script>alert(1)</script>\u202e\0';
    const mona = visitor();
    await signInByDiscord(mona);
    const { text } = await mona.get('/sign-in/callback');
    assert.ok(text.includes('&#60;script&#62;alert(1)&#60;/script&#62;<'), text);
  });

  it('can be started in several tabs and finished in any, each returning to its own page', async (t) => {
    for (const finished of [0, 1, 2]) {
      const { visitor } = await openWithDiscord(t);
      const mona = visitor();
      const callbacks: string[] = [];
      for (const tab of ['a', 'b', 'c']) callbacks.push(await consent(mona, `/probe?tab=${tab}`));
      const { status, location } = await mona.get(callbacks[finished] ?? '');
      assert.deepEqual([status, location], [303, `/probe?tab=${'abc'[finished]}`]);
    }
  });

  it('keeps the newest three attempts, within the limit of browsers', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const mona = visitor();
    await signInByDiscord(mona);
    const letters = Array.from({ length: 191 }, (_, index) => String.fromCodePoint(0x1f300 + index));
    const callbacks: string[] = [];
    for (const tab of 'abcd') {
      const query = new URLSearchParams({ external_id: letters.join(''), tab });
      callbacks.push(await consent(mona, `/guild/1/vote?${query}`));
      for (const [name, value] of mona.cookies) assert.ok(name.length + value.length < 4096);
    }
    assertFaultPage(await mona.get(callbacks[0] ?? ''), 400, 'This sign-in has expired');
    assert.equal((await mona.get(callbacks[1] ?? '')).status, 303);
  });

  it('can be repeated while signed in, as another user', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    const browser = visitor();
    await signInByDiscord(browser);
    discord.person = { id: '200000000000000501', username: 'noor', global_name: 'Noor', guilds: [] };
    const callback = await consent(browser);
    assert.deepEqual(personOf(await browser.get('/probe')), { userId: '200000000000000500', name: 'Mona' });
    await browser.get(callback);
    assert.deepEqual(personOf(await browser.get('/probe')), { userId: '200000000000000501', name: 'Noor' });
  });
});

describe('a sign-in is rejected with a page that explains why', () => {
  it('if consent is denied', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    discord.refusal = 'access_denied';
    await assertRefused(visitor(), (browser) => signInByDiscord(browser), 403, 'Sign-in was canceled');
  });

  it('in French', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const answer = await visitor().get('/sign-in/callback', { 'accept-language': 'fr' });
    assert.ok(answer.text.includes('Cette connexion a expiré'));
  });

  const stale: Record<string, (browser: Visitor, other: Visitor) => Promise<Answer>> = {
    'when it was never begun': (browser) => browser.get('/sign-in/callback?code=a&state=b'),
    'when there is nothing to read': async (browser) => {
      await browser.get('/sign-in');
      return browser.get('/sign-in/callback');
    },
    'when it was begun in another browser': async (browser, other) => {
      await browser.get('/sign-in');
      return browser.get(await consent(other));
    },
    'when its code was used before': async (browser) => {
      const callback = await consent(browser);
      const cookies = new Map(browser.cookies);
      await browser.get(callback);
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      return browser.get(callback);
    },
    'when the code is missing': async (browser) => {
      const callback = await consent(browser);
      return browser.get(callback.replace(/code=[^&]+/, 'code='));
    },
    'when the state is given twice': async (browser) => browser.get(`${await consent(browser)}&state=x`),
    'when a refusal comes from somewhere else': async (browser) => {
      await browser.get('/sign-in');
      return browser.get('/sign-in/callback?error=access_denied&state=guessed');
    },
  };
  for (const [when, act] of Object.entries(stale)) {
    it(when, async (t) => {
      const { visitor } = await openWithDiscord(t);
      const browser = visitor();
      const answer = await act(browser, visitor());
      assertFaultPage(answer, 400, 'This sign-in has expired');
    });
  }

  it('if it was started a quarter of an hour ago', async (t) => {
    const { visitor, clock } = await openWithDiscord(t);
    const browser = visitor();
    const callback = await consent(browser);
    clock.advance(15 * MINUTE);
    await assertRefused(browser, () => browser.get(callback), 400, 'This sign-in has expired');
  });

  const faults: [Endpoint, Fault][] = [
    ['token', 'down'],
    ['token', 'error'],
    ['token', 'refused'],
    ['token', 'nonsense'],
    ['token', 'wrong-shape'],
    ['user', 'down'],
    ['user', 'error'],
    ['user', 'refused'],
    ['user', 'nonsense'],
    ['user', 'wrong-shape'],
  ];
  for (const [endpoint, fault] of faults) {
    it(`if Discord's ${endpoint} endpoint is ${fault}`, async (t) => {
      const { visitor, discord } = await openWithDiscord(t);
      discord.faults[endpoint] = fault;
      await assertRefused(visitor(), (browser) => signInByDiscord(browser), 502, 'Discord is not responding');
    });
  }

  for (const endpoint of ['token', 'user'] as const) {
    it(`if Discord's ${endpoint} endpoint never responds`, async (t) => {
      const { visitor, discord } = await openImpatient(t);
      discord.faults[endpoint] = 'slow';
      await assertRefused(visitor(), (browser) => signInByDiscord(browser), 502, 'Discord is not responding');
    });
  }

  it('if Discord itself fails', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    discord.refusal = 'server_error';
    await assertRefused(visitor(), (browser) => signInByDiscord(browser), 502, 'Discord is not responding');
  });

  it('if Discord does not know the application', async (t) => {
    const { visitor } = await openWithDiscord(t, { VOTARY_DISCORD_CLIENT_SECRET: 'mistyped' });
    await assertRefused(visitor(), (browser) => signInByDiscord(browser), 502, 'Discord is not responding');
  });

  it('and the next attempt still leads to the original page', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    const mona = visitor();
    discord.refusal = 'access_denied';
    const refused = await signInByDiscord(mona, '/guild/1/vote?external_id=Steve');
    const again = /href="\/sign-in\?back=([^"]+)"/.exec(refused.text)?.[1] ?? '';
    assert.doesNotMatch(decodeURIComponent(again), /state|code/);
    discord.refusal = null;
    const answer = await signInByDiscord(mona, decodeURIComponent(again));
    assert.equal(answer.location, '/guild/1/vote?external_id=Steve');
  });
});

async function openImpatient(t: TestContext) {
  const discord = await startFakeDiscord();
  t.after(() => discord.close());
  const { VOTARY_DISCORD_CLIENT_ID: clientId = '', VOTARY_DISCORD_CLIENT_SECRET: clientSecret = '' } =
    discord.env;
  const app = {
    clientId,
    clientSecret,
    api: discord.url,
    publicUrl: null,
    userAgent: 'test',
    timeLimitMs: 50,
  };
  return { ...(await openSignIn(t, (clock) => discordSignIn({ ...app, clock }))), discord };
}

async function assertRefused(
  browser: Visitor,
  act: (browser: Visitor) => Promise<Answer>,
  status: number,
  words: string,
): Promise<void> {
  assertFaultPage(await act(browser), status, words);
  assert.equal(personOf(await browser.get('/probe')), null);
}

function assertFaultPage(answer: Answer, status: number, words: string): void {
  assert.equal(answer.status, status);
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.ok(answer.text.includes(`<h1>${words}</h1>`), answer.text);
  assert.doesNotMatch(answer.text, /\n\s+at |Error|undefined|127\.0\.0\.1/);
}
