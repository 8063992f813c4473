/** Forms and the history of the browser, without scripts: neither Reload nor Back sends a form again. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { issueKey } from '../../src/store/guilds.ts';
import { rotateLinkSecret } from '../../src/store/moderation/link-secrets.ts';
import { test, useSite } from '../support/browser/browser.ts';

const GUILD = '100000000000000001';
const USER = '200000000000000001';
const DASHBOARD = `/dashboard/${GUILD}`;
const site = await useSite();
const { store, secrets, clock } = site;
const castAt = clock();

await store.guilds.add({ guildId: GUILD, name: 'Forms', createdAt: castAt });
await issueKey(store, secrets, GUILD, castAt);
await rotateLinkSecret(store, deriveSecrets('a master secret for tests'), GUILD, castAt);
await store.votes.cast({ guildId: GUILD, userId: USER, castAt, externalId: null, isDoubled: false });

type Case = {
  path: string;
  /** Sends the form. */
  send(page: Page): Promise<void>;
  /** What the page after the form shows, once. */
  shown: string;
  /** What a reload shows instead: the page without the result of the form. */
  reloaded: string;
  /** Fields that keep what was entered. */
  kept?: Record<string, string>;
};

const submit = (page: Page, action: string) => page.locator(`form[action*="${action}"] button`).click();

const CASES: Record<string, Case> = {
  'a revealed key': {
    path: `${DASHBOARD}/key`,
    send: (page) => submit(page, '/key/reveal'),
    shown: '#key',
    reloaded: 'form[action$="/key/reveal"]',
  },
  'a revealed secret of vote links': {
    path: `${DASHBOARD}/settings`,
    send: (page) => submit(page, '/link-secret/reveal'),
    shown: '#link-secret:text-matches("vls_[^•]{10}")',
    reloaded: 'form[action$="/link-secret/reveal"]',
  },
  'a refused webhook': {
    path: `${DASHBOARD}/webhooks`,
    async send(page) {
      await page.getByLabel('Receiver URL').fill('https://10.0.0.1/hook?a=é');
      await submit(page, '/webhooks#');
    },
    shown: '#form-error:focus',
    reloaded: 'form[action$="/webhooks#form-error"]',
    kept: { url: 'https://10.0.0.1/hook?a=é' },
  },
  'a refused profile': {
    path: `${DASHBOARD}/settings/profile`,
    async send(page) {
      await page.locator('#description').fill('A description that is kept');
      await page.locator('#invite').fill('https://example.com/not-discord');
      await page.locator('.profile-form button[formmethod="post"]').click();
    },
    shown: '#invite[aria-invalid]:focus',
    reloaded: '.profile-form',
    kept: { description: 'A description that is kept', invite: 'https://example.com/not-discord' },
  },
  'a ban with a date in the past': {
    path: '/operator/ban?user_id=200000000000000009',
    async send(page) {
      await page.locator('#until').fill('2020-01-01');
      await page.locator('#reason').fill('Scripts');
      await submit(page, '/operator/bans');
    },
    shown: '[role="alert"]:focus',
    reloaded: 'form[action="/operator/bans"]',
    kept: { until: '2020-01-01', reason: 'Scripts' },
  },
  'votes to void in a period that ends before it starts': {
    path: `/operator/void?guild_id=${GUILD}&user_id=${USER}&at=${castAt}`,
    async send(page) {
      await page.locator('#from').fill('2026-11-10');
      await page.locator('#to').fill('2026-11-09');
      await submit(page, '/operator/void');
    },
    shown: '[role="alert"]:focus',
    reloaded: 'form[action="/operator/void"]',
    kept: { from: '2026-11-10', to: '2026-11-09' },
  },
  'a form with an error page': {
    path: `/operator/communities/${GUILD}`,
    async send(page) {
      await page.locator('#name').fill('   ');
      await submit(page, '/rename');
    },
    shown: '.fault',
    reloaded: '#name',
  },
};

for (const [name, { path, send, shown, reloaded, kept = {} }] of Object.entries(CASES)) {
  test(`reloading and going back never send a form again: ${name}`, async (t) => {
    const page = await site.open(t, '/', { signedInAs: 'Alex', hasJavaScript: false });
    const sent: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
    await page.goto(path);
    await send(page);
    await page.locator(shown).waitFor();
    for (const [id, value] of Object.entries(kept)) assert.equal(await page.inputValue(`#${id}`), value);
    assert.equal(
      (await page
        .getByText('vty_')
        .filter({ hasText: /vty_[0-9A-Za-z]{36}/ })
        .count()) > 0,
      name === 'a revealed key',
    );
    await page.reload();
    await page.locator(reloaded).waitFor();
    assert.equal(await page.locator(shown).count(), 0);
    await page.goto('/docs');
    await page.goBack();
    await page.locator(reloaded).waitFor();
    await page.goBack();
    await page.goForward();
    await page.locator(reloaded).waitFor();
    assert.equal(await page.locator(shown).count(), 0);
    assert.equal(sent.length, 1);
  });
}

test('a revealed webhook secret and a refused edit are shown once', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/webhooks`, { signedInAs: 'Alex', hasJavaScript: false });
  const sent: string[] = [];
  page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
  await page.getByLabel('Receiver URL').fill('http://127.0.0.1:1029/votes');
  await submit(page, '/webhooks#');
  await page.getByRole('button', { name: 'Reveal secret' }).click();
  await page.getByText(/^whsec_[0-9A-Za-z+/]{43}=$/).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Reveal secret' }).waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.locator('#url').fill('https://10.0.0.1/');
  await submit(page, '/edit');
  await page.locator('#form-error:focus').waitFor();
  assert.equal(await page.inputValue('#url'), 'https://10.0.0.1/');
  await page.reload();
  await page.locator('form[action*="/edit"]').waitFor();
  assert.equal(sent.length, 3);
});

test('a form that is too long for a cookie gets the page itself as its response', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/webhooks?kind=discord`, {
    signedInAs: 'Alex',
    hasJavaScript: false,
  });
  const text = 'An é '.repeat(190);
  await page.locator('#url').fill('https://example.com/not-discord');
  await page
    .locator('summary')
    .filter({ hasText: /text|template|message/i })
    .first()
    .click();
  const areas = page.locator('textarea');
  for (const area of await areas.all()) await area.fill(text);
  await submit(page, '/webhooks#');
  await page.locator('#form-error').waitFor();
  assert.equal(await areas.first().inputValue(), text);
});
