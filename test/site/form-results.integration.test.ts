/** What a browser gets after a form: a redirect to a page that shows the result once, and not again when it is reloaded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { SUBSCRIBABLE_EVENTS } from '../../src/domain/webhooks/event.ts';
import { issueKey } from '../../src/store/guilds/guilds.ts';
import { rotateLinkSecret } from '../../src/store/moderation/link-secrets.ts';
import { onSqlite, USER } from '../support/api.ts';
import { newVisitor, type Visitor } from './visitor.ts';

const GUILD = '100000000000000001';
const CAST_AT = Date.parse('2026-11-14T12:00:00.000Z');
const DASHBOARD = `/dashboard/${GUILD}`;
const AS_A_BROWSER = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' };

/** `page`: the page with the form. */
type Sent = { page: string; action: string; fields?: Record<string, string> };

type Form = Sent & {
  /** What the page after the form shows, once. */
  shown: RegExp;
  /** Fields that keep what was entered. */
  kept?: RegExp[];
};

const FORMS: Record<string, Form> = {
  'a revealed key': {
    page: `${DASHBOARD}/key`,
    action: `${DASHBOARD}/key/reveal`,
    shown: /vty_[0-9A-Za-z]{36}/,
  },
  'a revealed secret of vote links': {
    page: `${DASHBOARD}/settings`,
    action: `${DASHBOARD}/settings/link-secret/reveal`,
    shown: /vls_[^•<]{10}/,
  },
  'a refused webhook': {
    page: `${DASHBOARD}/webhooks`,
    action: `${DASHBOARD}/webhooks`,
    fields: { url: 'https://10.0.0.1/hook?a=é', vote_received: 'on' },
    shown: /id="form-error" role="alert"[^>]* autofocus/,
    kept: [/value="https:\/\/10\.0\.0\.1\/hook\?a=é"/],
  },
  'a refused profile': {
    page: `${DASHBOARD}/settings/profile`,
    action: `${DASHBOARD}/settings/profile`,
    fields: { description: 'A description that is kept', invite: 'https://example.com/not-discord' },
    shown: /aria-invalid="true" autofocus/,
    kept: [/>A description that is kept<\/textarea>/, /value="https:\/\/example\.com\/not-discord"/],
  },
  'a ban with a date in the past': {
    page: '/operator/ban?user_id=200000000000000009',
    action: '/operator/bans',
    fields: { user_id: '200000000000000009', until: '2020-01-01', reason: 'Scripts' },
    shown: /role="alert"[^>]* autofocus/,
    kept: [/value="2020-01-01"/, /value="Scripts"/],
  },
  'votes to void in a period that ends before it starts': {
    page: `/operator/void?guild_id=${GUILD}&user_id=${USER}&at=${CAST_AT}`,
    action: '/operator/void',
    fields: {
      guild_id: GUILD,
      user_id: USER,
      at: String(CAST_AT),
      which: 'user',
      from: '2026-11-10',
      to: '2026-11-09',
    },
    shown: /role="alert"[^>]* autofocus/,
    kept: [/value="2026-11-10"/, /value="2026-11-09"/],
  },
  'a form with an error page': {
    page: `/operator/communities/${GUILD}`,
    action: `/operator/communities/${GUILD}/rename`,
    fields: { name: '   ' },
    shown: /class="card center fault"/,
  },
};

onSqlite('after a form', (open) => {
  async function openAsAlex() {
    const api = await open();
    const { app, store, secrets, clock } = api;
    await store.guilds.add({ guildId: GUILD, name: 'Forms', createdAt: CAST_AT });
    await issueKey(store, secrets, GUILD, clock());
    await rotateLinkSecret(store, secrets, GUILD, clock());
    const vote = { guildId: GUILD, userId: USER, castAt: CAST_AT, externalId: null, isDoubled: false };
    await store.votes.cast(vote);
    const alex = newVisitor(app, AS_A_BROWSER);
    await alex.signIn('Alex');
    return { ...api, alex };
  }

  /** Sends a form from its page, and follows the redirect twice: at first, and as a reload does. */
  async function send(app: FastifyInstance, alex: Visitor, { page, action, fields }: Sent) {
    const browser = newVisitor(app, { ...AS_A_BROWSER, referer: `https://localhost${page}` });
    for (const [name, value] of alex.cookies) browser.cookies.set(name, value);
    const answer = await browser.submit(await browser.get(page), action, fields);
    assert.equal(answer.status, 303);
    const [next = ''] = answer.location?.split('#') ?? [];
    return { first: await browser.get(next), reloaded: await browser.get(next) };
  }

  for (const [name, { shown, kept = [], ...form }] of Object.entries(FORMS)) {
    test(`the page shows the result once: ${name}`, async () => {
      const { app, alex } = await openAsAlex();
      const { first, reloaded } = await send(app, alex, form);
      for (const part of [shown, ...kept]) assert.match(first.text, part);
      assert.equal(reloaded.status, 200);
      assert.doesNotMatch(reloaded.text, shown);
    });
  }

  test('the page shows a revealed webhook secret and a refused edit once', async () => {
    const { app, alex, store } = await openAsAlex();
    const page = `${DASHBOARD}/webhooks`;
    await alex.submit(await alex.get(page), page, {
      url: 'http://127.0.0.1:1029/votes',
      vote_received: 'on',
    });
    const [endpoint] = await store.webhooks.listEndpoints(GUILD);
    const own = `${page}/${endpoint?.endpointId}`;
    const revealed = await send(app, alex, { page, action: `${own}/reveal` });
    assert.match(revealed.first.text, /whsec_[0-9A-Za-z+/]{43}=/);
    assert.doesNotMatch(revealed.reloaded.text, /whsec_[0-9A-Za-z+/]{43}=/);
    const fields = { url: 'https://10.0.0.1/', vote_received: 'on' };
    const edited = await send(app, alex, { page: `${own}/edit`, action: `${own}/edit`, fields });
    assert.match(edited.first.text, /id="form-error"[^>]* autofocus/);
    assert.match(edited.first.text, /value="https:\/\/10\.0\.0\.1\/"/);
    assert.doesNotMatch(edited.reloaded.text, /form-error"[^>]* autofocus|10\.0\.0\.1/);
  });

  test('the response is the page itself if the form is too long for a cookie', async () => {
    const { alex } = await openAsAlex();
    const page = `${DASHBOARD}/webhooks`;
    const text = 'An é '.repeat(190);
    const answer = await alex.submit(await alex.get(`${page}?kind=discord`), page, {
      kind: 'discord',
      url: 'https://example.com/not-discord',
      ...Object.fromEntries(SUBSCRIBABLE_EVENTS.map((event) => [`template_${event}`, text])),
    });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /id="form-error"[^>]* autofocus/);
    assert.ok(answer.text.includes(`>${text}</textarea>`));
    assert.match(answer.text, new RegExp(`data-page-address="${page}`));
  });
});
