/** Every page in one language: opened once, then taken at each width and in each theme. */
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import type { Locale } from '../../src/domain/locale.ts';
import { escapeHtml } from '../../src/site/layout/html.ts';
import { AREAS } from '../../test/browser/accessibility/areas.ts';
import type { Stop } from '../../test/browser/accessibility/pages.ts';
import { seed } from '../../test/browser/accessibility/seed.ts';
import { type StartedSite, startSite } from '../../test/support/browser/browser.ts';
import { capture } from './capture.ts';

export type Picture = { area: string; page: string; locale: Locale; file: string; width: number };

const WIDTHS = [1440, 390, 320];
const THEMES = ['light', 'dark'] as const;
const QUALITY = 70;

type Tab = { page: Page; tools: CDPSession };

export async function takeEveryPage(folder: string, locale: Locale, only: string): Promise<Picture[]> {
  // The second account of a network has to solve a challenge.
  const site = await startSite({ VOTARY_NETWORK_VOTES: '2,60' });
  try {
    const castAt = site.clock();
    const seeded = { castAt, endpoints: await seed(site) };
    site.clock.advance(MINUTE_MS);
    const tabs = new Map<string, Tab>();
    const pictures: Picture[] = [];
    for (const [area, stopsOf] of Object.entries(AREAS))
      for (const [index, stop] of stopsOf(site, seeded).entries()) {
        const isWanted = `${area} ${stop.path}`.includes(only);
        const tab = await openStop(site, tabs, stop, locale);
        const name = `${area.replace(/^pages (of |for |that )?(the )?/, '').replaceAll(' ', '-')}-${index + 1}`;
        if (isWanted) pictures.push(...(await takeStop(tab, { folder, area, name, locale, stop })));
      }
    return pictures;
  } finally {
    await site.stop();
  }
}

async function openStop(
  site: StartedSite,
  tabs: Map<string, Tab>,
  { path, as, prepare, act, shows }: Stop,
  locale: Locale,
): Promise<Tab> {
  await prepare?.();
  const key = as ?? '';
  const tab = tabs.get(key) ?? (await openTab(site, locale, as));
  tabs.set(key, tab);
  await tab.page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 900 });
  await tab.page.goto(path);
  await act?.(tab.page);
  if (shows !== undefined) await tab.page.locator(shows).first().waitFor();
  return tab;
}

async function openTab(site: StartedSite, locale: Locale, as: Stop['as']): Promise<Tab> {
  const context = await site.newContext({ locale, ...(as && { signedInAs: as }) });
  const page = await context.newPage();
  return { page, tools: await context.newCDPSession(page) };
}

type Shot = { folder: string; area: string; name: string; locale: Locale; stop: Stop };

async function takeStop(
  { page, tools }: Tab,
  { folder, area, name, locale, stop }: Shot,
): Promise<Picture[]> {
  const pictures: Picture[] = [];
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const file = `${name}-${locale}-${colorScheme}-${width}.webp`;
      await capture(page, tools, join(folder, file), QUALITY);
      const who = stop.as === undefined ? '' : ` as ${stop.as}`;
      pictures.push({ area, page: `${stop.path}${who}`, locale, file, width });
    }
  }
  return pictures;
}

/** One row per page and language. */
export function contactSheet(pictures: readonly Picture[]): string {
  const rows = Map.groupBy(pictures, ({ area, page, locale, file }) =>
    [area, page, locale, file.split('-').slice(0, -2).join('-')].join('\0'),
  );
  const sections = [...rows.values()].map((row) => {
    const images = row.map(
      ({ file, width }) =>
        `<a href="${file}"><img src="${file}" alt="" loading="lazy" width="${Math.round(width / 5)}"></a>`,
    );
    const [first] = row;
    return `<h2>${escapeHtml(`${first?.area}: ${first?.page} (${first?.locale})`)}</h2><p>${images.join('\n')}</p>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Screenshots</title>
<style>body{font:14px system-ui;margin:16px}h2{font-size:14px}img{vertical-align:top;border:1px solid #999}</style>
${sections.join('\n')}
`;
}
