/**
 * The whole service and a real browser, for tests that act like a user.
 *
 *   const site = await useSite();
 *   test('a vote by a custom link counts', async (t) => {
 *     const page = await site.open(t, `/guild/${GUILD}/vote?external_id=Steve_42`, { signedInAs: 'Alex' });
 *     await page.getByRole('button', { name: 'Vote' }).click();
 *
 * The test files of a process share one browser, and each has a service. Each `open` is a new page that starts with the
 * cookies of its user. A `visitor` also has a browser context of its own, for tests that change its clock, permissions or
 * requests.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test as nodeTest, type TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
  request,
} from 'playwright-core';
import { readConfig } from '../../../src/config.ts';
import { deriveSecrets, type Secrets } from '../../../src/domain/secrets.ts';
import { type Service, startService } from '../../../src/service.ts';
import { DEMO_PEOPLE } from '../../../src/site/sign-in/demo-sign-in.ts';
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
  /** A new page at this path, closed after the test. */
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
  const contexts = contextPool(started);
  return {
    ...started,
    visitor,
    async open(t, path, visit = {}) {
      const { context, release } = await contexts.take(visit);
      const page = await context.newPage();
      t.after(async () => {
        await page.close();
        await release();
      });
      await page.setViewportSize(viewportOf(visit));
      if (visit.isDark) await page.emulateMedia({ colorScheme: 'dark' });
      await page.goto(path);
      return page;
    },
  };
}

/**
 * Contexts that tests use one after the other, with the cookies that they had at first. A new context would load all
 * styles and scripts again. Size and colors belong to the page, so they need no context of their own.
 */
function contextPool({ newContext }: StartedSite) {
  const unused = new Map<string, BrowserContext[]>();
  return {
    async take({ signedInAs = '', locale = 'en', hasJavaScript = true }: Visit) {
      const visit = { locale, hasJavaScript, ...(signedInAs === '' ? {} : { signedInAs }) };
      const key = [signedInAs, locale, hasJavaScript].join();
      const context = unused.get(key)?.pop() ?? (await newContext(visit));
      const cookies = await context.cookies();
      const release = async () => {
        await context.clearCookies();
        await context.addCookies(cookies);
        unused.set(key, [...(unused.get(key) ?? []), context]);
      };
      return { context, release };
    },
  };
}

function viewportOf({ width = 1280 }: Visit): { width: number; height: number } {
  return { width, height: width <= PHONE_WIDTH ? 740 : 800 };
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
  const client = await request.newContext({ baseURL: service.url, ignoreHTTPSErrors: true });
  const sessions = new Map<string, Promise<StorageState>>();
  return {
    url: service.url,
    store,
    clock,
    secrets: deriveSecrets(SECRET),
    newContext: async (visit = {}) => newContext(browser(), service, sessions, visit),
    api: async (path, key) => {
      const response = await client.get(path, { headers: { authorization: `Bearer ${key}` } });
      return { status: response.status(), body: await response.json() };
    },
    async stop() {
      await launched?.release();
      await client.dispose();
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
  visit: Visit,
): Promise<BrowserContext> {
  const { signedInAs, locale = 'en', isDark = false, hasJavaScript = true } = visit;
  const options: BrowserContextOptions = {
    baseURL: service.url,
    ignoreHTTPSErrors: true,
    locale,
    viewport: viewportOf(visit),
    colorScheme: isDark ? 'dark' : 'light',
    javaScriptEnabled: hasJavaScript,
    reducedMotion: 'reduce',
  };
  if (signedInAs !== undefined) {
    const session = sessions.get(signedInAs) ?? signIn(service, signedInAs);
    sessions.set(signedInAs, session);
    options.storageState = await session;
  }
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Signs in once per user and test file, by sending the form of the page; later visits reuse the cookies. */
async function signIn(service: Service, name: string): Promise<StorageState> {
  const client = await request.newContext({ baseURL: service.url, ignoreHTTPSErrors: true });
  const person = DEMO_PEOPLE.find((known) => known.name === name)?.userId;
  const page = await (await client.get('/sign-in')).text();
  const _csrf = /name="_csrf" value="([^"]+)"/.exec(page)?.[1];
  assert.ok(person && _csrf, `cannot sign in as ${name}`);
  const answer = await client.post('/sign-in', { form: { person, _csrf, back: '/' } });
  assert.ok(answer.ok(), await answer.text());
  const state = await client.storageState();
  await client.dispose();
  return state;
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
