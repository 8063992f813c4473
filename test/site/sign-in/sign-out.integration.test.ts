import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatInstant } from '../../../src/domain/clock.ts';
import { SESSION_COOKIE } from '../../../src/site/session.ts';
import { DEMO_PEOPLE, demoSignIn } from '../../../src/site/sign-in/demo-sign-in.ts';
import { testClock } from '../../support/clock.ts';
import type { Fault } from '../../support/discord/fake-discord.ts';
import {
  type Answer,
  csrfTokenOf,
  openSignIn,
  openWithDiscord,
  personOf,
  signInAsDemo,
  signInByDiscord,
  type Visitor,
} from './support.ts';

const ALEX = '200000000000000101';
const SAM = '200000000000000102';
const MONA = '200000000000000500';

describe('signing out', () => {
  it('removes the user and the cookie', async (t) => {
    const { visitor } = await openSignIn(t, () => demoSignIn());
    const alex = visitor();
    await signInAsDemo(alex, ALEX);
    const page = await alex.get('/sign-in');
    const answer = await alex.post('/sign-out', { _csrf: csrfTokenOf(page) });
    assert.deepEqual([answer.status, answer.location], [303, '/']);
    assert.ok(!alex.cookies.has(SESSION_COOKIE));
    assert.equal(personOf(await alex.get('/probe')), null);
  });

  it('stays on a public page, and leads home from pages that require sign-in', async (t) => {
    const { visitor } = await openSignIn(t, () => demoSignIn());
    const vote = '/guild/100000000000000001/vote?external_id=Steve_42';
    const pages: [referer: string, location: string][] = [
      [`https://localhost${vote}`, vote],
      ['https://localhost/?page=2', '/?page=2'],
      ['https://localhost/dashboard/100000000000000001/key', '/'],
      ['https://localhost/operator', '/'],
      ['https://localhost/sign-in?back=/docs', '/'],
      ['https://localhost//evil.example', '/'],
    ];
    for (const [referer, location] of pages) {
      const alex = visitor();
      await signInAsDemo(alex, ALEX);
      const form = { _csrf: csrfTokenOf(await alex.get('/sign-in')) };
      assert.equal((await alex.post('/sign-out', form, { referer })).location, location);
      // The second click of a double click.
      assert.equal((await alex.post('/sign-out', form, { referer })).location, location);
    }
  });

  it('cannot be done by another site', async (t) => {
    const { visitor } = await openSignIn(t, () => demoSignIn());
    const alex = visitor();
    await signInAsDemo(alex, ALEX);
    for (const form of [{}, { _csrf: '' }, { _csrf: 'guessed-token' }]) {
      const answer = await alex.post('/sign-out', form);
      assert.equal(answer.status, 403);
      assert.ok(answer.text.includes('<h1>This page has expired</h1>'));
    }
    assert.deepEqual(personOf(await alex.get('/probe')), { userId: ALEX, name: DEMO_PEOPLE[0]?.name });
  });

  it('can be repeated', async (t) => {
    const { visitor } = await openSignIn(t, () => demoSignIn());
    assert.equal((await visitor().post('/sign-out', {})).status, 303);
  });

  it('without a session changes no cookie, because browsers do not send it with a form of another site', async (t) => {
    const { visitor } = await openSignIn(t, () => demoSignIn());
    // Older browsers do not send the origin of a form.
    const old = await visitor().post('/sign-out', {});
    assert.deepEqual([old.status, old.headers['set-cookie']], [303, undefined]);
    const recent = await visitor().post('/sign-out', {}, { 'sec-fetch-site': 'cross-site' });
    assert.deepEqual([recent.status, recent.headers['set-cookie']], [403, undefined]);
    assert.ok(recent.text.includes('<h1>This form was sent by another site</h1>'));
  });

  it('accepts our own form, with any fetch metadata', async (t) => {
    const { visitor } = await openSignIn(t, () => demoSignIn());
    for (const site of ['same-origin', 'none']) {
      const alex = visitor();
      await signInAsDemo(alex, ALEX);
      const form = { _csrf: csrfTokenOf(await alex.get('/sign-in')) };
      assert.equal((await alex.post('/sign-out', form, { 'sec-fetch-site': site })).status, 303);
      assert.ok(!alex.cookies.has(SESSION_COOKIE));
    }
  });
});

