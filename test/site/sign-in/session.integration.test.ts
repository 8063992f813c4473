import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { SESSION_COOKIE } from '../../../src/site/session.ts';
import { demoSignIn } from '../../../src/site/sign-in/demo-sign-in.ts';
import {
  consent,
  csrfTokenOf,
  openSignIn,
  openWithDiscord,
  personOf,
  signInAsDemo,
  signInByDiscord,
  type Visitor,
} from './support.ts';

const DAY = 86_400_000;
const ALEX = '200000000000000101';
const MONA = { userId: '200000000000000500', name: 'Mona' };

describe('the session cookie', () => {
  it('is limited to this host and HTTPS, inaccessible to scripts and other sites, and valid for seven days', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const { headers } = await signInByDiscord(visitor());
    const [name = '', ...flags] = String(headers['set-cookie']).split('; ');
    assert.ok(name.startsWith('__Host-'));
    assert.deepEqual(flags.toSorted(), ['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax', 'Secure']);
  });

  it('is encrypted', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    const mona = visitor();
    await signInByDiscord(mona);
    const [accessToken = ''] = discord.tokens.keys();
    const bytes = Buffer.from(decodeURIComponent(sessionOf(mona)), 'base64').toString('latin1');
    for (const secret of [accessToken, 'Mona', MONA.userId]) assert.ok(!bytes.includes(secret));
  });

  it('stays small for any response of Discord', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    discord.person.global_name = '𝔐'.repeat(5000);
    const mona = visitor();
    await signInByDiscord(mona);
    assert.notEqual(personOf(await mona.get('/probe')), null);
    assert.ok(SESSION_COOKIE.length + sessionOf(mona).length < 4096);
    // The largest session: a signed-in user signs in again, from a long vote link.
    const noise = Array.from({ length: 12 }, (_, index) => hash('sha512', String(index), 'base64url')).join(
      '',
    );
    const callback = await consent(mona, `/probe?external_id=${noise}`);
    assert.ok(SESSION_COOKIE.length + sessionOf(mona).length < 4096);
    assert.equal((await mona.get(callback)).location, `/probe?external_id=${noise}`);
  });

  it('is ignored if any character was changed', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const mona = visitor();
    await signInByDiscord(mona);
    const good = sessionOf(mona);
    for (const bad of [
      `${good.slice(0, 9)}${good[9] === 'A' ? 'B' : 'A'}${good.slice(10)}`,
      good.slice(0, -8),
      good.slice(9),
      '',
      ';',
      '%',
      '%3B%3B',
    ]) {
      const thief = visitor();
      thief.cookies.set(SESSION_COOKIE, bad);
      const answer = await thief.get('/probe');
      assert.deepEqual([answer.status, personOf(answer)], [200, null], bad);
    }
    assert.deepEqual(personOf(await mona.get('/probe')), MONA);
  });

  it('is ignored with another secret', async (t) => {
    const one = await openSignIn(t, () => demoSignIn());
    const other = await openSignIn(t, () => demoSignIn(), { secret: 'another master secret' });
    const alex = one.visitor();
    await signInAsDemo(alex, ALEX);
    const stranger = other.visitor();
    stranger.cookies.set(SESSION_COOKIE, sessionOf(alex));
    assert.equal(personOf(await stranger.get('/probe')), null);
  });

  it('of a demo is ignored on a site with real sign-in', async (t) => {
    const demo = await openSignIn(t, () => demoSignIn());
    const real = await openWithDiscord(t);
    const alex = demo.visitor();
    await signInAsDemo(alex, ALEX);
    const forger = real.visitor();
    forger.cookies.set(SESSION_COOKIE, sessionOf(alex));
    assert.equal(personOf(await forger.get('/probe')), null);
  });
});

describe('a session', () => {
  it('ends seven days after the sign-in, even if it is used every day', async (t) => {
    const { visitor, clock } = await openSignIn(t, () => demoSignIn());
    const alex = visitor();
    await signInAsDemo(alex, ALEX);
    for (let day = 0; day < 6; day += 1) {
      clock.advance(DAY);
      // A page with a form sets the cookie again.
      await alex.get('/sign-in');
      assert.notEqual(personOf(await alex.get('/probe')), null);
    }
    clock.advance(DAY - 1);
    assert.notEqual(personOf(await alex.get('/probe')), null);
    clock.advance(1);
    assert.equal(personOf(await alex.get('/probe')), null);
    clock.advance(-1);
    assert.equal(personOf(await alex.get('/probe')), null, 'the browser was told to forget it');
  });

  it('keeps nothing from before the sign-in', async (t) => {
    const { visitor } = await openSignIn(t, () => demoSignIn());
    const victim = visitor();
    const planted = await victim.get('/sign-in');
    const before = sessionOf(victim);
    const attacker = visitor();
    attacker.cookies.set(SESSION_COOKIE, before);
    await victim.post('/sign-in', { _csrf: csrfTokenOf(planted), person: ALEX, back: '/' });
    assert.notEqual(sessionOf(victim), before);
    assert.equal(personOf(await attacker.get('/probe')), null);
    // A form token from before the sign-in is invalid after it.
    const answer = await victim.post('/sign-out', { _csrf: csrfTokenOf(planted) });
    assert.equal(answer.status, 403);
  });

  it('that was started at Discord cannot be finished twice', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const mona = visitor();
    const callback = await consent(mona);
    assert.equal((await mona.get(callback)).status, 303);
    assert.equal((await mona.get(callback)).status, 400);
    assert.deepEqual(personOf(await mona.get('/probe')), MONA);
  });
});

function sessionOf(visitor: Visitor): string {
  return visitor.cookies.get(SESSION_COOKIE) ?? '';
}
