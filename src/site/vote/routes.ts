import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import { type Guild, isActive } from '../../domain/guild.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import { cooldownAt, recentWindow } from '../../domain/votes/cooldown.ts';
import { currentMonth } from '../../domain/votes/period.ts';
import type { Ban } from '../../domain/votes/voiding.ts';
import { isDoubledAt } from '../../domain/votes/vote.ts';
import type { Store } from '../../store/store.ts';
import { isDemoRequest } from '../demo-request.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError, SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { pageContext, sendPage } from '../layout/context.ts';
import { signInAddress } from '../layout/page.ts';
import { renderVotePage, type VotePage } from './view.ts';
import { readVoteLink, type VoteLink, votePath } from './vote-link.ts';

type GuildParams = { Params: { guildId: string } };

const PATH = '/guild/:guildId/vote';

export function voteRoutes(app: FastifyInstance, deps: SiteDeps): void {
  const linkOf = (request: FastifyRequest<GuildParams>) =>
    readVoteLink(request.query, { isDemo: isDemoRequest(request, deps.signIn) });

  app.get<GuildParams>(PATH, async (request, reply) => {
    const link = linkOf(request);
    const guild = await findGuild(deps.store, request.params.guildId);
    const page = await describeVotePage(deps, guild, link, request.person?.userId);
    const context = pageContext(request, reply, deps.signIn);
    return sendPage(reply, renderVotePage(context, page));
  });

  /** A session can end while the page is open; the vote is then one sign-in away. */
  async function askToSignIn(request: FastifyRequest<GuildParams>, reply: FastifyReply): Promise<void> {
    if (request.person) return;
    const path = votePath(encodeURIComponent(request.params.guildId), linkOf(request));
    await reply.redirect(signInAddress(path), SEE_OTHER_STATUS);
  }

  const protection = { onRequest: askToSignIn, preHandler: app.csrfProtection };
  app.post<GuildParams>(PATH, protection, async (request, reply) => {
    const link = linkOf(request);
    const guild = await findGuild(deps.store, request.params.guildId);
    if (request.person) await castVote(deps, guild, request.person.userId, link.externalId);
    // Accepted or not, the page itself says where the person stands: a refused second vote is no error.
    return reply.redirect(votePath(guild.guildId, link), SEE_OTHER_STATUS);
  });
}

async function findGuild(store: Store, guildId: string): Promise<Guild> {
  const guild = isSnowflake(guildId) ? await store.guilds.find(guildId) : undefined;
  if (!guild || !isActive(guild)) throw new PageError('GUILD_NOT_FOUND');
  return guild;
}

async function describeVotePage(
  { store, clock }: SiteDeps,
  guild: Guild,
  link: VoteLink,
  userId: string | undefined,
): Promise<VotePage> {
  const now = clock();
  const [votesThisMonth, vote] = await Promise.all([
    store.votes.countInMonth(guild.guildId, currentMonth(now).from),
    userId === undefined ? undefined : store.votes.latestOfUser(guild.guildId, userId, recentWindow(now)),
  ]);
  return {
    guild,
    votesThisMonth,
    isDoubledNow: isDoubledAt(guild.doubling, now),
    link,
    cooldown: cooldownAt(now, vote),
    votedAs: vote?.externalId ?? null,
  };
}

async function castVote(
  { store, clock, onVote }: SiteDeps,
  guild: Guild,
  userId: string,
  externalId: string | null,
): Promise<void> {
  const castAt = clock();
  const isDoubled = isDoubledAt(guild.doubling, castAt);
  const vote = { guildId: guild.guildId, userId, castAt, externalId, isDoubled };
  const outcome = await store.votes.cast(vote);
  onVote(outcome.accepted ? 'accepted' : 'refused');
  if (!outcome.accepted && outcome.ban) throw banned(outcome.ban, castAt);
}

/** The reason is for whoever runs the site, and is not shown. */
function banned({ until }: Ban, now: Instant): PageError {
  if (until === null) return new PageError('VOTER_BANNED');
  return new PageError('VOTER_BANNED', { retryAfterSeconds: Math.ceil((until - now) / SECOND_MS) });
}
