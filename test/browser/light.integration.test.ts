import assert from 'node:assert/strict';
import { test, useSite } from '../support/browser/browser.ts';

const site = await useSite();
const LIMIT_BYTES = 60_000;

test('the voting page loads less than 60 kB of scripts and styles, all from this site, and violates no policy', async (t) => {
  const guildId = '300000000000000001';
  await site.store.guilds.add({ guildId, name: 'Castle', createdAt: site.clock() });
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  const page = await context.newPage();
  const sizes = new Map<string, Promise<number>>();
  const problems: string[] = [];
  page.on('response', (response) => {
    if (['script', 'stylesheet'].includes(response.request().resourceType())) {
      sizes.set(
        response.url(),
        response.body().then((body) => body.length),
      );
    }
    if (!response.url().startsWith(site.url)) problems.push(`asked ${response.url()}`);
  });
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));

  await page.goto(`/guild/${guildId}/vote`);
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await page.getByRole('timer').waitFor();
  await page.waitForLoadState('networkidle');
  const total = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
  assert.ok(sizes.size >= 4, 'nothing was measured');
  assert.ok(total < LIMIT_BYTES, `${total} bytes in ${[...sizes.keys()].join(', ')}`);
  assert.deepEqual(problems, []);
});
