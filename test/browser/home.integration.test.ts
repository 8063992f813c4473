import assert from 'node:assert/strict';
import { assertFits, test, useSite } from '../support/browser/browser.ts';

const site = await useSite();

test('an empty listing invites visitors to list the first community', async (t) => {
  const page = await site.open(t, '/');
  await page.getByRole('heading', { name: 'No communities yet' }).waitFor();
  const link = page.getByRole('link', { name: 'List my community' });
  assert.equal(await link.getAttribute('href'), '/dashboard');
});

test('a visitor searches with the keyboard, pages through results, and reaches a voting page', async (t) => {
  for (let index = 0; index < 25; index += 1) {
    const guildId = String(300000000000000000n + BigInt(index));
    await site.store.guilds.add({ guildId, name: `Castle ${index}`, createdAt: site.clock() });
  }
  site.clock.advance(10_000);
  const page = await site.open(t, '/', { hasJavaScript: false, width: 360 });
  const rows = page.locator('.guilds').getByRole('listitem');
  assert.equal(await rows.count(), 20);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(/page=2/);
  assert.equal(await rows.count(), 5);

  await page.getByRole('searchbox', { name: 'Search communities' }).fill('castle 17');
  await page.keyboard.press('Enter');
  await page.getByText('1 result for “castle 17”').waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByRole('link', { name: 'Vote for Castle 17' }).click();
  await page.getByRole('heading', { name: 'Castle 17' }).waitFor();
});

test('a visitor sorts, filters and opens a community, on a phone and with the keyboard', async (t) => {
  const [guildId, other] = ['310000000000000001', '310000000000000002'];
  for (const [id, name] of [
    [guildId, 'Harbor'],
    [other, 'Lighthouse'],
  ] as const)
    await site.store.guilds.add({ guildId: id, name, createdAt: site.clock() });
  const profile = { description: 'Ships & storms', tags: ['sailing'], language: 'fr' as const, invite: null };
  await site.store.profiles.set(guildId, profile);
  site.clock.advance(10_000);
  const page = await site.open(t, '/', { width: 360 });
  await assertFits(page);
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByRole('combobox', { name: 'Tag' }).selectOption('sailing');
  await page.getByRole('combobox', { name: 'Language' }).selectOption('French');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(/tag=sailing&language=fr&sort=new/);
  await page.getByText('1 community').waitFor();
  // The whole row is a link.
  await page.getByRole('listitem').filter({ hasText: 'Ships & storms' }).click();
  await page.getByRole('heading', { name: 'Harbor' }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/guild/${guildId}`);
});

test('header and footer link to the dashboard and the API documentation', async (t) => {
  const page = await site.open(t, '/', { locale: 'fr' });
  const navigation = page.getByRole('navigation', { name: 'Navigation principale' });
  assert.equal(
    await navigation.getByRole('link', { name: 'Tableau de bord' }).getAttribute('href'),
    '/dashboard',
  );
  assert.equal(await navigation.getByRole('link', { name: 'API' }).getAttribute('href'), '/docs');
});
