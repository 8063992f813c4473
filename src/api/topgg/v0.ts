/** Version 0 of top.gg's API: votes of bots, here of the community whose key is sent. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isSnowflake } from '../../domain/identifiers.ts';
import { firstText } from '../../domain/record.ts';
import { cooldownAt, isDoubledAt, recentWindow } from '../../domain/votes/vote.ts';
import type { Store } from '../../store/store.ts';
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
import { READ, type V7Deps } from '../v7/endpoint.ts';
import { admitRequests, requireKeys } from './admit.ts';
import { sendErrorV0, sendNotFoundV0 } from './errors.ts';

/** With the id of a bot or without. Programs send the id of their bot, which means nothing here: the key decides. */
const BOTS = ['/bots', '/bots/:bot_id'];

const BOT_ID = /^\d{1,21}$/;

/** What top.gg returns without `page`, and how many votes its pages have. */
const MAX_VOTES = 1000;
const PAGE_VOTES = 100;
const PAGE = /^[1-9]\d{0,8}$/;

export async function topggV0(app: FastifyInstance, deps: V7Deps): Promise<void> {
  const { clock, store } = deps;
  app.setErrorHandler(sendErrorV0);

  app.register(async (counted) => {
    admitRequests(counted, deps, { keyOf, findVoteQuery: NO_VOTE });
    counted.setNotFoundHandler(sendNotFoundV0);
    refuseOtherMethods(counted, '/weekend', READ);
    for (const path of BOTS) {
      refuseOtherMethods(counted, `${path}/check`, READ);
      refuseOtherMethods(counted, `${path}/votes`, READ);
      refuseOtherMethods(counted, `${path}/stats`, [...READ, 'POST']);
    }
  });

  app.register(async (checks) => {
    admitRequests(checks, deps, { keyOf, findVoteQuery: voteOfUserId });
    requireKeys(checks, deps);
    for (const path of BOTS) {
      checks.get(`${path}/check`, async (request, reply) => {
        const { vote } = knownCaller(request);
        if (!hasBotId(request)) return sendNotFoundV0(request, reply);
        if (!isSnowflake(firstText(request.query, 'userId') ?? '')) throw ApiError.because('topgg_user_id');
        return { voted: cooldownAt(clock(), vote).hasVoted ? 1 : 0 };
      });
    }
  });

  app.register(async (others) => {
    admitRequests(others, deps, { keyOf, findVoteQuery: NO_VOTE });
    requireKeys(others, deps);
    others.get('/weekend', async (request) => {
      return { is_weekend: isDoubledAt(callerGuild(request).doubling, clock()) };
    });
    for (const path of BOTS) {
      others.get(`${path}/votes`, { preValidation: requirePremium(clock) }, async (request, reply) => {
        const { guildId } = callerGuild(request);
        return hasBotId(request)
          ? listVoters(store, guildId, readPage(request))
          : sendNotFoundV0(request, reply);
      });
      // Communities have no servers and shards. Reports are accepted, so that programs do not fail.
      others.get(`${path}/stats`, async (request, reply) =>
        hasBotId(request) ? { server_count: 0, shards: [], shard_count: 0 } : sendNotFoundV0(request, reply),
      );
      others.post(`${path}/stats`, async (request, reply) =>
        hasBotId(request) ? {} : sendNotFoundV0(request, reply),
      );
    }
  });
}

/** top.gg expects the key without a scheme here, and accepts it with one. */
function keyOf({ headers: { authorization = '' } }: FastifyRequest): string {
  return bearerKey(authorization) ?? authorization.trim();
}

const voteOfUserId: FindVoteQuery = ({ query }, now) => {
  const userId = firstText(query, 'userId') ?? '';
  return isSnowflake(userId) ? { userId, window: recentWindow(now) } : null;
};

function hasBotId({ params }: FastifyRequest): boolean {
  const botId = firstText(params, 'bot_id');
  return botId === undefined || BOT_ID.test(botId);
}

type Page = { start: number; end: number };

function readPage({ query }: FastifyRequest): Page {
  const page = firstText(query, 'page') || null;
  if (page === null) return { start: 0, end: MAX_VOTES };
  if (!PAGE.test(page)) throw ApiError.because('topgg_page');
  const start = Math.min((Number(page) - 1) * PAGE_VOTES, MAX_VOTES);
  return { start, end: Math.min(start + PAGE_VOTES, MAX_VOTES) };
}

/** Newest votes first. The id of a voter is also the name, unless the voter agreed to be shown by name. */
async function listVoters({ votes, users }: Store, guildId: string, { start, end }: Page) {
  const page = start === end ? [] : (await votes.recent(guildId, null, null, end)).slice(start);
  const people = await users.find([...new Set(page.map(({ userId }) => userId))]);
  return page.map(({ userId }) => {
    const user = people.get(userId);
    const shown = user?.showName ? user : { name: userId, avatar: null };
    return { username: shown.name, id: userId, avatar: shown.avatar ?? '' };
  });
}
