/**
 * The claim protocol of the ListForge sites (rust-servers.net, minecraft-mp.com and others), for existing plugins. It
 * is implemented on claims, so a vote is rewarded once, whichever interface is used.
 *
 *   GET ?object=votes&element=claim                     0: no vote, 1: a vote to claim, 2: all votes are claimed
 *   GET or POST ?action=post&object=votes&element=claim       0: nothing to claim, 1: claimed now
 *   GET or POST ?action=custom&object=plugin&element=reward   0, 1 or 2; 1: claimed now
 *   GET ?object=servers&element=voters&month=current    top voters, as JSON
 *
 * Every request has `key`; all but the last also have `username` or `steamid`. POST also reads the parameters from a form
 * in the body. Rate limits, unsupported methods and other errors work as in v7.
 */
import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AdmittedGuild } from '../domain/guild.ts';
import { firstText } from '../domain/record.ts';
import { isWellEncoded } from '../domain/text/percent-encoding.ts';
import { currentMonth, previousMonth } from '../domain/votes/period.ts';
import {
  type ClaimIdentity,
  claimRequestHash,
  DEFAULT_WITHIN_HOURS,
  foldExternalId,
} from '../domain/votes/vote.ts';
import { UnknownGuildError } from '../store/store.ts';
import { ApiError } from './errors/api-error.ts';
import { handleError } from './errors/responses.ts';
import { ValidationError } from './errors/validation-error.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { refuseOtherMethods } from './methods.ts';
import { callerGuild, createIdentify, createLimit, NO_VOTE } from './v7/access.ts';
import { claimQuery } from './v7/claims/claim-query.ts';
import type { V7Deps } from './v7/endpoint.ts';

export const LISTFORGE_PREFIX = '/compat/listforge';

const PATHS = ['/api', '/api/'];
const METHODS = ['GET', 'HEAD', 'POST'];

/** By the parameters `action`, `object` and `element`, separated by spaces; `action` may be absent. */
const ACTIONS: Record<string, 'check' | 'set' | 'reward' | 'voters'> = {
  ' votes claim': 'check',
  'post votes claim': 'set',
  'custom plugin reward': 'reward',
  ' servers voters': 'voters',
};

const DEFAULT_VOTERS = '100';
/** Enough for every parameter at its longest. */
const MAX_BODY_BYTES = 8 * 1024;

const POSITIVE_INTEGER = /^[1-9][0-9]{0,8}$/;

export async function listforge(app: FastifyInstance, deps: V7Deps): Promise<void> {
  const identify = createIdentify(deps, NO_VOTE);
  const limit = createLimit(deps.rateLimit, deps.clock);
  const listVoters = createVoterList(deps);
  app.decorateRequest('caller', null);
  app.setErrorHandler(handleListforgeError);
  const parser = { parseAs: 'string', bodyLimit: MAX_BODY_BYTES } as const;
  app.addContentTypeParser('application/x-www-form-urlencoded', parser, (_request, body, done) =>
    done(null, body),
  );
  // After the body was read, because it can contain the key.
  app.addHook('preValidation', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    request.caller = await identify(request, parameter(request, 'key') ?? '');
    limit(request.caller, reply);
  });
  for (const url of PATHS) {
    refuseOtherMethods(app, url, METHODS);
    app.route({
      method: ['GET', 'POST'],
      url,
      handler: async (request, reply) => {
        const guild = callerGuild(request);
        const action = actionOf(request);
        if (action === 'voters') return reply.send(await listVoters(guild, request));
        const identity = { foldedName: foldExternalId(nameOf(request)) };
        // HEAD runs this handler too, and must not change anything.
        const isRead = action === 'check' || request.method === 'HEAD';
        const digit = isRead
          ? await check(deps, guild, identity)
          : await claim(deps, guild, identity, action, readIdempotencyKey(request));
        return sendText(reply, digit);
      },
    });
  }
}

/** A parameter in the URL, or else in the form of the body. */
function parameter(request: FastifyRequest, name: string): string | undefined {
  return firstText(request.query, name) ?? firstText(parse(formOf(request)), name);
}

