/** What a voter sees after voting, and their choice to appear by name. */
import type { FastifyInstance } from 'fastify';
import { briefCache } from '../../domain/brief-cache.ts';
import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { firstText } from '../../domain/text.ts';
import type { Standing } from '../../store/votes.ts';
import type { SiteDeps } from '../deps.ts';
import { SEE_OTHER_STATUS } from '../errors/page-error.ts';
import type { Board, GuildRank } from '../home/board.ts';
import { ownPath } from '../paths.ts';
import { type Person, requirePerson } from '../session.ts';

/** `guildRank`: null for a community that is not in the listing. */
export type AfterVote = { standing: Standing; guildRank: GuildRank | null };

export type ReadAfterVote = (
  guild: Guild,
  person: Person,
  vote: { votedAt: Instant; votesThisMonth: number },
) => Promise<AfterVote>;

const KEPT_MS = 30 * SECOND_MS;
const MAX_KEPT = 1000;

/** Reloading the page does not count the votes of the month again. A new vote does. */
export function createAfterVote({ store, clock }: SiteDeps, board: Board): ReadAfterVote {
  const standings = briefCache<Standing>({ clock, maxAgeMs: KEPT_MS, maxEntries: MAX_KEPT });
  return async ({ guildId }, { userId }, { votedAt, votesThisMonth }) => {
    const read = () => store.votes.standing(guildId, userId, clock());
    const [standing, guildRank] = await Promise.all([
      standings.get(`${guildId} ${userId} ${votedAt}`, read),
      board.rankOf(guildId, votesThisMonth),
    ]);
    return { standing, guildRank };
  };
}

export const NAME_PATH = '/account/name';

/** `POST /account/name` with `show=yes` or `show=no`. Nobody appears by name without having asked for it. */
export function nameRoute(app: FastifyInstance, { store, clock }: SiteDeps): void {
  const protection = {
    onRequest: async (...[request]: Parameters<typeof requirePerson>) => void requirePerson(request),
    preHandler: app.csrfProtection,
  };
  app.post(NAME_PATH, protection, async (request, reply) => {
    const { userId, name } = requirePerson(request);
    const isShown = firstText(request.body, 'show') === 'yes';
    const isKnown = await store.users.setShowName(userId, isShown);
    if (!isKnown && isShown) {
      // The session is older than the stored profiles.
      await store.users.remember({ userId, name, avatar: null }, clock());
      await store.users.setShowName(userId, true);
    }
    return reply.redirect(ownPath(firstText(request.body, 'back')), SEE_OTHER_STATUS);
  });
}
