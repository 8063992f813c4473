/** What browsers and search engines request at fixed paths. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { briefCache } from '../domain/brief-cache.ts';
import { MINUTE_MS } from '../domain/clock.ts';
import { currentMonth } from '../domain/votes/period.ts';
import type { SiteDeps } from './deps.ts';
import { CACHED_FOR_A_DAY, sendFavicon } from './layout/assets.ts';
import { type Brand, IMAGE_POLICY } from './layout/brand.ts';
import { html } from './layout/html.ts';
import { THEME_COLORS } from './layout/page.ts';
import { profilePath, siteAddress } from './paths.ts';

/** Nothing here is of use without a session. */
const PRIVATE_PATHS = ['/dashboard', '/operator', '/sign-in', '/locale'];

/** A sitemap may list 50,000 URLs; one is the home page. */
const MAX_GUILDS = 49_999;
const SITEMAP_CACHE_MS = 10 * MINUTE_MS;

export function discoveryRoutes(app: FastifyInstance, { store, clock }: SiteDeps): void {
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
      const page = { search: '', limit: MAX_GUILDS, offset: 0 };
      const guilds = await store.guilds.ranking(currentMonth(clock()).from, page);
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

function sitemap(origin: string, paths: readonly string[]): string {
  const urls = paths.map((path) => html`<url><loc>${origin}${path}</loc></url>\n`);
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls}</urlset>
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