describe('signing out ends every session of the user', () => {
  it('with all copies of the cookie, in every process', async (t) => {
    const { visitor, store } = await openSignIn(t, () => demoSignIn());
    const other = await openSignIn(t, () => demoSignIn(), { store });
    const [alex, phone, sam] = [visitor(), visitor(), visitor()];
    await signInAsDemo(alex, ALEX);
    await signInAsDemo(phone, ALEX);
    await signInAsDemo(sam, SAM);
    const copies = [copyOf(alex, visitor()), copyOf(alex, other.visitor()), phone];
    for (const copy of copies) assert.notEqual(personOf(await copy.get('/probe')), null);
    await signOut(alex);
    for (const copy of copies) {
      assert.equal((await copy.post('/probe/private', {})).status, 401);
      assert.equal(personOf(await copy.get('/probe')), null);
    }
    assert.notEqual(personOf(await sam.get('/probe')), null);
  });

  it('but not the next one, even if the clock of its process is behind', async (t) => {
    const { visitor, clock, store } = await openSignIn(t, () => demoSignIn());
    const behind = await openSignIn(t, () => demoSignIn(), {
      store,
      clock: testClock(formatInstant(clock() - 5000)),
    });
    const alex = visitor();
    await signInAsDemo(alex, ALEX);
    const copy = copyOf(alex, behind.visitor());
    await signOut(alex);
    const next = behind.visitor();
    await signInAsDemo(next, ALEX);
    assert.notEqual(personOf(await next.get('/probe')), null);
    assert.equal(personOf(await copy.get('/probe')), null);
    // Signing out again where the clock is behind ends this session too.
    const nextCopy = copyOf(next, visitor());
    await signOut(next);
    assert.equal(personOf(await nextCopy.get('/probe')), null);
  });

  it('and reads nothing from the database for visitors without a session, nor for files', async (t) => {
    const { visitor, store } = await openSignIn(t, () => demoSignIn());
    const read = t.mock.method(store.users, 'signedOutAt');
    const alex = visitor();
    for (const path of ['/', '/probe', '/docs']) await alex.get(path);
    assert.equal(read.mock.callCount(), 0);
    await signInAsDemo(alex, ALEX);
    const before = read.mock.callCount();
    const page = await alex.get('/');
    assert.equal(read.mock.callCount(), before + 1);
    const [, file = ''] = /href="(\/assets\/[^"]+\.css[^"]*)"/.exec(page.text) ?? [];
    assert.equal((await alex.get(file)).status, 200);
    assert.equal(read.mock.callCount(), before + 1);
  });

  it('including those of operators, whose sign-in Discord must also accept still', async (t) => {
    const { visitor, discord, clock } = await openWithDiscord(t, {}, { operators: [MONA] });
    const mona = visitor();
    await signInByDiscord(mona);
    assert.equal((await mona.get('/operator')).status, 200);
    const copy = copyOf(mona, visitor());
    assert.equal((await copy.get('/operator')).status, 200);
    discord.faults.revoke = 'error';
    await signOut(mona);
    const ban = await copy.post('/operator/bans', { user_id: '200000000000000009' });
    assert.equal(ban.status, 401);
    copyOf(mona, copy);
    assert.equal((await copy.get('/operator')).status, 303);

    // Revoked at Discord, without a sign-out here: noticed within a minute.
    await signInByDiscord(mona);
    assert.equal((await mona.get('/operator')).status, 200);
    discord.tokens.clear();
    clock.advance(60_000);
    assert.equal((await mona.get('/operator')).status, 303);
  });
});

describe('the Discord token', () => {
  it('is revoked at the sign-out', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    const mona = visitor();
    const elsewhere = visitor();
    await signInByDiscord(mona);
    await signInByDiscord(elsewhere);
    assertSignedOut(mona, await signOut(mona));
    await discord.untilCalled('revoke', 1);
    assert.equal(discord.tokens.size, 0);
    // Discord revoked all tokens of this user, so a copy of the session cannot open a dashboard.
    assert.equal((await elsewhere.get('/probe/guilds')).status, 303);
  });

  for (const fault of ['down', 'slow', 'error', 'limited', 'nonsense'] satisfies Fault[]) {
    it(`is dropped if Discord is ${fault}, and the sign-out neither waits nor fails`, async (t) => {
      const { visitor, discord } = await openWithDiscord(t);
      const mona = visitor();
      await signInByDiscord(mona);
      discord.faults.revoke = fault;
      assertSignedOut(mona, await signOut(mona));
      await discord.untilCalled('revoke', 1);
    });
  }

  it('is not revoked by a form without our token', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    const mona = visitor();
    await signInByDiscord(mona);
    assert.equal((await mona.post('/sign-out', {})).status, 403);
    assert.deepEqual([discord.calls.revoke, discord.tokens.size], [0, 1]);
  });
});

/** Another browser with the same cookies. */
function copyOf(from: Visitor, to: Visitor): Visitor {
  for (const [name, value] of from.cookies) to.cookies.set(name, value);
  return to;
}

async function signOut(visitor: Visitor): Promise<Answer> {
  return visitor.post('/sign-out', { _csrf: csrfTokenOf(await visitor.get('/')) });
}

function assertSignedOut(visitor: Visitor, answer: Answer): void {
  assert.deepEqual([answer.status, answer.location], [303, '/']);
  assert.ok(!visitor.cookies.has(SESSION_COOKIE));
}
