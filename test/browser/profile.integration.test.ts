import assert from 'node:assert/strict';
import { assertAccessible, assertContrastInDark } from '../support/browser/axe.ts';
import { assertFits, test, useSite, type Visit } from '../support/browser/browser.ts';

const GUILD = '100000000000000001';
const UNLISTED = '100000000000000009';
const FORM = `/dashboard/${GUILD}/settings/profile`;
const site = await useSite();

await seed();

async function seed(): Promise<void> {
  const { store, clock } = site;
  const now = clock();
  await store.guilds.add({ guildId: GUILD, name: 'Demo Community', createdAt: now });
  await store.guilds.add({ guildId: UNLISTED, name: '🔥', createdAt: now });
  await store.guilds.setHidden(UNLISTED, now);
  await store.profiles.set(UNLISTED, {
    description: 'W'.repeat(300),
    tags: ['x'.repeat(24), 'עברית'],
    language: 'he',
    invite: 'https://discord.gg/long',
  });
  const users = ['200000000000000001', '200000000000000002', '200000000000000003'];
  for (const [index, userId] of users.entries())
    for (let vote = 0; vote <= index; vote += 1)
      await store.votes.cast({
        guildId: GUILD,
        userId,
        castAt: now - (vote + 1) * 7_200_000,
        externalId: null,
        isDoubled: false,
      });
  const named = { userId: '200000000000000003', name: 'Camille', avatar: null };
  await store.users.remember(named, now);
  await store.users.setShowName(named.userId, true);
}

for (const hasJavaScript of [true, false]) {
  test(`an admin edits the profile, previews and saves it, and visitors see it${hasJavaScript ? '' : ' (without JavaScript)'}`, async (t) => {
    await site.store.profiles.set(GUILD, { description: '', tags: [], language: null, invite: null });
    const page = await site.open(t, `/dashboard/${GUILD}/settings`, { signedInAs: 'Alex', hasJavaScript });
    await page.getByRole('link', { name: 'Edit profile' }).click();
    await page.getByLabel('Description').fill('See https://example.org');
    await page.getByLabel('Tags').fill('Minecraft, Role Play');
    await page.getByLabel('Language').selectOption('fr');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Links are not allowed in the description').waitFor();
    assert.ok(!page.url().includes('_csrf'));
    assert.equal(await page.getByLabel('Tags').inputValue(), 'Minecraft, Role Play');

    await page.getByLabel('Description').fill('A quiet place for builders');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Nothing has been saved yet').waitFor();
    const preview = page.locator('.profile');
    await preview.getByText('A quiet place for builders').waitFor();
    await preview.getByText('role-play').waitFor();

    await page.getByLabel('Discord invite').fill('https://discord.gg/cafe');
    await page.getByLabel('Discord invite').press('Enter');
    await page.getByText('Profile saved').waitFor();
    // Going back shows the preview again, without a resubmission prompt.
    await page.goBack();
    await page.getByText('Nothing has been saved yet').waitFor();

    const visitor = await site.open(t, `/guild/${GUILD}`, { hasJavaScript, width: 360 });
    await visitor.getByText('A quiet place for builders').waitFor();
    const invite = visitor.getByRole('link', { name: 'Join on Discord' });
    assert.equal(await invite.getAttribute('href'), 'https://discord.gg/cafe');
    await visitor.getByText('Camille').first().waitFor();
    await visitor.getByText('Show as a table').click();
    await visitor.getByRole('rowheader', { name: 'November 2026' }).waitFor();
    await visitor.getByRole('link', { name: 'Vote', exact: true }).click();
    await visitor.waitForURL(`**/guild/${GUILD}/vote`);
    await visitor.getByRole('heading', { name: 'Demo Community' }).getByRole('link').click();
    await visitor.waitForURL(`**/guild/${GUILD}`);
  });
}

const WRONG = new URLSearchParams({ description: 'http://x.example', tags: '!', language: 'x', invite: 'x' });

const PAGES: { name: string; path: string; visit?: Visit }[] = [
  { name: 'the page of a community', path: `/guild/${GUILD}` },
  { name: 'the page of a community in French', path: `/guild/${GUILD}`, visit: { locale: 'fr' } },
  { name: 'the page of an unlisted community with long words', path: `/guild/${UNLISTED}` },
  { name: 'the profile form', path: FORM, visit: { signedInAs: 'Alex' } },
  { name: 'a preview', path: `${FORM}?description=Hello`, visit: { signedInAs: 'Alex' } },
  { name: 'a form with errors', path: `${FORM}?${WRONG}`, visit: { signedInAs: 'Alex', locale: 'fr' } },
];

for (const { name, path, visit } of PAGES) {
  test(`${name} is accessible in light and dark mode, and fits a phone`, async (t) => {
    const page = await site.open(t, path, { ...visit, width: 360 });
    await assertFits(page);
    await assertAccessible(page);
    await assertContrastInDark(page);
  });
}
