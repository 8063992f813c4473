import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Instant, MINUTE_MS } from '../../domain/clock.ts';
import { ttlCache } from '../../domain/ttl-cache.ts';
import { COOLDOWN_MS } from '../../domain/votes/vote.ts';
import type { SiteDeps } from '../deps.ts';
import { CACHED_FOR_A_DAY } from '../layout/assets.ts';
import { type Html, html } from '../layout/html.ts';
import { pageContext, sendPage } from '../layout/responses.ts';
import { profilePath, siteAddress } from '../paths.ts';
import type { Board } from './board.ts';
import { findGuilds, type Listing, readListingQuery } from './listing.ts';
import { renderHomePage } from './view.ts';

export function homeRoute(app: FastifyInstance, deps: SiteDeps, board: Board): void {
  const { store, clock } = deps;

  /** When the visitor can vote again, for each community on the page that they voted for within the last hour. */
  async function readCooldowns(
    userId: string | undefined,
    { guilds }: Listing,
    now: Instant,
  ): Promise<Map<string, Instant>> {
    if (userId === undefined || guilds.length === 0) return new Map();
    const ids = guilds.map(({ guildId }) => guildId);
    const lastVotes = await store.listing.lastVotes(userId, ids, now - COOLDOWN_MS);
    return new Map([...lastVotes].map(([guildId, lastVoteAt]) => [guildId, lastVoteAt + COOLDOWN_MS]));
  }

  app.get('/', async (request, reply) => {
    const now = clock();
    const query = readListingQuery(request.query);
    const data = await board.read();
    const trends = query.sort === 'trending' ? await board.readTrends() : null;
    const listing = findGuilds(trends?.byTrend ?? (query.sort === 'new' ? data.byAge : data.byVotes), query);
    const [profiles, cooldowns] = await Promise.all([
      store.profiles.findMany(listing.guilds.map(({ guildId }) => guildId)),
      readCooldowns(request.person?.userId, listing, now),
    ]);
    const page = renderHomePage(pageContext(request, reply, deps.signIn), {
      ...{ listing, profiles, cooldowns, now },
      weeks: trends?.weeks ?? new Map(),
      tags: data.tags,
      languages: data.languages,
    });
    return sendPage(reply, page);
  });
}

/** Without the dashboard, which redirects to /sign-in. */
const PRIVATE_PATHS = ['/operator', '/sign-in', '/locale'];

/** A sitemap may list 50,000 URLs; one is the home page. */
const MAX_GUILDS = 49_999;
const SITEMAP_CACHE_MS = 10 * MINUTE_MS;
const URLS_AT_ONCE = 2000;

/** What search engines request at fixed paths. */
export function discoveryRoutes(app: FastifyInstance, { clock }: SiteDeps, board: Board): void {
  const sitemaps = ttlCache<string>({ clock, maxAgeMs: SITEMAP_CACHE_MS, maxEntries: 4 });
  // Without a configured URL the links contain the host of the request, which a shared cache would give to others.
  const caching = app.publicUrl === null ? 'no-store' : CACHED_FOR_A_DAY;
  const send = (reply: FastifyReply, type: string, body: string | Buffer): FastifyReply =>
    reply.type(type).header('cache-control', caching).send(body);

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
