import assert from 'node:assert/strict';
import { assertFits, test, useSite } from '../support/browser/browser.ts';

const site = await useSite();

test('a visitor searches, sorts, filters and opens a community on a phone', async (t) => {
  const [guildId, other] = ['310000000000000001', '310000000000000002'];
  for (const [id, name] of [
    [guildId, 'Harbor'],
    [other, 'Lighthouse'],
  ] as const)
    await site.store.guilds.add({ guildId: id, name, createdAt: site.clock() });
  const profile = {
    description: 'Ships & storms',
    tags: ['sailing'],
    language: 'fr' as const,
    invite: null,
    about: '',
    links: [],
  };
  await site.store.profiles.set(guildId, profile);
  site.clock.advance(10_000);
  const page = await site.open(t, '/', { width: 360 });
  await assertFits(page);
  await page.getByRole('searchbox', { name: 'Search communities' }).fill('harb');
  await page.keyboard.press('Enter');
  await page.getByText('1 result for “harb”').waitFor();
  await page.goto('/');
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByText('Filters', { exact: true }).click();
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
