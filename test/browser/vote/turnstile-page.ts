/**
 * The voting page of a site that uses Turnstile, with a stand-in for Cloudflare.
 *
 *   const turnstile = await useTurnstile();
 *   const page = await turnstile.open(t, 'blocked');
 *   await vote(page);
 *   await untilCounted(page);
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, type TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { isRecord } from '../../../src/domain/record.ts';
import { useSite } from '../../support/browser/browser.ts';

const SCRIPT = 'https://challenges.cloudflare.com/**';
const GUILD = '300000000000000001';

export type Turnstile = {
  /** What siteverify answers; null: it closes the connection. */
  verdict: object | null;
  /** What was sent to siteverify since the page was opened. */
  readonly verified: string[];
  /** The page for somebody who has not voted within the hour. `script`: what the browser gets instead of Turnstile. */
  open(t: TestContext, script: string | 'blocked' | 'silent'): Promise<Page>;
};

export async function useTurnstile(): Promise<Turnstile> {
  const siteverify = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    turnstile.verified.push(body);
    if (turnstile.verdict === null) response.destroy();
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(turnstile.verdict));
  }).listen(0, '127.0.0.1');
  await once(siteverify, 'listening');
  after(() => siteverify.close());
  const address = siteverify.address();
  const site = await useSite({
    VOTARY_NETWORK_VOTES: '1,60',
    VOTARY_TURNSTILE_SITE_KEY: '1x00000000000000000000AA',
    VOTARY_TURNSTILE_SECRET: '1x0000000000000000000000000000000AA',
    VOTARY_TURNSTILE_API: `http://127.0.0.1:${isRecord(address) ? address.port : 0}`,
  });
  await site.store.guilds.add({ guildId: GUILD, name: 'Castle', createdAt: site.clock() });
  // One for all tests, so that the other files of the page are loaded only once.
  let context: BrowserContext | undefined;
  const newContext = async () => {
    const created = await site.newContext({ signedInAs: 'Alex' });
    await created.clock.install();
    return created;
  };
  const turnstile: Turnstile = {
    verdict: { success: true },
    verified: [],
    async open(t, script) {
      site.clock.advance(HOUR_MS);
      turnstile.verified.length = 0;
      context ??= await newContext();
      const page = await context.newPage();
      t.after(() => page.close());
      await page.route(SCRIPT, async (route) => {
        if (script === 'blocked') await route.abort('blockedbyclient');
        else if (script !== 'silent') await route.fulfill({ contentType: 'text/javascript', body: script });
      });
      await page.goto(`/guild/${GUILD}/vote`, { waitUntil: 'commit' });
      return page;
    },
  };
  return turnstile;
}

export const vote = (page: Page) => page.getByRole('button', { name: 'Vote', exact: true }).click();
export const untilCounted = (page: Page) => page.getByText('Your vote has been counted').waitFor();

/** A script with a widget that does what the browser is told here, with the options of the page. */
export const widget = (body: string) => `window.turnstile = { render(box, options) { ${body} } };`;
