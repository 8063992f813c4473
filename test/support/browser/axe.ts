import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const AXE = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Fails with every accessibility rule that the page violates, including best practices, and where. */
export async function assertAccessible(page: Page): Promise<void> {
  await assertNoViolation(page, '');
}

/** The same page in the other color scheme: only the contrast can differ. */
export async function assertContrastInDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await assertNoViolation(page, `{ runOnly: ['color-contrast'] }`);
}

async function assertNoViolation(page: Page, options: string): Promise<void> {
  // Evaluated through the developer tools, because the policy of the page blocks foreign scripts.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await AXE);
  const { violations } = await page.evaluate<AxeResult>(`axe.run(${options})`);
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `  ${html}`).join('\n')}`,
  );
  assert.deepEqual(found, [], page.url());
}

type AxeResult = { violations: { id: string; help: string; nodes: { html: string }[] }[] };
