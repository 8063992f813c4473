import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SIGN_IN_LIMITS } from '../../../src/site/sign-in/sign-in.ts';
import { testClock } from '../../support/clock.ts';
import { createTestDatabase } from '../../support/postgres/postgres.ts';
import {
  type Answer,
  consent,
  NOW,
  openWithDiscord,
  openWithEnv,
  signInByDiscord,
  type Visitor,
} from './support.ts';

const MINUTE = 60_000;
const PLENTY = { requests: 1000, windowMs: MINUTE };
/** Small limits, so that a test does not need hundreds of requests. */
const FEW_REQUESTS = { requests: { requests: 5, windowMs: MINUTE }, failures: PLENTY };
const FEW_FAILURES = { requests: PLENTY, failures: { requests: 3, windowMs: MINUTE } };

describe('requests to the sign-in', () => {
  it('are limited to 300 a minute, and failed codes to 30', () => {
    const { requests, failures } = SIGN_IN_LIMITS;
    assert.deepEqual(
      [requests, failures].map(({ requests: n, windowMs }) => [n, windowMs]),
      [
        [300, MINUTE],
        [30, MINUTE],
      ],
    );
  });

  it('are allowed up to the limit of a network, for any browser and path', async (t) => {
    const { visitor, clock } = await openWithDiscord(t, {}, { signInLimits: FEW_REQUESTS });
    for (let n = 0; n < 5; n += 1) {
      const { status } = await visitor().get(n % 2 === 0 ? '/sign-in' : '/sign-in/callback');
      assert.notEqual(status, 429);
    }
    clock.advance(18_000);
    assertTooMany(await visitor().get('/sign-in'), 42);
    assertTooMany(await visitor().get('/sign-in/callback?code=a&state=b'), 42);
    const french = await visitor().get('/sign-in', { 'accept-language': 'fr' });
    assert.ok(french.text.includes('<h1>Trop de tentatives de connexion</h1>'));
    assert.ok(french.text.includes('Veuillez réessayer dans 42 secondes.'));
    assert.equal((await visitor().get('/')).status, 200);
    assert.equal((await visitor('198.51.100.8').get('/sign-in')).status, 303);
    clock.advance(42_000);
    assert.equal((await visitor().get('/sign-in')).status, 303);
  });

  it('of one IPv6 network are counted together, those of another separately', async (t) => {
    const { visitor } = await openWithDiscord(t, {}, { signInLimits: FEW_REQUESTS });
    for (let n = 0; n < 5; n += 1) await visitor(`2001:db8:1:2::${n}`).get('/sign-in');
    assertTooMany(await visitor('2001:db8:1:2:ffff::1').get('/sign-in'), 60);
    assert.equal((await visitor('2001:db8:1:3::1').get('/sign-in')).status, 303);
  });

  it('behind a trusted proxy count for the client, and forged headers are ignored', async (t) => {
    const transport = { kind: 'proxy', trusted: ['10.0.0.1'] } as const;
    const { visitor } = await openWithDiscord(t, {}, { signInLimits: FEW_REQUESTS, transport });
    const get = (client: string, claimed = '203.0.113.9') =>
      visitor('10.0.0.1').get('/sign-in', {
        'x-forwarded-proto': 'https',
        'x-forwarded-for': `${claimed}, ${client}`,
      });
    for (let n = 0; n < 5; n += 1) assert.equal((await get('198.51.100.7', `203.0.113.${n}`)).status, 303);
    assertTooMany(await get('198.51.100.7'), 60);
    assert.equal((await get('198.51.100.8')).status, 303);
  });

  it('are limited in the demo, too', async (t) => {
    const { visitor } = await openWithEnv(t, {}, { isDemo: true }, { signInLimits: FEW_REQUESTS });
    for (let n = 0; n < 5; n += 1) assert.equal((await visitor().get('/sign-in')).status, 200);
    assertTooMany(await visitor().get('/sign-in'), 60);
  });
});

