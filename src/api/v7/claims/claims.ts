/**
 * Claims: every vote is rewarded exactly once. `POST /guild/claims` claims the oldest vote of a user or name, `GET`
 * shows what could be claimed.
 */
import { formatInstant, type Instant, MINUTE_MS } from '../../../domain/clock.ts';
import { DEFAULT_CONSUMER } from '../../../domain/votes/consumers.ts';
import { isTestVoter, TEST_VOTE_MS, TEST_VOTER } from '../../../domain/votes/test-vote.ts';
import { type ClaimOutcome, claimRequestHash, MAX_LISTED_CLAIMS } from '../../../domain/votes/vote.ts';
import type { TestClaimResult } from '../../../store/claims/test-votes.ts';
import { ApiError } from '../../errors/api-error.ts';
import { readIdempotencyKey } from '../../idempotency-key.ts';
import { EXAMPLE, type Operation } from '../../openapi/operation.ts';
import { callerGuild } from '../access.ts';
import type { Endpoint, EndpointDeps, V7Instance } from '../endpoint.ts';
import { READ } from '../endpoint.ts';
import { DateTime, GuildId, Ok } from '../fields.ts';
import { EXAMPLE_VOTE, identifiedVoteFields } from '../identified-vote.ts';
import { identifierParameters, requireOneIdentifier } from '../identifiers.ts';
import { object, query, type Static } from '../schema.ts';
import {
  ConsumerName,
  claimOperation,
  claimQuery,
  DefaultedConsumer,
  DefaultedWithinHours,
  identityOf,
} from './claim-query.ts';
import { ClaimableVote, toClaimableVote } from './claimable-vote.ts';

const PATH = '/guild/claims';

const ClaimQuery = query({
  ...identifierParameters,
  within_hours: DefaultedWithinHours,
  consumer: DefaultedConsumer,
});

const ClaimedVote = object('ClaimedVote', {
  ...identifiedVoteFields,
  claimed_at: { ...DateTime, description: 'When the vote was claimed.' },
});

const ClaimResult = object(
  'ClaimResult',
  {
    ok: Ok,
    guild_id: GuildId,
    consumer: ConsumerName,
    claimed: {
      type: 'boolean',
      description: 'Whether this request claimed a vote. Grant the reward only if it is `true`.',
    },
    vote: {
      anyOf: [ClaimedVote, { type: 'null' }],
      description: 'The claimed vote; `null` when there was none.',
    },
    remaining: { type: 'integer', minimum: 0, description: 'The number of votes that can still be claimed.' },
    test: {
      const: true,
      type: 'boolean',
      description: 'Only if the vote is a test that an admin sent in the dashboard. Grant no reward for it.',
    },
  },
  ['test'],
);

type ClaimResult = Static<typeof ClaimResult>;

const claimed: ClaimResult = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  consumer: DEFAULT_CONSUMER,
  claimed: true,
  vote: { ...EXAMPLE_VOTE, claimed_at: '2026-11-15T12:00:05.000Z' },
  remaining: 0,
};

const nothingClaimed: ClaimResult = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  consumer: DEFAULT_CONSUMER,
  claimed: false,
  vote: null,
  remaining: 0,
};

const testClaimed: ClaimResult = {
  ...claimed,
  vote: {
    ...EXAMPLE_VOTE,
    external_id: TEST_VOTER.externalId,
    total_votes: 1,
    streak_days: 1,
    claimed_at: '2026-11-15T12:00:05.000Z',
  },
  test: true,
};

const claimVote: Operation = {
  ...claimOperation,
  operationId: 'claimVote',
  summary: 'Claim a vote',
  description:
    'Claims the oldest unclaimed vote of a user or name within `within_hours`. Each vote can be claimed only once by each `consumer`, by either identifier and no matter how many processes try: ' +
    'grant the reward only if `claimed` is `true`. Send an `Idempotency-Key` so that a retry after a lost response returns the same body instead of claiming the next vote. If that claim is released, the key counts as unused. ' +
    `A test vote, which admins send in the dashboard under Developer & API, is claimed with \`discord_id=${TEST_VOTER.userId}\` or \`external_id=${TEST_VOTER.externalId}\`. It can be claimed once within ${TEST_VOTE_MS / MINUTE_MS} minutes, by any consumer, and the response has \`test\`.`,
  success: 'The claimed vote, or `claimed: false` when there is none.',
  examples: {
    claimed: { summary: 'A vote was claimed', value: claimed },
    nothing: { summary: 'Nothing to claim', value: nothingClaimed },
    test: { summary: 'A test vote was claimed', value: testClaimed },
  },
  isIdempotent: true,
  codes: ['IDEMPOTENCY_MISMATCH', 'TOO_MANY_CONSUMERS', ...claimOperation.codes],
};

