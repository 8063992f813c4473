import assert from 'node:assert/strict';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { test, useSite } from '../../support/browser/browser.ts';

/** Every voter is challenged, as on a network where many have voted. */
const site = await useSite({ VOTARY_NETWORK_VOTES: '1,60' });
const GUILD = '300000000000000001';
await site.store.guilds.add({ guildId: GUILD, name: 'Castle', createdAt: site.clock() });

test('a voter on a busy network votes with one click, which waits for the challenge', async (t) => {
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`/guild/${GUILD}/vote`);
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await page.getByText('Your vote has been counted').waitFor();
  assert.deepEqual(problems, []);
});

test('nobody can vote before the script that solves the challenge has loaded', async (t) => {
  site.clock.advance(HOUR_MS);
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  const { promise: mayArrive, resolve: arrive } = Promise.withResolvers<void>();
  await context.route('**/challenge.js*', async (route) => {
    await mayArrive;
    await route.continue();
  });
  const page = await context.newPage();
  const requested = page.waitForRequest('**/challenge.js*');
  await page.goto(`/guild/${GUILD}/vote`, { waitUntil: 'commit' });
  await requested;
  const button = page.getByRole('button', { name: 'Vote', exact: true });
  assert.equal(await button.isVisible(), false);
  arrive();
  await button.click();
  await page.getByText('Your vote has been counted').waitFor();
});

test('a browser that cannot solve the challenge never says that the vote will be sent', async (t) => {
  site.clock.advance(HOUR_MS);
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  await context.route('**/challenge-worker.js*', (route) => route.abort());
  const page = await context.newPage();
  await page.goto(`/guild/${GUILD}/vote`);
  const failed = page.getByText('The check did not work in this browser');
  await failed.waitFor();
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  assert.ok(await failed.isVisible());
});

test('the challenge is solved while the voter reads the page', async (t) => {
  const page = await site.open(t, `/guild/${GUILD}/vote`, { signedInAs: 'Sam' });
  await page.getByText('Check complete. You can vote.').waitFor();
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await page.getByText('Your vote has been counted').waitFor();
});
