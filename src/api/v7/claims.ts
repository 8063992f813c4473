/**
 * Claims: every vote is rewarded exactly once. `POST` claims the oldest vote of a user or name, `GET` shows what could
 * be claimed, `DELETE` releases a claim whose reward could not be delivered.
 */
import type { FastifyRequest } from 'fastify';
import { formatInstant, type Instant } from '../../domain/clock.ts';
import { ApiError, ValidationError } from '../../domain/errors.ts';
import type { Guild } from '../../domain/guild.ts';
import { parseIsoDate } from '../../domain/votes/period.ts';
import {
  type ClaimableVote,
  type ClaimIdentity,
  type ClaimOutcome,
  claimRequestHash,
  claimWindow,
  DEFAULT_WITHIN_HOURS,
  positionOf,
  VOTE_ID_PATTERN,
  type Vote,
  type VotePosition,
  voteId,
} from '../../domain/votes/vote.ts';
import type { ClaimRequest } from '../../store/claims.ts';
import { IDEMPOTENCY_KEY } from '../errors.ts';
import type { OperationId } from '../openapi/operations.ts';
import {
  ClaimableQuery,
  ClaimableResult,
  ClaimOverview,
  ClaimQuery,
  ClaimResult,
  type FeedPage,
  PendingClaims,
  PendingQuery,
  ReleaseQuery,
  ReleaseResult,
  VoteIdParams,
} from '../schemas/claims.ts';
import type { V7Deps, V7Instance } from './access.ts';
import { callerGuild, requirePremium } from './access.ts';
import { openCursor, sealCursor } from './parameters.ts';
import { requireOneIdentifier } from './vote-check.ts';

export const CLAIMS_PATH = '/guild/claims';
export const PENDING_CLAIMS_PATH = '/guild/claims/pending';
export const CLAIM_PATH = '/guild/claims/:vote_id';
export const CLAIMABLE_PATH = '/guild/claimable';

const IDEMPOTENCY_KEY_MAX_LENGTH = 255;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export function claimRoutes(app: V7Instance, deps: V7Deps): void {
  claimRoute(app, deps);
  overviewRoute(app, deps);
  claimableRoute(app, deps);
  pendingRoute(app, deps);
  releaseRoute(app, deps);
}

function claimRoute(app: V7Instance, { store, clock }: V7Deps): void {
  const operationId: OperationId = 'claimVote';
  const schema = { operationId, querystring: ClaimQuery, response: { 200: ClaimResult } };
  app.post(CLAIMS_PATH, { schema, preValidation: requireOneIdentifier }, async (request, reply) => {
    const guild = callerGuild(request);
    const key = readIdempotencyKey(request);
    const identity = identityOf(request.query);
    const requestHash = claimRequestHash(identity, request.query.within_hours);
    const now = clock();
    const result = await store.claims.claim({
      ...claimQuery(guild, identity, now, request.query.within_hours),
      now,
      idempotency: key === null ? null : { key, requestHash },
      render: (outcome) => JSON.stringify(toClaimResult(guild.guildId, outcome)),
    });
    if (result.kind === 'mismatch') throw new ApiError('IDEMPOTENCY_MISMATCH');
    if (result.replayed) reply.header('idempotent-replayed', 'true');
    // The stored text itself, so that a repeated request gets the identical body.
    const body: ClaimResult = JSON.parse(result.body);
    return reply
      .type('application/json; charset=utf-8')
      .serializer(() => result.body)
      .send(body);
  });
}

function overviewRoute(app: V7Instance, { store, clock }: V7Deps): void {
  const operationId: OperationId = 'listClaims';
  const schema = { operationId, querystring: ClaimQuery, response: { 200: ClaimOverview } };
  app.get(
    CLAIMS_PATH,
    { schema, preValidation: requireOneIdentifier },
    async (request): Promise<ClaimOverview> => {
      const guild = callerGuild(request);
      const query = claimQuery(guild, identityOf(request.query), clock(), request.query.within_hours);
      const { claimable, claimed, votes } = await store.claims.ofIdentity(query);
      return { ok: true, guild_id: guild.guildId, claimable, claimed, votes: votes.map(toEntry) };
    },
  );
}

/** Up to 50 users in one request, which counts once: which players of a server have votes to claim? */
function claimableRoute(app: V7Instance, { store, clock }: V7Deps): void {
  const operationId: OperationId = 'countClaimable';
  const schema = { operationId, querystring: ClaimableQuery, response: { 200: ClaimableResult } };
  app.get(
    CLAIMABLE_PATH,
    { schema, preValidation: requireOneIdentifier },
    async (request): Promise<ClaimableResult> => {
      const { guildId, oneRewardPerName } = callerGuild(request);
      const { discord_id: userIds, external_id: externalIds = [], within_hours: hours } = request.query;
      const counts = await store.claims.countClaimable({
        guildId,
        identities: userIds ? { userIds } : { externalIds },
        window: claimWindow(clock(), hours),
        oneRewardPerName,
      });
      const kind = userIds ? 'discord_id' : 'external_id';
      const results = (userIds ?? externalIds).map((id, i) => ({ [kind]: id, claimable: counts[i] ?? 0 }));
      return { ok: true, guild_id: guildId, results };
    },
  );
}

