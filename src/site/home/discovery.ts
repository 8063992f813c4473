/** What search engines request at fixed paths: `robots.txt` and sitemaps. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../../domain/clock.ts';
import { ttlCache } from '../../domain/ttl-cache.ts';
import { streamSlices } from '../../http/slices.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError } from '../errors/page-error.ts';
import { CACHED_FOR_A_DAY } from '../layout/assets.ts';
import { escapeHtml } from '../layout/html.ts';
import { profilePath, siteAddress } from '../paths.ts';
import type { Board } from './board.ts';

/** Without the dashboard, which redirects to /sign-in. */
const PRIVATE_PATHS = ['/operator', '/sign-in', '/locale'];

/** Search engines accept 50,000 URLs in a sitemap. A shorter one is sooner read to its end. */
export const URLS_PER_SITEMAP = 10_000;
const PATHS_KEPT_MS = 10 * MINUTE_MS;
/** About 16 kB. */
const URLS_PER_SLICE = 200;

const SITEMAP_PATH = '/sitemap.xml';
const PART_PATH = '/sitemap-:part(^[1-9][0-9]{0,3}).xml';
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

export function discoveryRoutes(app: FastifyInstance, { clock }: SiteDeps, board: Board): void {
  // Only paths are kept: they are the same for every host, and all who read a sitemap slowly share them.
  const kept = ttlCache<readonly string[]>({ clock, maxAgeMs: PATHS_KEPT_MS, maxEntries: 1 });
  const readPaths = () => kept.get('', async () => pathsOf((await board.read()).byAge));
  // Without a configured URL the links contain the host of the request, which a shared cache would give to others.
  const caching = app.publicUrl === null ? 'no-store' : CACHED_FOR_A_DAY;

  app.get('/robots.txt', async (request, reply) => {
    const rules = PRIVATE_PATHS.map((path) => `Disallow: ${path}\n`).join('');
    const body = `User-agent: *\n${rules}\nSitemap: ${siteAddress(request)}${SITEMAP_PATH}\n`;
    return reply.type('text/plain; charset=utf-8').header('cache-control', caching).send(body);
  });

  const send = (request: FastifyRequest, reply: FastifyReply, element: Element, paths: readonly string[]) => {
    reply.type('application/xml; charset=utf-8').header('cache-control', caching);
    const isHead = request.method === 'HEAD';
    return reply.send(isHead ? Readable.from([]) : writeSitemap(siteAddress(request), element, paths));
  };

  app.get(SITEMAP_PATH, async (request, reply) => {
    const paths = await readPaths();
    const count = Math.ceil(paths.length / URLS_PER_SITEMAP);
    if (count === 1) return send(request, reply, 'url', paths);
    const parts = Array.from({ length: count }, (_, index) => `/sitemap-${index + 1}.xml`);
    return send(request, reply, 'sitemap', parts);
  });

  app.get<{ Params: { part: string } }>(PART_PATH, async (request, reply) => {
    const start = (Number(request.params.part) - 1) * URLS_PER_SITEMAP;
    const paths = (await readPaths()).slice(start, start + URLS_PER_SITEMAP);
    if (paths.length === 0) throw new PageError('NOT_FOUND');
    return send(request, reply, 'url', paths);
  });
}

/** Oldest first, so that a new community changes only the last part. */
function pathsOf(newestFirst: readonly { guildId: string }[]): string[] {
  return ['/', ...newestFirst.map(({ guildId }) => profilePath(guildId)).reverse()];
}

/** A sitemap lists URLs; an index of sitemaps lists sitemaps. */
type Element = 'url' | 'sitemap';
const ROOTS: Record<Element, string> = { url: 'urlset', sitemap: 'sitemapindex' };

function writeSitemap(origin: string, element: Element, paths: readonly string[]): Readable {
  const root = ROOTS[element];
  let opening = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n`;
  let at = 0;
  return streamSlices(() => {
    if (at >= paths.length) return null;
    const slice = paths.slice(at, at + URLS_PER_SLICE);
    at += URLS_PER_SLICE;
    const entries = slice.map((path) => `<${element}><loc>${escapeHtml(origin + path)}</loc></${element}>\n`);
    const text = `${opening}${entries.join('')}${at >= paths.length ? `</${root}>\n` : ''}`;
    opening = '';
    return text;
  });
}