describe('codes that Discord rejects', () => {
  it('are not sent to Discord above the limit, until the minute is over', async (t) => {
    const { visitor, discord, clock } = await openWithDiscord(t, {}, { signInLimits: FEW_FAILURES });
    const forger = await beginForging(visitor());
    for (let n = 0; n < 3; n += 1) assert.equal((await forger.tryCode(`made-up-${n}`)).status, 400);
    for (let n = 0; n < 5; n += 1) assertTooMany(await forger.tryCode(`more-${n}`), 60);
    assert.equal(discord.calls.token, 3);
    assert.equal((await signInByDiscord(visitor('198.51.100.8'))).status, 303);
    clock.advance(MINUTE);
    assert.equal((await signInByDiscord(visitor())).status, 303);
  });

  it('cannot exceed the limit concurrently', async (t) => {
    const { visitor, discord } = await openWithDiscord(t, {}, { signInLimits: FEW_FAILURES });
    const forger = await beginForging(visitor());
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => forger.tryCode(`made-up-${n}`)));
    assert.equal(answers.filter(({ status }) => status === 429).length, 37);
    assert.equal(discord.calls.token, 3);
  });

  it('of one IPv6 /56 or /48 are counted together, with twice and four times the limit', async (t) => {
    const { visitor, discord } = await openWithDiscord(t, {}, { signInLimits: FEW_FAILURES });
    const forge = async (ip: string) => (await (await beginForging(visitor(ip))).tryCode('made-up')).status;
    const rejected = async (ips: string[]) => {
      const statuses = [];
      for (const ip of ips) statuses.push(await forge(ip));
      return statuses.filter((status) => status === 400).length;
    };
    const times20 = (address: (n: string) => string) =>
      Array.from({ length: 20 }, (_, n) => address(n.toString(16).padStart(2, '0')));
    assert.equal(await rejected(times20((n) => `2001:db8:7:${n}::1`)), 6);
    assert.equal(await rejected(times20((n) => `2001:db8:8:${n}00::1`)), 12);
    assert.equal(discord.calls.token, 18);
  });

  it('are the only ones that count: any number of users behind one address can sign in', async (t) => {
    const { visitor } = await openWithDiscord(t, {}, { signInLimits: FEW_FAILURES });
    for (let n = 0; n < 8; n += 1) assert.equal((await signInByDiscord(visitor())).status, 303);
  });
});

describe('processes that share a database', () => {
  it('share the limits', async (t) => {
    const { url, drop } = await createTestDatabase();
    t.after(drop);
    const limits = { requests: FEW_REQUESTS.requests, failures: FEW_FAILURES.failures };
    const options = {
      signInLimits: limits,
      database: { kind: 'postgres', url },
      clock: testClock(NOW),
    } as const;
    const one = await openWithDiscord(t, {}, options);
    const two = await openWithEnv(t, one.discord.env, {}, options);
    for (const process of [one, two, one, two, one])
      assert.equal((await process.visitor().get('/sign-in')).status, 303);
    for (const process of [one, two]) assertTooMany(await process.visitor().get('/sign-in'), 60);

    const other = '198.51.100.8';
    const [first, second] = [await beginForging(one.visitor(other)), await beginForging(two.visitor(other))];
    for (let n = 0; n < 2; n += 1) await first.tryCode(`made-up-${n}`);
    assert.equal((await second.tryCode('made-up')).status, 400);
    assertTooMany(await second.tryCode('one too many'), 60);
    assert.equal(one.discord.calls.token, 3);
  });
});

/** Starts one sign-in, and reuses its cookie with forged codes. */
async function beginForging(visitor: Visitor) {
  const callback = new URL(await consent(visitor), 'https://votary.invalid');
  const cookies = [...visitor.cookies];
  return {
    tryCode(code: string): Promise<Answer> {
      for (const [name, value] of cookies) visitor.cookies.set(name, value);
      callback.searchParams.set('code', code);
      return visitor.get(callback.pathname + callback.search);
    },
  };
}

function assertTooMany({ status, headers, text }: Answer, seconds: number): void {
  assert.deepEqual([status, headers['retry-after']], [429, String(seconds)]);
  assert.equal(headers['cache-control'], 'no-store');
  assert.ok(text.includes('<h1>Too many sign-in attempts</h1>'), text);
  assert.ok(text.includes(`Please try again in ${seconds} seconds.`), text);
}
