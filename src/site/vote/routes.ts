import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../domain/address.ts';
import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { isWellEncoded } from '../../domain/percent-encoding.ts';
import { firstText, isLinkableExternalId, isSnowflake } from '../../domain/text.ts';
import { currentMonth } from '../../domain/votes/period.ts';
import {
  COOLDOWN_MS,
  type CooldownState,
  cooldownAt,
  isDoubledAt,
  recentWindow,
} from '../../domain/votes/vote.ts';
import { type GuildRules, NO_RULES, revealLinkSecrets } from '../../store/moderation/integrity.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError, SEE_OTHER_STATUS } from '../errors/page-error.ts';
import type { Board } from '../home/board.ts';
import { pageContext, sendPage } from '../layout/responses.ts';
import {
  type LinkSignature,
  profilePath,
  signInAddress,
  siteAddress,
  type VoteLink,
  votePath,
} from '../paths.ts';
import { discourageSearch, findActiveGuild } from '../profile/routes.ts';
import { isDemoRequest } from '../session.ts';
import { guildsSignInAddress } from '../sign-in/sign-in.ts';
import { createAfterVote } from './after.ts';
import { type CastResult, createGates, type Gate } from './gate.ts';
import { renderVotePage, type VotePage } from './view.ts';

type GuildParams = { Params: { guildId: string } };
type VoteRequest = FastifyRequest<GuildParams>;

const PATH = '/guild/:guildId/vote';

const REFUSED_STATUS = 403;
const BUSY_STATUS = 429;

