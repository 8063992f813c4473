import assert from 'node:assert/strict';
import { test } from '../../support/browser/browser.ts';
import { untilCounted, useTurnstile, vote, widget } from './turnstile-page.ts';

const turnstile = await useTurnstile();

const PASSED = widget(`
  box.insertAdjacentHTML('beforeend', '<input type="hidden" name="cf-turnstile-response" value="token-of-the-widget">');
  options.callback('token-of-the-widget');`);

test('a voter who passes Turnstile votes with its token', async (t) => {
  const page = await turnstile.open(t, PASSED);
  await vote(page);
  await untilCounted(page);
  assert.match(turnstile.verified.join(), /token-of-the-widget/);
});

test('a vote succeeds by proof of work when the script of Turnstile is blocked', async (t) => {
  const page = await turnstile.open(t, 'blocked');
  await vote(page);
  await untilCounted(page);
  assert.deepEqual(turnstile.verified, []);
});

test('a vote succeeds by proof of work when the script of Turnstile never arrives', async (t) => {
  const page = await turnstile.open(t, 'silent');
  await vote(page);
  await page.getByText('One moment: your vote will be sent').waitFor();
  await page.clock.fastForward('00:08');
  await untilCounted(page);
  assert.deepEqual(turnstile.verified, []);
});

test('a vote succeeds by proof of work when Cloudflare cannot confirm the token', async (t) => {
  turnstile.verdict = null;
  t.after(() => {
    turnstile.verdict = { success: true };
  });
  const page = await turnstile.open(t, PASSED);
  await vote(page);
  await page.getByText('The check could not be confirmed').waitFor();
  await vote(page);
  await untilCounted(page);
});
