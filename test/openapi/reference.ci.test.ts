import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { generateApiKey, hashApiKey } from '../../src/domain/keys/api-key.ts';
import { assertAccessible } from '../support/browser/axe.ts';
import { test, useSite, type Visit } from '../support/browser/browser.ts';

const site = await useSite();
const GUILD = '100000000000000001';

/** The rendered reference, with everything that the browser blocked or requested from other hosts. */
async function openReference(t: TestContext, path: string, visit: Visit = {}) {
  const page = await (await site.visitor(t, visit)).newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(site.url) && !url.startsWith('data:')) complaints.push(`asked for ${url}`);
  });
  await page.goto(path);
  await page.getByRole('heading', { name: 'Authentication', exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Webhooks', exact: true }).first().waitFor({ state: 'attached' });
  // Colors that are still fading in would be checked in an intermediate state.
  await page.evaluate(until(`document.getAnimations().every(({ playState }) => playState !== 'running')`));
  return { page, complaints };
}

/** The policy of the page blocks the wait function of the browser driver, so the page waits itself. */
function until(condition: string): string {
  return `new Promise((resolve) => {
    const look = () => (${condition} ? resolve() : requestAnimationFrame(look));
    look();
  })`;
}

test('the link in deprecated responses leads to the section about authentication, on a phone too', async (t) => {
  const { page, complaints } = await openReference(t, '/docs/interactive#authentication', { width: 360 });
  const top = `document.getElementById('authentication').getBoundingClientRect().top`;
  await page.evaluate(until(`${top} >= 0 && ${top} < innerHeight / 3`));
  await assertAccessible(page);
  assert.deepEqual(complaints, []);
});

test('the management API is shown beside it', async (t) => {
  const page = await (await site.visitor(t, {})).newPage();
  await page.goto('/docs/interactive?api=manage');
  await page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor();
  await page
    .getByRole('heading', { name: 'Communities', exact: true })
    .first()
    .waitFor({ state: 'attached' });
});

test('in dark mode, a request can be sent from the reference, and the server responds', async (t) => {
  const key = generateApiKey();
  const now = site.clock();
  await site.store.guilds.add({ guildId: GUILD, name: 'A guild', createdAt: now });
  await site.store.guilds.setKey(GUILD, { hash: hashApiKey(key), sealed: 'unused', createdAt: now });
  const { page, complaints } = await openReference(t, '/docs/interactive', { isDark: true });
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'Bearer Token' }).first().fill(key);
  await page.getByRole('link', { name: 'Has this user voted?' }).first().click();
  await page.getByRole('button', { name: /Test Request.*vote-check/ }).click();
  const answered = page.waitForResponse((response) => response.url().includes('/v7/vote-check'));
  await page.getByRole('button', { name: 'Send get request to' }).click();
  const answer = await answered;
  assert.deepEqual([answer.status(), new URL(answer.url()).origin], [200, site.url]);
  assert.deepEqual(complaints, []);
});

test('a guide uses the address of this server in its examples, which can be copied, also for French visitors', async (t) => {
  const context = await site.visitor(t, { locale: 'fr' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  await page.goto('/docs/guides/curl');
  await page
    .getByRole('navigation', { name: 'Documentation' })
    .getByRole('link', { name: 'Site PHP ou CMS' })
    .waitFor();
  await page.getByRole('button', { name: 'Copier' }).first().click();
  await page.getByRole('button', { name: 'Copié' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  assert.match(String(copied), new RegExp(site.url));
  assert.doesNotMatch(await page.content(), /votes\.example\.org/);
});
