import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { assertAccessible } from '../support/axe.ts';
import { test, useSite } from '../support/browser.ts';

const site = await useSite();

describe('the demo sign-in in a real browser', () => {
  for (const visit of [{ width: 1280 }, { width: 360, isDark: true, locale: 'fr' as const }]) {
    test(`is usable by everybody at ${visit.width} px`, async (t) => {
      const page = await site.open(t, '/sign-in', visit);
      assert.equal(await page.getByRole('main').getByRole('button').count(), 3);
      await assertAccessible(page);
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= visit.width);
    });
  }

  test('is done by keyboard alone, without JavaScript', async (t) => {
    const page = await site.open(t, '/sign-in?back=/sign-in', { hasJavaScript: false });
    await page.getByRole('button', { name: 'Sam' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    assert.equal(page.url(), `${site.url}/`);
  });
});