function pendingRoute(app: V7Instance, { store, clock, secrets }: V7Deps): void {
  const operationId: OperationId = 'listPendingClaims';
  const schema = { operationId, querystring: PendingQuery, response: { 200: PendingClaims } };
  const preValidation = requirePremium(clock);
  app.get(PENDING_CLAIMS_PATH, { schema, preValidation }, async (request): Promise<PendingClaims> => {
    const { guildId } = callerGuild(request);
    const { cursor: text, within_hours: withinHours, limit } = request.query;
    const scope = ['pending', guildId];
    const cursor = text ? readPendingCursor(openCursor(text, scope, secrets.cursorKey)) : undefined;
    if (cursor && withinHours !== undefined && withinHours !== cursor.withinHours) {
      throw new ApiError('INVALID_CURSOR');
    }
    const hours = cursor?.withinHours ?? withinHours ?? DEFAULT_WITHIN_HOURS;
    const window = claimWindow(clock(), hours);
    // One extra vote shows whether another page follows.
    const found = await store.claims.pending(guildId, window, cursor?.after ?? null, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const next = last && sealCursor([hours, last.castAt, last.userId], scope, secrets.cursorKey);
    return {
      ok: true,
      guild_id: guildId,
      votes: page.map((vote) => toEntry({ ...vote, claimedAt: null })),
      pagination: { limit, has_more: next !== undefined, next_cursor: next ?? null },
    };
  });
}

function releaseRoute(app: V7Instance, { store }: V7Deps): void {
  const operationId: OperationId = 'releaseClaim';
  const schema = {
    operationId,
    params: VoteIdParams,
    querystring: ReleaseQuery,
    response: { 200: ReleaseResult },
  };
  app.delete(CLAIM_PATH, { schema }, async (request): Promise<ReleaseResult> => {
    const { guildId } = callerGuild(request);
    if (!VOTE_ID_PATTERN.test(request.params.vote_id)) throw new ApiError('INVALID_VOTE_ID');
    const claimedAt = readClaimedAt(request.query);
    const released = await store.claims.release(guildId, request.params.vote_id, claimedAt);
    return { ok: true, guild_id: guildId, released };
  });
}

/** Null if it is absent: then the claim is released whoever holds it. */
function readClaimedAt({ claimed_at: text }: ReleaseQuery): Instant | null {
  if (!text) return null;
  const claimedAt = parseIsoDate(text);
  if (claimedAt === undefined) throw new ApiError('INVALID_DATE');
  return claimedAt;
}

export function claimQuery(
  { guildId, oneRewardPerName }: Guild,
  identity: ClaimIdentity,
  now: number,
  withinHours: number,
): Omit<ClaimRequest, 'now' | 'idempotency' | 'render'> {
  return { guildId, identity, window: claimWindow(now, withinHours), oneRewardPerName };
}

function identityOf({ discord_id, external_id = '' }: ClaimQuery): ClaimIdentity {
  return discord_id ? { userId: discord_id } : { externalId: external_id };
}

/** Null if the header is absent. An empty one is an error, because the client expects that retries are safe. */
export function readIdempotencyKey({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  const field = IDEMPOTENCY_KEY;
  if (key.length > IDEMPOTENCY_KEY_MAX_LENGTH) {
    throw new ValidationError([{ field, rule: 'maxLength', bound: IDEMPOTENCY_KEY_MAX_LENGTH }]);
  }
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key))
    throw new ValidationError([{ field, rule: 'regex' }]);
  return key;
}

function readPendingCursor(fields: string[] | undefined): { withinHours: number; after: VotePosition } {
  if (!fields) throw new ApiError('INVALID_CURSOR');
  const [withinHours, castAt, userId = ''] = fields;
  return { withinHours: Number(withinHours), after: positionOf({ castAt: Number(castAt), userId }) };
}

function toClaimResult(guildId: string, { vote, remaining }: ClaimOutcome): ClaimResult {
  const entry = vote && { ...toEntry(vote), claimed_at: formatInstant(vote.claimedAt) };
  return { ok: true, guild_id: guildId, claimed: vote !== null, vote: entry, remaining };
}

function toEntry(vote: ClaimableVote): ClaimOverview['votes'][number] {
  return {
    ...toVoteEntry(vote),
    claimed_at: vote.claimedAt === null ? null : formatInstant(vote.claimedAt),
  };
}

/** A vote with its id, as claims and the feed return it. */
export function toVoteEntry(vote: Vote): FeedPage['votes'][number] {
  return {
    vote_id: voteId(vote),
    user_id: vote.userId,
    external_id: vote.externalId,
    timestamp: formatInstant(vote.castAt),
    is_doubled: vote.isDoubled,
  };
}
