import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test, useSite } from '../support/browser/browser.ts';

const site = await useSite();

test('a form on another site does not end the session', async (t) => {
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