export function voteRoutes(app: FastifyInstance, deps: SiteDeps, board: Board): void {
  const { store, clock, secrets } = deps;
  const gates = createGates(deps);
  const readAfterVote = createAfterVote(deps, board);
  const linkOf = (request: VoteRequest) => {
    if (!isWellEncoded(request.url, 'external_id')) throw new PageError('BAD_EXTERNAL_ID');
    return readVoteLink(request.query, { isDemo: isDemoRequest(request, deps.signIn) });
  };

  async function checkLink(guild: Guild, rules: GuildRules, link: VoteLink): Promise<void> {
    if (!rules.signedLinksOnly) return;
    const now = clock();
    requireSignature(guild.guildId, link, await revealLinkSecrets(store, secrets, guild.guildId, now), now);
  }

  async function describe(
    request: VoteRequest,
    link: VoteLink,
    guild: Guild,
    rules: GuildRules,
  ): Promise<Omit<VotePage, 'gate'>> {
    const now = clock();
    const { guildId } = guild;
    const userId = request.person?.userId;
    const [votesThisMonth, vote] = await Promise.all([
      store.votes.countInMonth(guildId, currentMonth(now).from),
      userId === undefined ? undefined : store.votes.latestOfUser(guildId, userId, recentWindow(now)),
    ]);
    const cooldown = cooldownAt(now, vote);
    const wait = vote || userId === undefined ? cooldown : await readVoidedWait(guildId, userId, now);
    const { person } = request;
    const users = person ? await store.users.find([person.userId]) : undefined;
    const counted = vote && { votedAt: vote.castAt, votesThisMonth };
    return {
      guild,
      rules,
      votesThisMonth,
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

  /** The cooldown of a vote that was voided: it does not count, but the next one has to wait all the same. */
  async function readVoidedWait(guildId: string, userId: string, now: Instant): Promise<CooldownState> {
    const castAt = (await store.listing.lastVotes(userId, [guildId], now - COOLDOWN_MS)).get(guildId);
    return cooldownAt(now, castAt === undefined ? undefined : { castAt, isDoubled: false });
  }

  function send(request: VoteRequest, reply: FastifyReply, page: VotePage): FastifyReply {
    discourageSearch(reply, page.guild);
    const context = pageContext(request, reply, deps.signIn);
    const path = context.isFormResponse ? votePath(page.guild.guildId, page.link) : context.path;
    return sendPage(reply, renderVotePage({ ...context, path }, page));
  }

  app.get<GuildParams>(PATH, async (request, reply) => {
    const link = linkOf(request);
    const guild = await findActiveGuild(store, request.params.guildId);
    const rules = await store.integrity.rules(guild.guildId);
    const page = await describe(request, link, guild, rules);
    const { person } = request;
    // Users who have voted see that, even after the link has expired.
    if (page.cooldown.hasVoted) return send(request, reply, { ...page, gate: { kind: 'open' } });
    const { nextVoteAt } = page.wait;
    if (nextVoteAt !== null)
      return send(request, reply, {
        ...page,
        gate: { kind: 'closed', reason: 'cooldown', canVoteAt: nextVoteAt },
      });
    await checkLink(guild, rules, link);
    const gate: Gate = person
      ? await gates.look({ request, guild, rules, person, externalId: link.externalId })
      : { kind: 'open' };
    if (gate.kind === 'closed' && gate.reason === 'busy_network') setStatus(reply, gate, clock());
    return send(request, reply, { ...page, gate });
  });

  /** A session can end while the page is open; the vote then requires another sign-in. */
  async function askToSignIn(request: VoteRequest, reply: FastifyReply): Promise<void> {
    if (request.person) return;
    const { guildId } = request.params;
    const path = votePath(encodeURIComponent(guildId), linkOf(request));
    const { membersOnly } = isSnowflake(guildId) ? await store.integrity.rules(guildId) : NO_RULES;
    const address = membersOnly ? guildsSignInAddress(path) : signInAddress(path);
    await reply.redirect(address, SEE_OTHER_STATUS);
  }

  const protection = {
    onRequest: askToSignIn,
    preHandler: app.csrfProtection,
    // Refusals keep their status. A vote that is sent again does not count twice (decision 33).
    config: { answersDirectly: true },
  };
  app.post<GuildParams>(PATH, protection, async (request, reply) => {
    const link = linkOf(request);
    const guild = await findActiveGuild(store, request.params.guildId);
    const rules = await store.integrity.rules(guild.guildId);
    const { person } = request;
    await checkLink(guild, rules, link).catch((error: unknown) => {
      deps.onVote('refused');
      deps.onRefusal('bad_link');
      throw error;
    });
    const ballot = person && { request, guild, rules, person, externalId: link.externalId };
    const result: CastResult = ballot ? await gates.cast(ballot) : { kind: 'done' };
    if (result.kind === 'banned') throw banned(result.ban.until, result.at);
    const back = votePath(guild.guildId, link);
    if (result.kind === 'done') return reply.redirect(back, SEE_OTHER_STATUS);
    const page = await describe(request, link, guild, rules);
    // A second vote within the hour, or the second click of a double click, is not an error.
    if (page.cooldown.hasVoted) return reply.redirect(back, SEE_OTHER_STATUS);
    setStatus(reply, result, clock());
    return send(request, reply, { ...page, gate: result });
  });
}

function setStatus(reply: FastifyReply, gate: Exclude<Gate, { kind: 'open' }>, now: Instant): void {
  const isBusy = gate.kind === 'closed' && gate.reason === 'busy_network';
  reply.code(isBusy ? BUSY_STATUS : REFUSED_STATUS);
  if (isBusy) reply.header('retry-after', Math.max(1, secondsUntil(gate.canVoteAt ?? now, now)));
}

/** The reason is for the operator and is not shown. */
function banned(until: Instant | null, now: Instant): PageError {
  if (until === null) return new PageError('VOTER_BANNED');
  return new PageError('VOTER_BANNED', { retryAfterSeconds: secondsUntil(until, now) });
}

function secondsUntil(instant: Instant, now: Instant): number {
  return Math.ceil((instant - now) / SECOND_MS);
}

/** Throws an error page for an invalid link. In the demo, return URLs on this machine are allowed. */
export function readVoteLink(query: unknown, { isDemo = false } = {}): VoteLink {
  return {
    externalId: readParameter(query, 'external_id', readExternalId),
    returnTo: readParameter(query, 'return_to', (value) => readReturnAddress(value, isDemo)),
    signature: readSignature(query),
  };
}

function readParameter<T>(query: unknown, name: string, read: (value: unknown) => T): T | null {
  if (typeof query !== 'object' || query === null || !Object.hasOwn(query, name)) return null;
  return read(Reflect.get(query, name));
}

/** A link with two identities is rejected like an empty one, because the intended one is unknown. */
function readExternalId(value: unknown): string {
  if (typeof value !== 'string' || !isLinkableExternalId(value)) throw new PageError('BAD_EXTERNAL_ID');
  return value;
}

/** Credentials in the URL would make the displayed host less trustworthy. */
function readReturnAddress(value: unknown, isDemo: boolean): URL {
  const url = typeof value === 'string' && /^https?:\/\//i.test(value) ? URL.parse(value) : null;
  const isAllowed = url?.protocol === 'https:' || (isDemo && url && isLoopbackHost(url.hostname));
  if (!url || !isAllowed || url.username || url.password) throw new PageError('BAD_RETURN_ADDRESS');
  return url;
}

function readSignature(query: unknown): LinkSignature | null {
  const [expires, signature] = [firstText(query, 'expires'), firstText(query, 'signature')];
  return expires === undefined || signature === undefined ? null : { expires, signature };
}

/** Throws an error page unless one of the secrets signed the link. */
export function requireSignature(
  guildId: string,
  { signature: given, externalId }: VoteLink,
  secrets: readonly string[],
  now: Instant,
): void {
  if (!given) throw new PageError('LINK_NOT_SIGNED');
  const isSigned = secrets.some((secret) => isSignedWith(secret, guildId, given, externalId ?? ''));
  if (!isSigned) throw new PageError('LINK_SIGNATURE_WRONG');
  if (Number(given.expires) * SECOND_MS <= now) throw new PageError('LINK_EXPIRED');
}

function isSignedWith(secret: string, guildId: string, given: LinkSignature, externalId: string): boolean {
  if (!/^[0-9]{1,12}$/.test(given.expires)) return false;
  const content = `v1.${guildId}.${given.expires}.${externalId}`;
  const expected = createHmac('sha256', secret).update(content).digest('base64url');
  const [one, other] = [Buffer.from(expected), Buffer.from(given.signature)];
  return one.length === other.length && timingSafeEqual(one, other);
}
