import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe } from 'node:test';
import { assertAccessible } from '../support/browser/axe.ts';
import { test, useSite } from '../support/browser/browser.ts';

const site = await useSite();

describe('the demo sign-in in a real browser', () => {
  for (const visit of [{ width: 1280 }, { width: 360, isDark: true, locale: 'fr' as const }]) {
    test(`is accessible at ${visit.width} px`, async (t) => {
      const page = await site.open(t, '/sign-in', visit);
      assert.equal(await page.getByRole('main').getByRole('button').count(), 3);
      await assertAccessible(page);
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= visit.width);
    });
  }

  test('works with the keyboard alone, without JavaScript', async (t) => {
    const page = await site.open(t, '/sign-in?back=/sign-in', { hasJavaScript: false });
    await page.getByRole('button', { name: 'Sam' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    assert.equal(page.url(), `${site.url}/`);
  });

  test('is not ended by a form on another site', async (t) => {
    const form = `<form method="post" action="${site.url}/sign-out"><button>Win a prize</button></form>`;
    const evil = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(form);
    }).listen(0, '127.0.0.1');
    await once(evil, 'listening');
    t.after(() => evil.close());
    const address = evil.address();
    assert.ok(typeof address === 'object' && address);
    const page = await site.open(t, '/', { signedInAs: 'Sam' });
    // A different site for the browser: it uses localhost instead of 127.0.0.1.
    await page.goto(`http://localhost:${address.port}/`);
    await page.getByRole('button', { name: 'Win a prize' }).click();
    await page.getByRole('heading', { name: 'This form was sent by another site' }).waitFor();
    await page.goto(site.url);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
});
