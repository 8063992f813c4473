import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { issueKey } from '../../../src/store/guilds/guilds.ts';
import { test, useSite } from '../../support/browser/browser.ts';

/** The guild that the demo user Alex administers. Sam administers none. */
const GUILD = '100000000000000001';
const site = await useSite();
const DASHBOARD = `/dashboard/${GUILD}`;

await seed();

async function seed(): Promise<void> {
  const now = site.clock();
  await site.store.guilds.add({ guildId: GUILD, name: 'Demo Community', createdAt: now });
  await issueKey(site.store, site.secrets, GUILD, now);
  const votes = Array.from({ length: 70 }, (_, index) => ({
    guildId: GUILD,
    userId: String(200000000000000001n + BigInt(index % 9)),
    castAt: now - (index + 2) * 9 * HOUR_MS,
    externalId: index % 3 === 0 ? null : `Player_${index % 9}`,
    isDoubled: index % 4 === 0,
  }));
  await site.store.votes.import(
    (async function* () {
      yield votes;
    })(),
    now,
  );
}

/** Clicks through to the key, as a user does. */
async function revealKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Reveal' }).click();
  const key = await page.locator('#key').textContent();
  assert.match(key ?? '', /^vty_[0-9A-Za-z]{36}$/);
  return key ?? '';
}

/** A page that may use the clipboard, and what is on it. */
async function openWithClipboard(t: TestContext, path: string) {
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url });
  const page = await context.newPage();
  await page.goto(path);
  return { page, copied: async () => String(await page.evaluate('navigator.clipboard.readText()')) };
}

test('the key can be copied without being shown, and this is recorded', async (t) => {
  const { page, copied } = await openWithClipboard(t, `${DASHBOARD}/key`);
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const key = await copied();
  assert.equal((await site.api('/v7/vote-check?external_id=x', key)).status, 200);
  assert.equal((await page.content()).includes(key), false);
  await page.getByText('Python', { exact: true }).and(page.locator('label')).click();
  assert.match((await page.locator('#python').textContent()) ?? '', /urllib/);
  assert.equal(await page.locator('#curl').isVisible(), false);
  await page.getByRole('link', { name: 'Activity' }).click();
  assert.match((await page.getByRole('row').nth(1).textContent()) ?? '', /Alex.*Copied the API key/);
});

test('copying puts a revealed key, the command and a webhook secret on the clipboard', async (t) => {
  const { page, copied } = await openWithClipboard(t, `${DASHBOARD}/key`);
  const key = await revealKey(page);
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await copied(), key);
  await page.getByRole('button', { name: 'Copy the curl example' }).click();
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
  assert.match(await copied(), /^curl -k -X POST "https:.*Bearer vty_/);

  await page.goto(`${DASHBOARD}/webhooks`);
  await page.getByLabel('Receiver URL').fill('http://127.0.0.1:1029/votes');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('button', { name: 'Reveal secret' }).click();
  await page.getByRole('button', { name: 'Copy secret' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.match(await copied(), /^whsec_[0-9A-Za-z+/]{43}=$/);
});

test('one part of Developer & API is shown at a time, by any anchor inside it, without scripts', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/key`, { signedInAs: 'Alex', hasJavaScript: false });
  const shown = async () =>
    page
      .locator('.part-page')
      .evaluateAll((parts) => parts.filter((part) => part.checkVisibility()).map(({ id }) => id));
  assert.deepEqual(await shown(), ['part-key']);
  await page.getByRole('link', { name: 'Buttons', exact: true }).click();
  assert.deepEqual(await shown(), ['part-buttons']);
  assert.equal(await page.getByRole('link', { name: 'Key', exact: true }).isVisible(), true);
  await page.getByRole('link', { name: 'Links', exact: true }).click();
  assert.deepEqual(await shown(), ['part-links']);
  await page.locator('#external-id').fill('Steve_42');
  await page.getByRole('button', { name: 'Build link' }).click();
  await page.locator('#custom-link[href$="external_id=Steve_42"]').waitFor();
  for (const [anchor, part] of Object.entries({
    'test-vote': 'part-key',
    'try-it': 'part-key',
    'vote-links': 'part-links',
    'vote-button': 'part-buttons',
  })) {
    await page.goto(`${DASHBOARD}/key#${anchor}`);
    assert.deepEqual(await shown(), [part], anchor);
  }
});

test('without scripts no control is shown that needs one', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/key#vote-links`, {
    signedInAs: 'Alex',
    hasJavaScript: false,
  });
  assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0);
  await page.getByRole('button', { name: 'Build link' }).waitFor();
  await page.goto(`${DASHBOARD}/votes`);
  assert.equal(await page.getByText('Live: this page updates automatically.').isVisible(), false);
  await page.goto(DASHBOARD);
  assert.equal(await page.locator('.bars-plot').first().isVisible(), true);
});

test('the custom link updates while typing, and is not offered for an invalid external_id', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/key#vote-links`, { signedInAs: 'Alex' });
  const input = page.locator('#external-id');
  const link = page.locator('#custom-link');
  await input.fill('Zoé & co');
  const expected = `${site.url}/guild/${GUILD}/vote?external_id=Zo%C3%A9%20%26%20co`;
  assert.equal(await link.getAttribute('href'), expected);
  assert.equal(await link.textContent(), expected);
  await input.fill('🙂'.repeat(191));
  assert.equal(await link.isVisible(), true);
  for (const wrong of ['🙂'.repeat(192), 'a\tb', 'a\u202eb']) {
    await input.fill(wrong);
    await page.getByText('1 to 191 characters').waitFor();
    assert.deepEqual([await link.isVisible(), await input.getAttribute('aria-invalid')], [false, 'true']);
  }
  await input.fill('Steve_42');
  assert.deepEqual([await link.isVisible(), await input.getAttribute('aria-invalid')], [true, null]);
});

test('the bar under the pointer shows its value, under the strictest content security policy', async (t) => {
  const page = await site.open(t, '/', { signedInAs: 'Alex' });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(DASHBOARD);
  for (const slot of [page.locator('.slot').first(), page.locator('.slot').nth(30)]) {
    await slot.locator('.hit').hover();
    await page.locator('.chart-tip').first().waitFor();
    assert.match(
      (await page.locator('.chart-tip').first().textContent()) ?? '',
      /^\w+ \d+, 2026: \d+ votes?, \d+ doubled$/,
    );
  }
  assert.deepEqual(complaints, []);
});

test('no part of a chart overflows its card, even on a phone', async (t) => {
  const page = await site.open(t, `${DASHBOARD}?days=90`, { signedInAs: 'Alex' });
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const outside =
      await page.evaluate(`[...document.querySelectorAll('.bars text, .bars rect')].filter((part) => {
      const card = part.closest('.card').getBoundingClientRect();
      const { left, right, top, bottom, width } = part.getBoundingClientRect();
      return width > 0 && (left < card.left || right > card.right || top < card.top || bottom > card.bottom);
    }).length`);
    assert.equal(outside, 0);
  }
});

test('votes can be filtered by user and downloaded with the keyboard alone', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/votes`, { signedInAs: 'Alex' });
  await page.getByLabel('User id').focus();
  await page.keyboard.type('200000000000000001');
  await page.keyboard.press('Enter');
  await page.waitForURL(/user=200000000000000001/);
  assert.equal(await page.locator('tbody tr').count(), 8);
  await page.getByRole('button', { name: 'Download CSV' }).focus();
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  assert.match(
    download.suggestedFilename(),
    /^votes-100000000000000001-200000000000000001-2026-11-01-to-2026-11-18\.csv$/,
  );
});
