import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { test, useSite, type Visit } from '../../support/browser/browser.ts';

/** The guild that the demo user Alex administers. Sam administers none. */
const GUILD = '100000000000000001';
const HOSTILE = '<img src=x onerror=alert(1)> & "Friends"';
const site = await useSite();
const DASHBOARD = `/dashboard/${GUILD}`;

await seed();

async function seed(): Promise<void> {
  const now = site.clock();
  await site.store.guilds.add({ guildId: GUILD, name: HOSTILE, createdAt: now });
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

/** Generates a key in a guild without one, then a second one; returns both. */
async function makeTwoKeys(
  t: TestContext,
  visit: Visit,
): Promise<{ page: Page; first: string; second: string }> {
  await site.store.guilds.setKey(GUILD, null);
  const page = await site.open(t, DASHBOARD, { signedInAs: 'Alex', ...visit });
  await page.getByRole('link', { name: 'Developer & API' }).click();
  await page.getByRole('button', { name: 'Generate my API key' }).click();
  const first = await revealKey(page);
  assert.equal((await site.api('/v7/vote-check?external_id=x', first)).status, 200);

  await page.getByRole('link', { name: 'Regenerate' }).click();
  await page.getByText('The old key stops working immediately.').waitFor();
  assert.equal((await site.api('/v7/vote-check?external_id=x', first)).status, 200);
  await page.getByRole('button', { name: 'Regenerate now' }).click();
  return { page, first, second: await revealKey(page) };
}

for (const [name, visit] of [
  ['with scripts', {}],
  ['without scripts, on a phone', { hasJavaScript: false, width: 360 }],
] as const) {
  test(`an admin gets a key, uses it, and replaces it: ${name}`, async (t) => {
    const { page, first, second } = await makeTwoKeys(t, visit);
    const refused = await site.api('/v7/vote-check?external_id=x', first);
    assert.deepEqual([refused.status, refused.body.error], [401, 'INVALID_API_TOKEN']);
    assert.equal((await site.api('/v7/vote-check?external_id=x', second)).status, 200);
    assert.ok((await page.locator('#curl').textContent())?.includes(second));

    await page.getByRole('link', { name: 'Activity' }).click();
    const log = await page.getByRole('row').allTextContents();
    assert.match(log[1] ?? '', /Alex.*Revealed the API key/);
    assert.match(log[2] ?? '', /Alex.*Generated an API key/);
    assert.equal((await page.content()).includes(second), false);
  });
}

test('users who are not admins are rejected', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/key`, { signedInAs: 'Sam' });
  await page.getByRole('heading', { name: 'Access denied' }).waitFor();
  const answer = await page.goto(`${DASHBOARD}/votes`);
  assert.equal(answer?.status(), 403);
});

test('signed-out visitors sign in first and return to the page', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/votes`);
  await page.getByRole('button', { name: 'Alex' }).click();
  await page.waitForURL(`${site.url}${DASHBOARD}/votes`);
  await page.getByRole('heading', { name: 'Recent votes' }).waitFor();
});

test('a community is listed with one click', async (t) => {
  const page = await site.open(t, '/dashboard', { signedInAs: 'Charlie' });
  await page.getByRole('button', { name: 'List this community' }).click();
  await page.getByText('Your community is listed.').waitFor();
  await page.getByRole('heading', { name: 'No votes yet' }).waitFor();
});

test('copying puts the key and the command on the clipboard', async (t) => {
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url });
  const page = await context.newPage();
  await page.goto(`${DASHBOARD}/key`);
  const key = await revealKey(page);
  const copied = () => page.evaluate('navigator.clipboard.readText()');
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await copied(), key);
  await page.getByRole('button', { name: 'Copy the curl example' }).click();
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
  assert.match(String(await copied()), /^curl -k -X POST "https:.*Bearer vty_/);
});

test('the key can be copied without being shown, and this is recorded', async (t) => {
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url });
  const page = await context.newPage();
  await page.goto(`${DASHBOARD}/key`);
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const key = String(await page.evaluate('navigator.clipboard.readText()'));
  assert.equal((await site.api('/v7/vote-check?external_id=x', key)).status, 200);
  assert.equal((await page.content()).includes(key), false);
  await page.locator('summary', { hasText: 'Python' }).click();
  assert.match((await page.locator('#python').textContent()) ?? '', /urllib/);
  assert.equal(await page.locator('#curl').isVisible(), false);
  await page.getByRole('link', { name: 'Activity' }).click();
  assert.match((await page.getByRole('row').nth(1).textContent()) ?? '', /Alex.*Copied the API key/);
});

test('without scripts no script-only controls are shown, and the server builds the custom link', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/key`, { signedInAs: 'Alex', hasJavaScript: false });
  assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0);
  await page.getByLabel('external_id').fill('Zoé & co');
  await page.getByRole('button', { name: 'Build link' }).click();
  await page.getByRole('link', { name: 'external_id=Zo%C3%A9%20%26%20co' }).waitFor();
  await page.goto(DASHBOARD);
  assert.equal(await page.locator('.bars-plot').first().isVisible(), true);
  await page.getByText('Show as a table').first().click();
  await page.getByRole('cell', { name: '3' }).first().waitFor();
  await page.getByRole('link', { name: '90 days' }).click();
  assert.equal(await page.locator('#days-table tbody tr').count(), 90);
});

test('the custom link updates while typing', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/key`, { signedInAs: 'Alex' });
  await page.getByLabel('external_id').fill('Zoé & co');
  const link = page.locator('#custom-link');
  const expected = `${site.url}/guild/${GUILD}/vote?external_id=Zo%C3%A9%20%26%20co`;
  assert.equal(await link.getAttribute('href'), expected);
  assert.equal(await link.textContent(), expected);
});

test('an invalid external_id is marked while it is typed, and no link is offered', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/key`, { signedInAs: 'Alex' });
  const input = page.getByLabel('external_id');
  const link = page.locator('#custom-link');
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
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  const page = await context.newPage();
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
  for (const width of [360, 1280]) {
    const page = await site.open(t, `${DASHBOARD}?days=90`, { signedInAs: 'Alex', width });
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

test('settings can be saved, in French too', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/settings`, { signedInAs: 'Alex', locale: 'fr' });
  await page.getByLabel('Le week-end').check();
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await page.getByText('Paramètres enregistrés.').waitFor();
  assert.equal((await site.store.guilds.find(GUILD))?.doubling, 'weekends');
  await page.getByRole('link', { name: 'Vue d’ensemble' }).click();
  await page.getByText('Votes aujourd’hui').waitFor();
});

test('a hostile community name is shown as text on every page', async (t) => {
  const page = await site.open(t, DASHBOARD, { signedInAs: 'Alex' });
  for (const tab of ['', '/key', '/votes', '/settings', '/activity']) {
    await page.goto(DASHBOARD + tab);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), HOSTILE);
    assert.equal(await page.locator('main img[src="x"]').count(), 0);
  }
});
