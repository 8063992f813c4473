/**
 * Opens every page once, on a site that has none of its data at first.
 *
 *   await testPages('on a wide screen', { width: 1280 });
 */
import assert from 'node:assert/strict';
import { before, describe, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { assertSound } from '../../support/browser/axe.ts';
import { test, useSite, type Visit } from '../../support/browser/browser.ts';
import { AREAS, type Seeded } from './areas.ts';
import type { Stop } from './pages.ts';
import { seed } from './seed.ts';

type Sweep = {
  /** Leaves out the pages whose parts are on another page too. */
  skipsSimilar?: boolean;
  /** Default: the page is accessible, and not wider than the screen. */
  check?: (page: Page) => Promise<void>;
};

export async function testPages(
  name: string,
  visit: Visit,
  { skipsSimilar = false, check = assertSound }: Sweep = {},
): Promise<void> {
  // The second account of a network has to solve a challenge.
  const site = await useSite({ VOTARY_NETWORK_VOTES: '2,60' });
  const castAt = site.clock();
  let seeded: Seeded;

  test(`the empty listing invites to list the first community, and is sound: ${name}`, async (t) => {
    const page = await site.open(t, '/', visit);
    await page.locator('main a[href="/dashboard"]').last().waitFor();
    await check(page);
  });

  describe('after the first votes', () => {
    before(async () => {
      seeded = { castAt, endpoints: await seed(site) };
      // The listing was read when the service started.
      site.clock.advance(MINUTE_MS);
    });
    for (const [area, stopsOf] of Object.entries(AREAS)) {
      test(`${area} are sound: ${name}`, (t) =>
        visitAll(
          t,
          stopsOf(site, seeded).filter(({ isSimilar }) => !(isSimilar && skipsSimilar)),
        ));
    }
  });

  async function visitAll(t: TestContext, stops: Stop[]): Promise<void> {
    const pages = new Map<string | undefined, Page>();
    for (const { path, as, status = 200, prepare, act, shows } of stops) {
      await prepare?.();
      const page =
        pages.get(as) ?? (await site.open(t, 'about:blank', { ...visit, ...(as && { signedInAs: as }) }));
      pages.set(as, page);
      const answer = await page.goto(path);
      assert.equal(answer?.status(), status, path);
      await act?.(page);
      if (shows) await page.locator(shows).first().waitFor();
      await check(page);
    }
  }
}