function formOf({ body }: FastifyRequest): string {
  return typeof body === 'string' ? body : '';
}

function actionOf(request: FastifyRequest) {
  const [action = '', object = '', element = ''] = ['action', 'object', 'element'].map((part) =>
    parameter(request, part),
  );
  if (object === '') throw ApiError.because('listforge_object');
  if (element === '') throw ApiError.because('listforge_element');
  const name = `${action} ${object} ${element}`;
  const found = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!found) throw ApiError.because('listforge_unknown');
  return found;
}

/** A Steam id has the format of a Discord id, but is a name here, as in the vote link. */
function nameOf(request: FastifyRequest): string {
  const field = parameter(request, 'username') ? 'username' : 'steamid';
  const name = parameter(request, field);
  if (!name) throw ApiError.because('listforge_name');
  for (const url of [request.url, `?${formOf(request)}`])
    if (!isWellEncoded(url, field)) throw new ValidationError([{ field, rule: 'encoding' }]);
  return name;
}

function scopeOf({ listforgeConsumer }: AdmittedGuild) {
  return { withinHours: DEFAULT_WITHIN_HOURS, consumer: listforgeConsumer };
}

async function check(
  { store, clock }: V7Deps,
  guild: AdmittedGuild,
  identity: ClaimIdentity,
): Promise<string> {
  const query = claimQuery(guild, identity, clock(), scopeOf(guild));
  const { claimable, claimed } = await store.claims.ofIdentity(query);
  if (claimable > 0) return '1';
  return claimed > 0 ? '2' : '0';
}

async function claim(
  deps: V7Deps,
  guild: AdmittedGuild,
  identity: ClaimIdentity,
  action: 'set' | 'reward',
  key: string | null,
): Promise<string> {
  const now = deps.clock();
  // Read before the claim, because the response is stored together with it: if there are votes but none can be claimed,
  // all of them are claimed already.
  const hasVotes = action === 'reward' && (await check(deps, guild, identity)) !== '0';
  const requestHash = claimRequestHash({ identity, ...scopeOf(guild), action });
  const result = await deps.store.claims.claim({
    ...claimQuery(guild, identity, now, scopeOf(guild)),
    now,
    idempotency: key === null ? null : { key, requestHash },
    render: ({ vote }) => (vote ? '1' : hasVotes ? '2' : '0'),
  });
  if (result.kind === 'mismatch') throw new ApiError('IDEMPOTENCY_MISMATCH');
  if (result.kind === 'too-many-consumers') throw new ApiError('TOO_MANY_CONSUMERS');
  return result.body;
}

function createVoterList({ leaderboards, clock }: V7Deps) {
  return async ({ guildId, name }: AdmittedGuild, request: FastifyRequest) => {
    if ((parameter(request, 'format') || 'json') !== 'json') throw ApiError.because('listforge_voters');
    const month = monthOf(parameter(request, 'month') || 'current', clock());
    const limit = parameter(request, 'limit') || DEFAULT_VOTERS;
    if (!POSITIVE_INTEGER.test(limit)) throw ApiError.because('listforge_voters');
    const voters = await leaderboards.namesOfMonth(guildId, month.from, Number(limit));
    return { name, voters: voters.map(({ name: nickname, votes }) => ({ nickname, votes })) };
  };
}

function monthOf(month: string, now: number) {
  if (month === 'current') return currentMonth(now);
  if (month === 'previous') return previousMonth(now);
  throw ApiError.because('listforge_voters');
}

function handleListforgeError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return isKeyError(error)
    ? sendText(reply, 'Error: server key not found')
    : handleError(error, request, reply);
}

function isKeyError(error: unknown): boolean {
  if (error instanceof UnknownGuildError) return true;
  return error instanceof ApiError && (error.code === 'API_NOT_SET' || error.code === 'INVALID_API_TOKEN');
}

/** Always status 200, without a newline: plugins compare the whole body. */
function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.code(200).type('text/plain; charset=utf-8').send(text);
}
