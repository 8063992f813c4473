/** What browsers and search engines request at fixed paths. */
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { briefCache } from '../domain/brief-cache.ts';
import { MINUTE_MS } from '../domain/clock.ts';
import type { SiteDeps } from './deps.ts';
import type { Board } from './home/board.ts';
import { CACHED_FOR_A_DAY, sendFavicon } from './layout/assets.ts';
import { type Brand, IMAGE_POLICY } from './layout/brand.ts';
import { type Html, html } from './layout/html.ts';
import { THEME_COLORS } from './layout/page.ts';
import { profilePath, siteAddress } from './paths.ts';

/** Nothing here is of use without a session. */
const PRIVATE_PATHS = ['/dashboard', '/operator', '/sign-in', '/locale'];

/** A sitemap may list 50,000 URLs; one is the home page. */
const MAX_GUILDS = 49_999;
const SITEMAP_CACHE_MS = 10 * MINUTE_MS;
const URLS_AT_ONCE = 2000;

export function discoveryRoutes(app: FastifyInstance, { clock }: SiteDeps, board: Board): void {
  const sitemaps = briefCache<string>({ clock, maxAgeMs: SITEMAP_CACHE_MS, maxEntries: 4 });
  const send = (reply: FastifyReply, type: string, body: string | Buffer): FastifyReply =>
    reply.type(type).header('cache-control', CACHED_FOR_A_DAY).send(body);

  app.get('/robots.txt', async (request, reply) => {
    const rules = PRIVATE_PATHS.map((path) => `Disallow: ${path}\n`).join('');
    const body = `User-agent: *\n${rules}\nSitemap: ${siteAddress(request)}/sitemap.xml\n`;
    return send(reply, 'text/plain; charset=utf-8', body);
  });

  app.get('/sitemap.xml', async (request, reply) => {
    const origin = siteAddress(request);
    const body = await sitemaps.get(origin, async () => {
      const guilds = (await board.read()).byVotes.slice(0, MAX_GUILDS);
      return sitemap(origin, ['/', ...guilds.map(({ guildId }) => profilePath(guildId))]);
    });
    return send(reply, 'application/xml; charset=utf-8', body);
  });

  app.get('/manifest.webmanifest', async (_request, reply) =>
    send(reply, 'application/manifest+json; charset=utf-8', JSON.stringify(manifest(app.brand))),
  );

  // Browsers request it at this path for pages that do not name an icon, such as a CSV file or JSON.
  app.get('/favicon.ico', (_request, reply) => {
    const { favicon } = app.brand;
    if (favicon === null) return sendFavicon(reply);
    return send(reply.header('content-security-policy', IMAGE_POLICY), favicon.type, favicon.body);
  });
}

async function sitemap(origin: string, paths: readonly string[]): Promise<string> {
  const parts: Html[] = [];
  for (let start = 0; start < paths.length; start += URLS_AT_ONCE) {
    const urls = paths.slice(start, start + URLS_AT_ONCE);
    parts.push(html`${urls.map((path) => html`<url><loc>${origin}${path}</loc></url>\n`)}`);
    await yieldToRequests();
  }
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${parts}</urlset>
`.text;
}

function manifest({ name, icons }: Brand): object {
  return {
    name,
    start_url: '/',
    display: 'browser',
    theme_color: THEME_COLORS.light,
    background_color: THEME_COLORS.light,
    icons: icons.map(({ href, type, sizes }) => ({ src: href, type, sizes })),
  };
}