const ClaimOverview = object('ClaimOverview', {
  ok: Ok,
  guild_id: GuildId,
  consumer: ConsumerName,
  claimable: { type: 'integer', minimum: 0, description: 'Votes that can be claimed now.' },
  claimed: { type: 'integer', minimum: 0, description: 'Votes in the window that were claimed.' },
  votes: {
    type: 'array',
    items: ClaimableVote,
    maxItems: MAX_LISTED_CLAIMS,
    description: 'The claimed and the claimable votes, oldest first.',
  },
});

type ClaimOverview = Static<typeof ClaimOverview>;

const overview: ClaimOverview = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  consumer: DEFAULT_CONSUMER,
  claimable: 1,
  claimed: 0,
  votes: [{ ...EXAMPLE_VOTE, claimed_at: null }],
};

const listClaims: Operation = {
  ...claimOperation,
  operationId: 'listClaims',
  summary: 'List the claims of a user',
  description: 'Lists the claimed and the claimable votes of a user or name, without changing anything.',
  success: 'The number of claimable and claimed votes, and at most 100 of these votes, oldest first.',
  examples: { waiting: { summary: 'One claimable vote', value: overview } },
};

export const claims: Endpoint = {
  path: PATH,
  methods: [...READ, 'POST'],
  register: (app, deps) => {
    claimRoute(app, deps);
    overviewRoute(app, deps);
  },
};

const NO_TEST: TestClaimResult = { kind: 'none' };

function claimRoute(app: V7Instance, { store, clock }: EndpointDeps): void {
  const schema = { operation: claimVote, querystring: ClaimQuery, response: { 200: ClaimResult } };
  app.post(PATH, { schema, preValidation: requireOneIdentifier }, async (request, reply) => {
    const guild = callerGuild(request);
    const key = readIdempotencyKey(request);
    const identity = identityOf(request.query);
    const { within_hours: withinHours, consumer } = request.query;
    const requestHash = claimRequestHash({ identity, withinHours, consumer });
    const now = clock();
    const idempotency = key === null ? null : { key, requestHash };
    const { guildId } = guild;
    const test = isTestVoter(identity)
      ? await store.testVotes.claim({ guildId, consumer, now, idempotency })
      : NO_TEST;
    if (test.kind === 'mismatch') throw new ApiError('IDEMPOTENCY_MISMATCH');
    if (test.kind === 'done') {
      if (test.replayed) reply.header('idempotent-replayed', 'true');
      return toTestResult(guildId, consumer, test);
    }
    const result = await store.claims.claim({
      ...claimQuery(guild, identity, now, { withinHours, consumer }),
      now,
      idempotency,
      render: (outcome) => JSON.stringify(toClaimResult(guildId, consumer, outcome)),
    });
    if (result.kind === 'mismatch') throw new ApiError('IDEMPOTENCY_MISMATCH');
    if (result.kind === 'too-many-consumers') throw new ApiError('TOO_MANY_CONSUMERS');
    if (result.replayed) reply.header('idempotent-replayed', 'true');
    // The stored text itself, so that a repeated request gets the identical body.
    const body: ClaimResult = JSON.parse(result.body);
    return reply
      .type('application/json; charset=utf-8')
      .serializer(() => result.body)
      .send(body);
  });
}

function overviewRoute(app: V7Instance, { store, clock }: EndpointDeps): void {
  const schema = { operation: listClaims, querystring: ClaimQuery, response: { 200: ClaimOverview } };
  const options = { schema, preValidation: requireOneIdentifier };
  app.get(PATH, options, async (request): Promise<ClaimOverview> => {
    const guild = callerGuild(request);
    const { within_hours: withinHours, consumer } = request.query;
    const identity = identityOf(request.query);
    const found = await store.claims.ofIdentity(
      claimQuery(guild, identity, clock(), { withinHours, consumer }),
    );
    const totals = await store.votes.totalsOf(found.votes);
    return {
      ok: true,
      guild_id: guild.guildId,
      consumer,
      claimable: found.claimable,
      claimed: found.claimed,
      votes: found.votes.map((vote, i) => toClaimableVote(vote, totals[i])),
    };
  });
}

function toClaimResult(guildId: string, consumer: string, { vote, remaining }: ClaimOutcome): ClaimResult {
  const entry = vote && { ...toClaimableVote(vote, vote), claimed_at: formatInstant(vote.claimedAt) };
  return { ok: true, guild_id: guildId, consumer, claimed: vote !== null, vote: entry, remaining };
}

/** The voter has no other votes. */
function toTestResult(
  guildId: string,
  consumer: string,
  { castAt, claimedAt }: { castAt: Instant; claimedAt: Instant },
): ClaimResult {
  const vote = { ...TEST_VOTER, guildId, castAt, claimedAt, isDoubled: false, totalVotes: 1, streakDays: 1 };
  return { ...toClaimResult(guildId, consumer, { vote, remaining: 0 }), test: true };
}
