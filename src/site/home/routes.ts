import type { FastifyInstance } from 'fastify';
import type { Instant } from '../../domain/clock.ts';
import { readWaits, type Wait } from '../../voting/cooldown.ts';
import type { SiteDeps } from '../deps.ts';
import { pageContext, sendPage } from '../layout/responses.ts';
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
  ): Promise<Map<string, Wait>> {
    if (userId === undefined || guilds.length === 0) return new Map();
    const ids = guilds.map(({ guildId }) => guildId);
    return readWaits(store, ids, userId, now);
  }

  app.get('/', async (request, reply) => {
    const now = clock();
    const query = readListingQuery(request.query);
    const data = await board.read();
    const trends = query.sort === 'trending' ? await board.readTrends() : null;
    const listing = findGuilds(trends?.byTrend ?? (query.sort === 'new' ? data.byAge : data.byVotes), query);
    const cooldowns = await readCooldowns(request.person?.userId, listing, now);
    const page = renderHomePage(pageContext(request, reply, deps.signIn), {
      ...{ listing, cooldowns, now },
      weeks: trends?.weeks ?? new Map(),
      tags: data.tags,
      languages: data.languages,
    });
    return sendPage(reply, page);
  });
}
