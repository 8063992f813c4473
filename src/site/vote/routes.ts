import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Guild, NO_PROFILE } from '../../domain/guild.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import { firstText } from '../../domain/record.ts';
import { currentMonth } from '../../domain/votes/period.ts';
import { cooldownAt, isDoubledAt, recentWindow } from '../../domain/votes/vote.ts';
import { type VoteLink, votePath } from '../../domain/votes/vote-link.ts';
import { type GuildRules, NO_RULES } from '../../store/moderation/integrity.ts';
import type { Gate } from '../../voting/cast-vote.ts';
import type { Solution } from '../../voting/challenge.ts';
import { readWait } from '../../voting/cooldown.ts';
import type { VoteRequest, Voter } from '../../voting/eligibility.ts';
import { isDemoRequest } from '../demo-request.ts';
import type { SiteDeps } from '../deps.ts';
import { SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { requireActiveGuild } from '../find-guild.ts';
import type { Board } from '../home/board.ts';
import { pageContext, sendPage } from '../layout/responses.ts';
import { profilePath, siteAddress } from '../paths.ts';
import { discourageSearch } from '../profile/routes.ts';
import { type Person, requirePerson } from '../session.ts';
import { createAfterVote } from './after.ts';
import { type PageGate, setStatus, showable, signInToVote } from './gate.ts';
import { voteLinkOf } from './link.ts';
import { renderVotePage, type VotePage } from './view.ts';

type GuildParams = { Params: { guildId: string } };
type PageRequest = FastifyRequest<GuildParams>;

const PATH = votePath(':guildId');

export function voteRoutes(app: FastifyInstance, deps: SiteDeps, board: Board): void {
  const { store, clock, signIn, voting } = deps;
  const readAfterVote = createAfterVote(deps, board);
  const linkOf = (request: PageRequest) => voteLinkOf(request, { isDemo: isDemoRequest(request, signIn) });

  const voterOf = (request: PageRequest, { userId }: Person, { guildId }: Guild): Voter => ({
    userId,
    address: request.ip,
    isMember: () => signIn.isMember(request, guildId),
  });

  async function describe(
    request: PageRequest,
    link: VoteLink,
    guild: Guild,
    rules: GuildRules,
  ): Promise<Omit<VotePage, 'gate'>> {
    const now = clock();
    const { guildId } = guild;
    const userId = request.person?.userId;
    const [votesThisMonth, goal, vote] = await Promise.all([
      store.votes.countInMonth(guildId, currentMonth(now).from),
      store.goals.progress(guildId, now),
      userId === undefined ? undefined : store.votes.latestOfUser(guildId, userId, recentWindow(now)),
    ]);
    const cooldown = cooldownAt(now, vote);
    const wait = vote || userId === undefined ? cooldown : await readWait(store, guildId, userId, now);
    const { person } = request;
    const { invite } = rules.membersOnly ? await store.profiles.find(guildId) : NO_PROFILE;
    const users = person ? await store.users.find([person.userId]) : undefined;
    const counted = vote && { votedAt: vote.castAt, votesThisMonth };
    return {
      guild,
      rules,
      now,
      invite,
      votesThisMonth,
      goal,
      isDoubledNow: isDoubledAt(guild.doubling, now),
      isDoubledNext: wait.nextVoteAt !== null && isDoubledAt(guild.doubling, wait.nextVoteAt),
      link,
      cooldown,
      wait,
      votedAs: vote?.externalId ?? null,
      after: person && counted ? await readAfterVote(guild, person, counted) : null,
      isNameShown: users?.values().next().value?.showName ?? false,
      shareAddress: `${siteAddress(request)}${profilePath(guildId)}`,
    };
  }

  function send(request: PageRequest, reply: FastifyReply, page: VotePage): FastifyReply {
    discourageSearch(reply, page.guild);
    const context = pageContext(request, reply, signIn);
    const path = context.isFormResponse ? votePath(page.guild.guildId, page.link) : context.path;
    return sendPage(reply, renderVotePage({ ...context, path }, page));
  }

  async function previewGate(request: PageRequest, { guild, rules, link }: VotePage): Promise<Gate> {
    const { person } = request;
    const opened: Omit<VoteRequest, 'voter'> = { guild, ...link };
    if (!person) return (await voting.linkRefusalOf(opened, rules)) ?? OPEN;
    return voting.preview({ ...opened, voter: voterOf(request, person, guild) }, rules);
  }

  app.get<GuildParams>(PATH, async (request, reply) => {
    const link = linkOf(request);
    const guild = await requireActiveGuild(store, request.params.guildId);
    const rules = await store.integrity.rules(guild.guildId);
    const page = { ...(await describe(request, link, guild, rules)), gate: OPEN };
    // Users who have voted see that, even after the link has expired.
    if (page.cooldown.hasVoted) return send(request, reply, page);
    const { nextVoteAt } = page.wait;
    if (nextVoteAt !== null)
      return send(request, reply, { ...page, gate: { kind: 'cooldown', canVoteAt: nextVoteAt } });
    const gate = showable(await previewGate(request, page));
    if (gate.kind === 'busy_network') setStatus(reply, gate, clock());
    return send(request, reply, { ...page, gate });
  });

  /** A session can end while the page is open; the vote then requires another sign-in. */
  async function askToSignIn(request: PageRequest, reply: FastifyReply): Promise<void> {
    if (request.person) return;
    const { guildId } = request.params;
    const path = votePath(encodeURIComponent(guildId), linkOf(request));
    const rules = isSnowflake(guildId) ? await store.integrity.rules(guildId) : NO_RULES;
    await reply.redirect(signInToVote(path, rules), SEE_OTHER_STATUS);
  }

  const protection = {
    onRequest: askToSignIn,
    preHandler: app.csrfProtection,
    // Refusals keep their status. A vote that is sent again does not count twice (decision 33).
    config: { answersDirectly: true },
  };
  app.post<GuildParams>(PATH, protection, async (request, reply) => {
    const link = linkOf(request);
    const guild = await requireActiveGuild(store, request.params.guildId);
    const voter = voterOf(request, requirePerson(request), guild);
    const outcome = await voting.cast({ guild, voter, ...link, solution: readSolution(request.body) });
    const back = votePath(guild.guildId, link);
    if (outcome.kind === 'accepted') return reply.redirect(back, SEE_OTHER_STATUS);
    const gate = showable(outcome);
    const page = await describe(request, link, guild, await store.integrity.rules(guild.guildId));
    // A second vote within the hour, or the second click of a double click, is not an error.
    if (page.cooldown.hasVoted) return reply.redirect(back, SEE_OTHER_STATUS);
    setStatus(reply, gate, clock());
    return send(request, reply, { ...page, gate });
  });
}

const OPEN: PageGate = { kind: 'open' };

function readSolution(body: unknown): Solution {
  return { proof: firstText(body, 'altcha'), turnstileToken: firstText(body, 'cf-turnstile-response') };
}
