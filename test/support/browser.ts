/**
 * The whole service and a real browser, for tests that do what a person does.
 *
 *   const site = useSite();
 *   test('a vote by a custom link counts', async (t) => {
 *     const page = await site.open(t, `/guild/${GUILD}/vote?external_id=Steve_42`, { signedInAs: 'Alex' });
 *     await page.getByRole('button', { name: 'Vote' }).click();
 *
 * One browser and one service serve a whole test file. Each `open` is a browser of its own as far as cookies go.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { readConfig } from '../../src/config.ts';
import { deriveSecrets, type Secrets } from '../../src/domain/secrets.ts';
import { type Service, startService } from '../../src/service.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { launchChromium } from './chromium.ts';
import { type TestClock, testClock } from './clock.ts';

export type Visit = {
  /** The name of one of the demo people. Nobody is signed in without it. */
  signedInAs?: string;
  locale?: 'en' | 'fr';
  width?: number;
  isDark?: boolean;
  hasJavaScript?: boolean;
};

export type Site = {
  readonly url: string;
  /** The service's own database, opened a second time. */
  readonly store: Store;
  /** The service's clock. */
  readonly clock: TestClock;
  readonly secrets: Secrets;
  /** A fresh browser context; it is closed after the test. */
  visitor(t: TestContext, visit?: Visit): Promise<BrowserContext>;
  /** A fresh context with one page at this path. */
  open(t: TestContext, path: string, visit?: Visit): Promise<Page>;
  /** Asks the API, as an integration would. */
  api(path: string, key: string): Promise<{ status: number; body: Record<string, unknown> }>;
};

const NOW = '2026-11-18T12:00:00.000Z';
const SECRET = 'a master secret for tests';
const PHONE_WIDTH = 360;
/** Far beyond what a page needs here, far below what makes a hung test a nuisance. */
const PATIENCE_MS = 10_000;

/** Starts everything before the tests of this file, and stops it after them. */
export function useSite(env: Record<string, string> = {}): Site {
  let started: StartedSite | undefined;
  before(async () => {
    started = await startSite(env);
  });
  after(() => started?.stop());
  const get = (): StartedSite => {
    if (!started) throw new Error('the site is there inside tests and hooks only');
    return started;
  };
  return {
    get url() {
      return get().url;
    },
    get store() {
      return get().store;
    },
    get clock() {
      return get().clock;
    },
    secrets: deriveSecrets(SECRET),
    visitor: (t, visit) => closedAfter(t, get().newContext(visit)),
    async open(t, path, visit) {
      const context = await closedAfter(t, get().newContext(visit));
      const page = await context.newPage();
      await page.goto(path);
      return page;
    },
    api: (path, key) => get().api(path, key),
  };
}

export type StartedSite = {
  url: string;
  store: Store;
  clock: TestClock;
  newContext(visit?: Visit): Promise<BrowserContext>;
  api(path: string, key: string): Promise<{ status: number; body: Record<string, unknown> }>;
  stop(): Promise<void>;
};

/** The same without the test runner, for `npm run screenshots`. */
export async function startSite(env: Record<string, string> = {}): Promise<StartedSite> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-browser-'));
  const config = readConfig({ VOTARY_DATA_DIR: folder, VOTARY_PORT: '0', VOTARY_SECRET: SECRET, ...env });
  const clock = testClock(NOW);
  const [service, browser] = await Promise.all([
    startService(config, { clock, logLevel: 'error' }),
    launchChromium(),
  ]);
  const store = await openStore(config.database);
  const sessions = new Map<string, Promise<StorageState>>();
  return {
    url: service.url,
    store,
    clock,
    newContext: (visit = {}) => newContext(browser, service, sessions, visit),
    api: (path, key) => askApi(browser, service, path, key),
    async stop() {
      await browser.close();
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

/** Signs in once per person and test file, through the page itself; later visits take over the cookies. */
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

async function closedAfter(t: TestContext, opening: Promise<BrowserContext>): Promise<BrowserContext> {
  const context = await opening;
  t.after(() => context.close());
  return context;
}
