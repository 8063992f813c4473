import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { issueKey } from '../../src/store/guilds/guilds.ts';
import { onSqlite } from '../support/api.ts';
import { newVisitor, tokenOf, type Visitor } from './visitor.ts';

const GUILD = '100000000000000001';
const TAB = `/dashboard/${GUILD}/key`;
const COOKIE = '__Host-votary_flash';
const KEY = /vty_[0-9A-Za-z]{36}/;
const FORM = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' };

/** Sends the form that reveals the key, as a browser does. */
async function reveal(app: FastifyInstance, visitor: Visitor, headers: Record<string, string> = FORM) {
  const token = tokenOf(await visitor.get(TAB));
  const answer = await app.inject({
    method: 'POST',
    url: `${TAB}/reveal`,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    cookies: Object.fromEntries(visitor.cookies),
    payload: new URLSearchParams({ _csrf: token }).toString(),
  });
  for (const { name, value } of answer.cookies) visitor.cookies.set(name, value);
  return answer;
}

onSqlite('the result of a form', (open) => {
  async function openAsAlex() {
    const opened = await open();
    const { app, store, secrets, clock } = opened;
    await store.guilds.add({ guildId: GUILD, name: 'Demo', createdAt: clock() });
    await issueKey(store, secrets, GUILD, clock());
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    return { ...opened, visitor };
  }

  test('follows a redirect in a short-lived cookie for this site only, and is shown once', async () => {
    const { app, visitor } = await openAsAlex();
    const answer = await reveal(app, visitor);
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, TAB]);
    const { value, ...attributes } = answer.cookies.find(({ name }) => name === COOKIE) ?? { value: '' };
    assert.deepEqual(attributes, {
      name: COOKIE,
      maxAge: 60,
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    });
    assert.doesNotMatch(Buffer.from(value, 'base64url').toString('latin1'), /vty_|isKeyShown/);
    assert.doesNotMatch((await visitor.get(`/dashboard/${GUILD}`)).text, KEY);
    assert.match((await visitor.get(TAB)).text, KEY);
    assert.equal(visitor.cookies.get(COOKIE), '');
    assert.doesNotMatch((await visitor.get(TAB)).text, KEY);
  });

  test('is not shown after a minute, nor to the next user who signs in', async () => {
    const { app, visitor, clock } = await openAsAlex();
    await reveal(app, visitor);
    clock.advance(MINUTE_MS);
    assert.doesNotMatch((await visitor.get(TAB)).text, KEY);
    await reveal(app, visitor);
    const flash = visitor.cookies.get(COOKIE) ?? '';
    visitor.cookies.delete(COOKIE);
    await visitor.signIn('Sam');
    visitor.cookies.set(COOKIE, flash);
    assert.equal((await visitor.get(TAB)).status, 403);
    assert.equal(visitor.cookies.get(COOKIE), flash, 'it was not even opened');
  });

  test('is never compressed, because it may be a secret', async () => {
    const { app, visitor } = await openAsAlex();
    await reveal(app, visitor);
    const cookies = Object.fromEntries(visitor.cookies);
    const page = await app.inject({ url: TAB, headers: { 'accept-encoding': 'br' }, cookies });
    assert.match(page.payload, KEY);
    assert.equal(page.headers['content-encoding'], undefined);
  });

  test('is the response itself for programs, which read its status', async () => {
    const { app, visitor } = await openAsAlex();
    for (const headers of [{}, { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' }]) {
      const answer = await reveal(app, visitor, headers);
      assert.equal(answer.statusCode, 200);
      assert.match(answer.payload, KEY);
      assert.match(answer.payload, new RegExp(`data-page-address="${TAB}"`));
    }
  });

  test('of a form from another site sets no cookie', async () => {
    const { app, visitor } = await openAsAlex();
    const answer = await reveal(app, visitor, { ...FORM, 'sec-fetch-site': 'cross-site' });
    assert.equal(answer.statusCode, 403);
    assert.ok(!answer.cookies.some(({ name }) => name === COOKIE));
  });

  test('is an error page with its status and time to wait, at the URL of the form', async () => {
    const { app, visitor, clock } = await openAsAlex();
    const headers = { ...FORM, referer: `https://localhost${TAB}` };
    for (let count = 0; count < 60; count++) await reveal(app, visitor, headers);
    visitor.cookies.delete(COOKIE);
    const answer = await reveal(app, visitor, headers);
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, TAB]);
    clock.advance(1000);
    const page = await app.inject({ url: TAB, cookies: Object.fromEntries(visitor.cookies) });
    assert.deepEqual([page.statusCode, page.headers['retry-after']], [429, '3600']);
    assert.equal((await visitor.get(`${TAB}?again`)).status, 200);
  });
});
