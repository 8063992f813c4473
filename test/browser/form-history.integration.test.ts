/**
 * Forms and the history of the browser, without scripts: neither Reload nor Back sends a form again. These are the three
 * kinds of results; test/site/form-results.integration.test.ts has all forms.
 */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { issueKey } from '../../src/store/guilds/guilds.ts';
import { test, useSite } from '../support/browser/browser.ts';

const GUILD = '100000000000000001';
const DASHBOARD = `/dashboard/${GUILD}`;
const site = await useSite();
const { store, secrets, clock } = site;

await store.guilds.add({ guildId: GUILD, name: 'Forms', createdAt: clock() });
await issueKey(store, secrets, GUILD, clock());

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
  'a refused webhook': {
    path: `${DASHBOARD}/webhooks`,
    async send(page) {
      await page.getByLabel('Receiver URL').fill('https://10.0.0.1/hook?a=é');
      await page.locator('.add-form button').click();
    },
    shown: '#form-error:focus',
    reloaded: 'form[action$="/webhooks"]',
    kept: { url: 'https://10.0.0.1/hook?a=é' },
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
    await page.goto('/sign-in');
    await page.goBack();
    await page.locator(reloaded).waitFor();
    await page.goBack();
    await page.goForward();
    await page.locator(reloaded).waitFor();
    assert.equal(await page.locator(shown).count(), 0);
    assert.equal(sent.length, 1);
  });
}
