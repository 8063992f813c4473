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
const PARTS_KEPT_MS = 10 * MINUTE_MS;
/** About 16 kB. */
const URLS_PER_SLICE = 200;

const SITEMAP_PATH = '/sitemap.xml';
const PART_PATH = '/sitemap-:part(^[1-9][0-9]{0,3}).xml';
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

export function discoveryRoutes(app: FastifyInstance, { clock }: SiteDeps, board: Board): void {
  const kept = ttlCache<Part[]>({ clock, maxAgeMs: PARTS_KEPT_MS, maxEntries: 1 });
  const readParts = () => kept.get('', async () => partsOf((await board.read()).byAge));
  // Without a configured URL the links contain the host of the request, which a shared cache would give to others.
  const caching = app.publicUrl === null ? 'no-store' : CACHED_FOR_A_DAY;

  app.get('/robots.txt', async (request, reply) => {
    const rules = PRIVATE_PATHS.map((path) => `Disallow: ${path}\n`).join('');
    const body = `User-agent: *\n${rules}\nSitemap: ${siteAddress(request)}${SITEMAP_PATH}\n`;
    return reply.type('text/plain; charset=utf-8').header('cache-control', caching).send(body);
  });

  const send = (request: FastifyRequest, reply: FastifyReply, element: Element, part: Part) => {
    reply.type('application/xml; charset=utf-8').header('cache-control', caching);
    const isHead = request.method === 'HEAD';
    return reply.send(isHead ? Readable.from([]) : streamSitemap(siteAddress(request), element, part));
  };

  app.get(SITEMAP_PATH, async (request, reply) => {
    const [first, ...others] = await readParts();
    if (first && others.length === 0) return send(request, reply, 'url', first);
    const paths = [first, ...others].map((_, index) => `/sitemap-${index + 1}.xml`);
    return send(request, reply, 'sitemap', { paths });
  });

  app.get<{ Params: { part: string } }>(PART_PATH, async (request, reply) => {
    const part = (await readParts())[Number(request.params.part) - 1];
    if (!part) throw new PageError('NOT_FOUND');
    return send(request, reply, 'url', part);
  });
}

/** `text`: for the host that was last asked for it, as far as it was sent. All who read it slowly share it. */
type Part = { readonly paths: readonly string[]; text?: { origin: string; slices: Buffer[] } };

/** Oldest first, so that a new community changes only the last part. */
function partsOf(newestFirst: readonly { guildId: string }[]): Part[] {
  const paths = ['/', ...newestFirst.map(({ guildId }) => profilePath(guildId)).reverse()];
  return Array.from({ length: Math.ceil(paths.length / URLS_PER_SITEMAP) }, (_, index) => ({
    paths: paths.slice(index * URLS_PER_SITEMAP, (index + 1) * URLS_PER_SITEMAP),
  }));
}

/** A sitemap lists URLs; an index of sitemaps lists sitemaps. */
type Element = 'url' | 'sitemap';
const ROOTS: Record<Element, string> = { url: 'urlset', sitemap: 'sitemapindex' };

function streamSitemap(origin: string, element: Element, part: Part): Readable {
  if (part.text?.origin !== origin) part.text = { origin, slices: [] };
  const { slices } = part.text;
  const count = Math.ceil(part.paths.length / URLS_PER_SLICE);
  let next = 0;
  return streamSlices(() => {
    if (next === count) return null;
    const slice = slices[next] ?? writeSlice(origin, element, part, next);
    slices[next] = slice;
    next += 1;
    return slice;
  });
}

function writeSlice(origin: string, element: Element, { paths }: Part, index: number): Buffer {
  const root = ROOTS[element];
  const [start, end] = [index * URLS_PER_SLICE, (index + 1) * URLS_PER_SLICE];
  const opening = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n`;
  const entries = paths
    .slice(start, end)
    .map((path) => `<${element}><loc>${escapeHtml(origin + path)}</loc></${element}>\n`);
  const text = `${start === 0 ? opening : ''}${entries.join('')}${end >= paths.length ? `</${root}>\n` : ''}`;
  return Buffer.from(text);
}
