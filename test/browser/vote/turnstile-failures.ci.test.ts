/** The rare ways in which Turnstile fails in a browser. The common ones are in turnstile.integration.test.ts. */
import assert from 'node:assert/strict';
import { test } from '../../support/browser/browser.ts';
import { untilCounted, useTurnstile, vote, widget } from './turnstile-page.ts';

const turnstile = await useTurnstile();

for (const [name, script] of [
  ['is replaced by an empty one', '/* removed */'],
  ['fails', 'throw new Error("broken")'],
  ['reports that the widget failed', widget(`options['error-callback']('300010');`)],
  ['reports that the browser is too old', widget(`options['unsupported-callback']();`)],
  ['throws when it is used', widget(`throw new Error('wrong site key');`)],
] as const) {
  test(`a vote succeeds by proof of work when the script of Turnstile ${name}`, async (t) => {
    const page = await turnstile.open(t, script);
    await vote(page);
    await untilCounted(page);
    assert.deepEqual(turnstile.verified, []);
  });
}

test('a vote succeeds by proof of work when the widget of Turnstile never finishes', async (t) => {
  const page = await turnstile.open(t, widget(''));
  await vote(page);
  await page.getByText('One moment: your vote will be sent').waitFor();
  await page.clock.fastForward('00:08');
  await untilCounted(page);
  assert.deepEqual(turnstile.verified, []);
});
