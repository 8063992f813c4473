/** Version 1 of top.gg's API: the project is the community whose key is sent. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DAY_MS, formatInstant, type Instant } from '../../domain/clock.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import { firstText } from '../../domain/record.ts';
import { ALL_TIME, currentMonth, parseIsoDate } from '../../domain/votes/period.ts';
import {
  COOLDOWN_MS,
  cooldownAt,
  type ListedVote,
  type RecentVote,
  recentWindow,
} from '../../domain/votes/vote.ts';
import { topggWeight } from '../../domain/webhooks/topgg.ts';
import { ApiError } from '../errors/api-error.ts';
import { refuseOtherMethods } from '../methods.ts';
import {
  bearerKey,
  callerGuild,
  type FindVoteQuery,
  knownCaller,
  NO_VOTE,
  requirePremium,
} from '../v7/access.ts';
import { openCursor, sealCursor } from '../v7/cursor.ts';
import { READ, type V7Deps } from '../v7/endpoint.ts';
import { admitRequests, requireKeys } from './admit.ts';
import { sendErrorV1, sendNotFoundV1, sendNoVote } from './errors.ts';

const PROJECT = '/projects/:project_id';
const VOTES = `${PROJECT}/votes`;
const VOTE = `${PROJECT}/votes/:user_id`;

/** Calls that only tell top.gg something. They are accepted, so that programs do not fail, and ignored. */
const REPORTS = ['commands', 'metrics', 'metrics/batch', 'announcements'].map((name) => `${PROJECT}/${name}`);

const NO_CONTENT_STATUS = 204;

/** The key decides which project it is. The id of another one, such as that of a bot, means nothing here. */
const PROJECT_ID = /^(?:@me|\d{1,21})$/;

/** There is only one kind of id here, that of Discord. */
const SOURCES: readonly (string | undefined)[] = ['discord', 'topgg', '', undefined];

const PAGE_VOTES = 1000;

/** How far back top.gg returns votes. */
const MAX_AGE_MS = 366 * DAY_MS;

export async function topggV1(app: FastifyInstance, deps: V7Deps): Promise<void> {
  const { clock } = deps;
  app.setErrorHandler(sendErrorV1);

  app.register(async (counted) => {
    admitRequests(counted, deps, { keyOf, findVoteQuery: NO_VOTE });
    counted.setNotFoundHandler(sendNotFoundV1);
    refuseOtherMethods(counted, PROJECT, [...READ, 'PATCH']);
    for (const path of [VOTES, VOTE]) refuseOtherMethods(counted, path, READ);
    for (const path of REPORTS) refuseOtherMethods(counted, path, ['POST']);
  });

  app.register(async (checks) => {
    admitRequests(checks, deps, { keyOf, findVoteQuery: voteOfUser });
    requireProject(checks, deps);
    checks.get(VOTE, async (request, reply) => {
      const { vote } = knownCaller(request);
      if (!SOURCES.includes(firstText(request.query, 'source'))) throw ApiError.because('topgg_source');
      if (!isSnowflake(firstText(request.params, 'user_id') ?? '')) throw new ApiError('INVALID_USER_ID');
      return vote && cooldownAt(clock(), vote).hasVoted ? voteTimes(vote) : sendNoVote(request, reply);
    });
  });

  app.register(async (others) => {
    admitRequests(others, deps, { keyOf, findVoteQuery: NO_VOTE });
    requireProject(others, deps);
    others.get(PROJECT, (request) => describeProject(deps, request));
    others.get(VOTES, { preValidation: requirePremium(clock) }, (request) => listVotes(deps, request));
    others.patch(PROJECT, ignore);
    for (const path of REPORTS) others.post(path, ignore);
  });
}

/** Unlike v0, only with its scheme. */
function keyOf({ headers: { authorization } }: FastifyRequest): string {
  return bearerKey(authorization) ?? '';
}

const voteOfUser: FindVoteQuery = ({ params }, now) => {
  const userId = firstText(params, 'user_id') ?? '';
  return isSnowflake(userId) ? { userId, window: recentWindow(now) } : null;
};

/** A valid key, and a path that can be that of a project. */
function requireProject(app: FastifyInstance, deps: V7Deps): void {
  requireKeys(app, deps);
  app.addHook('preValidation', async (request, reply) => {
    if (!PROJECT_ID.test(firstText(request.params, 'project_id') ?? ''))
      return sendNotFoundV1(request, reply);
  });
}

async function ignore(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(NO_CONTENT_STATUS).send();
}

async function describeProject({ store, clock }: V7Deps, request: FastifyRequest) {
  const { guildId, name } = callerGuild(request);
  const [{ description, tags }, votes, months] = await Promise.all([
    store.profiles.find(guildId),
    store.votes.countInMonth(guildId, currentMonth(clock()).from),
    store.votes.monthly(guildId, ALL_TIME),
  ]);
  return {
    id: guildId,
    name,
    type: 'server',
    platform: 'discord',
    headline: description,
    tags,
    votes,
    votes_total: months.reduce((total, month) => total + month.votes, 0),
    review_score: 0,
    review_count: 0,
  };
}

function voteTimes({ castAt, isDoubled }: RecentVote | ListedVote) {
  return {
    created_at: formatInstant(castAt),
    expires_at: formatInstant(castAt + COOLDOWN_MS),
    weight: topggWeight(Boolean(isDoubled)),
  };
}

/** One page, oldest votes first. The cursor of the last votes leads to an empty page, which has none. */
async function listVotes({ store, clock, secrets }: V7Deps, request: FastifyRequest) {
  const { guildId } = callerGuild(request);
  const scope = ['topgg-votes', guildId];
  const cursor = firstText(request.query, 'cursor');
  const { period, after } = cursor
    ? readCursor(openCursor(cursor, scope, secrets.cursorKey))
    : { period: { from: readStart(request, clock()), to: clock() }, after: null };
  return store.votes.list({ guildId, userId: null, period }, after, PAGE_VOTES, (votes) => {
    const last = votes.at(-1);
    const next = last && [period.from, period.to, last.castAt, last.userId];
    return {
      cursor: next ? sealCursor(next, scope, secrets.cursorKey) : null,
      data: votes.map((vote) => ({ user_id: vote.userId, platform_id: vote.userId, ...voteTimes(vote) })),
    };
  });
}

/** It contains the period of the first page, as in v7: votes that are cast meanwhile are not in it. */
function readCursor(fields: string[] | undefined) {
  if (!fields) throw ApiError.because('topgg_cursor');
  const [from, to, castAt, userId = ''] = fields;
  return {
    period: { from: Number(from), to: Number(to) },
    after: { castAt: Number(castAt), userId },
  };
}

function readStart({ query }: FastifyRequest, now: Instant): Instant {
  const from = parseIsoDate(firstText(query, 'startDate') ?? '');
  if (from === undefined || now - from > MAX_AGE_MS) throw ApiError.because('topgg_start_date');
  return from;
}
