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
import {
  dashboardPages,
  docsPages,
  operatorPages,
  publicPages,
  type Stop,
  votingPages,
  webhookPages,
} from './pages.ts';
import { type EndpointIds, seed } from './seed.ts';

/** `skipsSimilar`: leaves out the pages whose parts are on another page too. */
export async function testPages(
  name: string,
  visit: Visit,
  { skipsSimilar = false }: { skipsSimilar?: boolean } = {},
): Promise<void> {
  // The second account of a network has to solve a challenge.
  const site = await useSite({ VOTARY_NETWORK_VOTES: '2,60' });
  const castAt = site.clock();
  let endpoints: EndpointIds;

  test(`the empty listing invites to list the first community, and is accessible: ${name}`, async (t) => {
    const page = await site.open(t, '/', visit);
    await page.locator('main a[href="/dashboard"]').last().waitFor();
    await assertSound(page);
  });

  const areas: Record<string, () => Stop[]> = {
    'public pages': publicPages,
    'pages of the documentation': docsPages,
    'pages of voters': () => votingPages(site),
    'pages of the dashboard': () => dashboardPages(site),
    'pages for webhooks': () => webhookPages(site, endpoints),
    'pages of operators': () => operatorPages(castAt),
  };

  describe('after the first votes', () => {
    before(async () => {
      endpoints = await seed(site);
      // The listing was read when the service started.
      site.clock.advance(MINUTE_MS);
    });
    for (const [area, stops] of Object.entries(areas)) {
      test(`${area} are accessible and do not overflow: ${name}`, (t) =>
        visitAll(
          t,
          stops().filter(({ isSimilar }) => !(isSimilar && skipsSimilar)),
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
      await assertSound(page);
    }
  }
}
