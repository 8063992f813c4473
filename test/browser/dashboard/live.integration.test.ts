import assert from 'node:assert/strict';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { addEndpoint } from '../../store/webhook-fixtures.ts';
import { test, textOf, useSite } from '../../support/browser/browser.ts';

const GUILD = '100000000000000001';
const DASHBOARD = `/dashboard/${GUILD}`;
const VOTER = '200000000000000077';
const site = await useSite();

await site.store.guilds.add({ guildId: GUILD, name: 'Live', createdAt: site.clock() });
await site.store.users.remember({ userId: VOTER, name: 'Zoé', avatar: null }, site.clock());
await addEndpoint(site.store, GUILD);
await cast('200000000000000078');

/** As if another process had accepted it: the server has to find it in the database. */
async function cast(userId: string): Promise<void> {
  const castAt = site.clock();
  const vote = { guildId: GUILD, userId, castAt, externalId: null, isDoubled: false };
  assert.equal((await site.store.votes.cast(vote)).kind, 'accepted');
  site.clock.advance(HOUR_MS);
}

test('a vote appears in the list and in the figures without a reload', async (t) => {
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  const [list, overview] = [await context.newPage(), await context.newPage()];
  const complaints: string[] = [];
  for (const page of [list, overview]) page.on('pageerror', (error) => complaints.push(error.message));
  await list.goto(`${DASHBOARD}/votes`);
  await overview.goto(DASHBOARD);
  for (const page of [list, overview])
    await page.getByText('Live: this page updates automatically.').waitFor();
  await overview.getByText('Show as a table').first().click();
  await overview.locator('h1').click();
  await cast(VOTER);

  await list.locator('tr.fresh').getByText('Zoé').waitFor();
  assert.equal(await list.locator('tbody tr').count(), 2);
  assert.equal(await list.locator('tr.fresh .copy-id').isVisible(), true);
  await overview.locator('#live-figures').getByText('2', { exact: true }).first().waitFor();
  assert.match(await textOf(overview.locator('.figure').first()), /^Votes today 2|^Votes today2/);
  // Open details stay open, and the bars of a new chart have tooltips too.
  assert.equal(await overview.locator('#days-table').isVisible(), true);
  await overview.locator('.slot .hit').nth(30).hover();
  await overview.locator('.chart-tip:visible').waitFor();
  assert.deepEqual(complaints, []);
});

test('a hidden page disconnects, and catches up when it becomes visible again', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/votes`, { signedInAs: 'Alex' });
  await page.getByText('Live: this page updates automatically.').waitFor();
  const rows = await page.locator('tbody tr').count();
  const show = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));`);
  await show(true);
  await cast('200000000000000079');
  await show(false);
  await page.locator('tr.fresh').waitFor();
  assert.equal(await page.locator('tbody tr').count(), rows + 1);
});

test('a delivery appears in the webhook log without a reload', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/webhooks`, { signedInAs: 'Alex' });
  await page.getByText('Live: this page updates automatically.').waitFor();
  const rows = await page.locator('#live-log tbody tr').count();
  await cast('200000000000000080');
  await page.locator(`#live-log tbody tr:nth-child(${rows + 1})`).waitFor();
});
