import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { assertFits } from './browser.ts';

const AXE = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Fails if the page is not accessible or wider than the screen. */
export async function assertSound(page: Page): Promise<void> {
  await assertAccessible(page);
  await assertFits(page);
}

/** Fails with every accessibility rule that the page violates, including best practices, and where. */
export async function assertAccessible(page: Page): Promise<void> {
  // By the developer tools themselves, because the policy of the page blocks foreign scripts, and because a string of this
  // size that the browser driver evaluates takes twice the time.
  const tools = await page.context().newCDPSession(page);
  if (!(await page.evaluate('"axe" in window')))
    await tools.send('Runtime.evaluate', { expression: await AXE });
  await tools.detach();
  // Only what is wrong is described and sent here: this takes a third of the time.
  const found = await page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'] })
    .then(({ violations }) => violations.map(({ id, help, nodes }) =>
      [id + ': ' + help, ...nodes.map(({ html }) => '  ' + html)].join('\\n')))`);
  assert.deepEqual(found, [], page.url());
}
