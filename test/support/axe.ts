import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const AXE = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Fails with every rule of accessibility that the page breaks, and where. Best practices count. */
export async function assertAccessible(page: Page): Promise<void> {
  await assertNoViolation(page, '');
}

/** The same page in the other colours: nothing but the contrast can differ. */
export async function assertContrastInDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await assertNoViolation(page, `{ runOnly: ['color-contrast'] }`);
}

async function assertNoViolation(page: Page, options: string): Promise<void> {
  // Evaluated by the browser's own tools, since the page's policy lets no foreign script in.
  await page.evaluate(await AXE);
  const { violations } = await page.evaluate<AxeResult>(`axe.run(${options})`);
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `  ${html}`).join('\n')}`,
  );
  assert.deepEqual(found, [], page.url());
}

type AxeResult = { violations: { id: string; help: string; nodes: { html: string }[] }[] };
