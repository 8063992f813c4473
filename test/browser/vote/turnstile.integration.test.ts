/** Voting where the site uses Turnstile: with a stand-in for Cloudflare, and when it cannot be reached. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { isRecord } from '../../../src/domain/record.ts';
import { test, useSite } from '../../support/browser/browser.ts';

const SCRIPT = 'https://challenges.cloudflare.com/**';
/** What siteverify answers; null: it closes the connection. */
let verdict: object | null = { success: true };
const verified: string[] = [];
const siteverify = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  verified.push(body);
  if (verdict === null) response.destroy();
  else response.setHeader('content-type', 'application/json').end(JSON.stringify(verdict));
});
await new Promise<void>((resolve) => siteverify.listen(0, '127.0.0.1', resolve));
after(() => siteverify.close());
const address = siteverify.address();
const port = isRecord(address) ? address.port : 0;

const site = await useSite({
  VOTARY_NETWORK_VOTES: '1,60',
  VOTARY_TURNSTILE_SITE_KEY: '1x00000000000000000000AA',
  VOTARY_TURNSTILE_SECRET: '1x0000000000000000000000000000000AA',
  VOTARY_TURNSTILE_API: `http://127.0.0.1:${port}`,
});
const GUILD = '300000000000000001';
await site.store.guilds.add({ guildId: GUILD, name: 'Castle', createdAt: site.clock() });

/** The voting page for somebody who has not voted within the hour. `script`: what the browser gets instead of Turnstile. */
async function openPage(t: TestContext, script: string | 'blocked' | 'silent'): Promise<Page> {
  site.clock.advance(HOUR_MS);
  verified.length = 0;
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  await context.route(SCRIPT, async (route) => {
    if (script === 'blocked') await route.abort('blockedbyclient');
    else if (script !== 'silent') await route.fulfill({ contentType: 'text/javascript', body: script });
  });
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(`/guild/${GUILD}/vote`, { waitUntil: 'commit' });
  return page;
}

const vote = (page: Page) => page.getByRole('button', { name: 'Vote', exact: true }).click();
const counted = (page: Page) => page.getByText('Your vote has been counted').waitFor();

/** A widget that does what the browser is told here, with the options of the page. */
const widget = (body: string) => `window.turnstile = { render(box, options) { ${body} } };`;
const PASSED = widget(`
  box.insertAdjacentHTML('beforeend', '<input type="hidden" name="cf-turnstile-response" value="token-of-the-widget">');
  options.callback('token-of-the-widget');`);

test('a voter who passes Turnstile votes with its token', async (t) => {
  const page = await openPage(t, PASSED);
  await vote(page);
  await counted(page);
  assert.match(verified.join(), /token-of-the-widget/);
});

for (const [name, script] of [
  ['is blocked', 'blocked'],
  ['is replaced by an empty one', '/* removed */'],
  ['fails', 'throw new Error("broken")'],
  ['reports that the widget failed', widget(`options['error-callback']('300010');`)],
  ['reports that the browser is too old', widget(`options['unsupported-callback']();`)],
  ['throws when it is used', widget(`throw new Error('wrong site key');`)],
] as const) {
  test(`a vote succeeds by proof of work when the script of Turnstile ${name}`, async (t) => {
    const page = await openPage(t, script);
    await vote(page);
    await counted(page);
    assert.deepEqual(verified, []);
  });
}

for (const [name, script] of [
  ['never arrives', 'silent'],
  ['shows a widget that never finishes', widget('')],
] as const) {
  test(`a vote succeeds by proof of work when the script of Turnstile ${name}`, async (t) => {
    const page = await openPage(t, script);
    await vote(page);
    await page.getByText('One moment: your vote will be sent').waitFor();
    await page.clock.fastForward('00:08');
    await counted(page);
    assert.deepEqual(verified, []);
  });
}

test('a vote succeeds by proof of work when Cloudflare cannot confirm the token', async (t) => {
  verdict = null;
  t.after(() => {
    verdict = { success: true };
  });
  const page = await openPage(t, PASSED);
  await vote(page);
  await page.getByText('The check could not be confirmed').waitFor();
  await vote(page);
  await counted(page);
});
