import assert from 'node:assert/strict';
import { test, useSite } from '../support/browser.ts';

const site = await useSite();

test('an empty listing invites to list the first community', async (t) => {
  const page = await site.open(t, '/');
  await page.getByRole('heading', { name: 'No communities yet' }).waitFor();
  const link = page.getByRole('link', { name: 'List my community' });
  assert.equal(await link.getAttribute('href'), '/dashboard');
});

test('a visitor searches by keyboard, turns pages, and gets to a voting page', async (t) => {
  for (let index = 0; index < 25; index += 1) {
    const guildId = String(300000000000000000n + BigInt(index));
    await site.store.guilds.add({ guildId, name: `Castle ${index}`, createdAt: site.clock() });
  }
  site.clock.advance(10_000);
  const page = await site.open(t, '/', { hasJavaScript: false, width: 360 });
  assert.equal(await page.getByRole('listitem').count(), 20);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByText('Page 2').waitFor();
  assert.equal(await page.getByRole('listitem').count(), 5);

  await page.getByRole('searchbox', { name: 'Search communities' }).fill('castle 17');
  await page.keyboard.press('Enter');
  await page.getByText('Results for “castle 17”').waitFor();
  assert.equal(await page.getByRole('listitem').count(), 1);
  await page.getByRole('link', { name: 'Vote for Castle 17' }).click();
  await page.getByRole('heading', { name: 'Castle 17' }).waitFor();
});

test('the frame of the page leads to the dashboard and the API guide', async (t) => {
  const page = await site.open(t, '/', { locale: 'fr' });
  const navigation = page.getByRole('navigation', { name: 'Navigation principale' });
  assert.equal(
    await navigation.getByRole('link', { name: 'Tableau de bord' }).getAttribute('href'),
    '/dashboard',
  );
  assert.equal(await navigation.getByRole('link', { name: 'API' }).getAttribute('href'), '/docs');
});
