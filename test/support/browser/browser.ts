/**
 * The whole service and a real browser, for tests that act like a user.
 *
 *   const site = await useSite();
 *   test('a vote by a custom link counts', async (t) => {
 *     const page = await site.open(t, `/guild/${GUILD}/vote?external_id=Steve_42`, { signedInAs: 'Alex' });
 *     await page.getByRole('button', { name: 'Vote' }).click();
 *
 * The test files of a process share one browser, and each has a service. Each `open` is a separate browser context with
 * its own cookies.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test as nodeTest, type TestContext } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { readConfig } from '../../../src/config.ts';
import { deriveSecrets, type Secrets } from '../../../src/domain/secrets.ts';
import { type Service, startService } from '../../../src/service.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { type TestClock, testClock } from '../clock.ts';
import { findChromium, requirement } from '../requirement.ts';
import { shareChromium } from './chromium.ts';

export type Visit = {
  /** The name of one of the demo users. Default: signed out. */
  signedInAs?: string;
  locale?: 'en' | 'fr';
  width?: number;
  isDark?: boolean;
  hasJavaScript?: boolean;
};

/** Everything that runs: the service, its database opened a second time, its clock, and a browser. */
export type StartedSite = {
  readonly url: string;
  readonly store: Store;
  readonly clock: TestClock;
  readonly secrets: Secrets;
  newContext(visit?: Visit): Promise<BrowserContext>;
  /** Calls the API, like an integration. */
  api(path: string, key: string): Promise<{ status: number; body: Record<string, unknown> }>;
  stop(): Promise<void>;
};

export type Site = StartedSite & {
  /** A new browser context, closed after the test. */
  visitor(t: TestContext, visit?: Visit): Promise<BrowserContext>;
  /** A new context with one page at this path. */
  open(t: TestContext, path: string, visit?: Visit): Promise<Page>;
};

const NOW = '2026-11-18T12:00:00.000Z';
const SECRET = 'a master secret for tests';
const PHONE_WIDTH = 360;
/** The proof of work of a challenge: a small part of the real one. */
const CHALLENGE_WORK = { keys: 40, memoryKib: 512 };
/** Ends a test whose page never reaches the expected state. */
const LIMIT_MS = 120_000;
/** Far more than a page needs here, but short enough for a hung test. */
const PATIENCE_MS = 30_000;

/** A test of `node:test` that is skipped on a machine without a browser. */
export function test(name: string, body: (t: TestContext) => Promise<void>): void {
  void nodeTest(name, { skip: requirement('browser'), timeout: LIMIT_MS }, body);
}

/**
 * Starts everything for the tests of this file, and stops it after them. Awaited at the top level and not in a
 * `before` hook, because the runner starts all such hooks of a file at the same time.
 */
export async function useSite(env: Record<string, string> = {}): Promise<Site> {
  const started = await startSite(env);
  after(() => started.stop());
  const visitor: Site['visitor'] = async (t, visit) => {
    const context = await started.newContext(visit);
    t.after(() => context.close());
    return context;
  };
  return {
    ...started,
    visitor,
    async open(t, path, visit) {
      const page = await (await visitor(t, visit)).newPage();
      await page.goto(path);
      return page;
    },
  };
}

/** The same without the test runner, for `npm run screenshots`. */
export async function startSite(env: Record<string, string> = {}): Promise<StartedSite> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-browser-'));
  const config = {
    ...readConfig({ VOTARY_DATA_DIR: folder, VOTARY_PORT: '0', VOTARY_SECRET: SECRET, ...env }),
    challengeWork: CHALLENGE_WORK,
  };
  const clock = testClock(NOW);
  // Launched here and not by the first visit, because unpacking takes long and must not count against the time limit
  // of a test.
  const launched = findChromium() === undefined ? undefined : await shareChromium();
  const browser = (): Browser => {
    assert.ok(
      launched,
      'there is no browser; declare the test with `test` of this file, which then skips it',
    );
    return launched.browser;
  };
  const service = await startService(config, { clock, logLevel: 'error', isDemo: true }).catch(
    async (error: unknown) => {
      // An open browser would keep the test file running instead of failing.
      await launched?.release();
      throw error;
    },
  );
  const store = await openStore(config.database);
  const sessions = new Map<string, Promise<StorageState>>();
  return {
    url: service.url,
    store,
    clock,
    secrets: deriveSecrets(SECRET),
    newContext: async (visit = {}) => newContext(browser(), service, sessions, visit),
    api: async (path, key) => askApi(browser(), service, path, key),
    async stop() {
      await launched?.release();
      await store.close();
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

async function newContext(
  browser: Browser,
  service: Service,
  sessions: Map<string, Promise<StorageState>>,
  { signedInAs, locale = 'en', width = 1280, isDark = false, hasJavaScript = true }: Visit,
): Promise<BrowserContext> {
  const options: BrowserContextOptions = {
    baseURL: service.url,
    ignoreHTTPSErrors: true,
    locale,
    viewport: { width, height: width <= PHONE_WIDTH ? 740 : 800 },
    colorScheme: isDark ? 'dark' : 'light',
    javaScriptEnabled: hasJavaScript,
    reducedMotion: 'reduce',
  };
  if (signedInAs !== undefined) {
    const session = sessions.get(signedInAs) ?? signIn(browser, service, signedInAs);
    sessions.set(signedInAs, session);
    options.storageState = await session;
  }
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Signs in once per user and test file, through the page itself; later visits reuse the cookies. */
async function signIn(browser: Browser, service: Service, name: string): Promise<StorageState> {
  const context = await browser.newContext({ baseURL: service.url, ignoreHTTPSErrors: true, locale: 'en' });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto('/sign-in?back=/');
  await page.getByRole('button', { name }).click();
  await page.waitForURL(`${service.url}/`);
  const state = await context.storageState();
  await context.close();
  return state;
}

async function askApi(browser: Browser, service: Service, path: string, key: string) {
  const context = await browser.newContext({ baseURL: service.url, ignoreHTTPSErrors: true });
  const response = await context.request.get(path, { headers: { authorization: `Bearer ${key}` } });
  const answer = { status: response.status(), body: await response.json() };
  await context.close();
  return answer;
}

/** The text of an element on one line. */
export async function textOf(element: Locator): Promise<string> {
  return ((await element.textContent()) ?? '').replace(/\s+/g, ' ').trim();
}

/** Fails if the page is wider than the screen, so that a phone would scroll sideways. */
export async function assertFits(page: Page): Promise<void> {
  const [content, screen] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  assert.ok(content <= screen, `${page.url()} is ${content} px wide on a screen of ${screen}`);
}
