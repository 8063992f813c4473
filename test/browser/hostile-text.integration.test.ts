import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertFits, test, textOf, useSite } from '../support/browser/browser.ts';

const site = await useSite();

/** The id of the demo user Alex. */
const ALEX = '200000000000000101';

const HOSTILE = [
  '<script>window.hurt = 1</script>',
  `"><img src=x onerror="window.hurt = 1">'`,
  '&lt;b&gt; {{1}} `x` <%= 1 %>',
  // Vote links reject direction overrides, but not right-to-left letters.
  'שלום עולם (abc)',
  '🔥'.repeat(191),
  'W'.repeat(191),
];

async function assertUnhurt(page: Page, shown: string): Promise<void> {
  assert.ok((await textOf(page.locator('main'))).includes(shown), shown);
  assert.equal(await page.evaluate('window.hurt'), undefined);
  assert.equal(await page.locator('main img, main script').count(), 0);
  await assertFits(page);
}

test('names and vote links of any kind are shown as text, and fit a phone', async (t) => {
  const page = await site.open(t, '/', { signedInAs: 'Alex', width: 360 });
  for (const [index, text] of HOSTILE.entries()) {
    const guildId = String(300000000000000000n + BigInt(index));
    await site.store.guilds.add({ guildId, name: text, createdAt: site.clock() });
    const path = `/guild/${guildId}/vote?external_id=${encodeURIComponent(text)}`;
    await page.goto(path);
    await assertUnhurt(page, `Voting as ${text}`);
    assert.equal(await textOf(page.locator('h1')), text);
    const vote = { guildId, userId: ALEX, castAt: site.clock(), externalId: text, isDoubled: false };
    await site.store.votes.cast(vote);
    await page.goto(path);
    await assertUnhurt(page, `Voted as ${text}`);
    await page.goto(`/?q=${encodeURIComponent(text)}`);
    await assertUnhurt(page, Array.from(text).slice(0, 100).join(''));
  }
});
