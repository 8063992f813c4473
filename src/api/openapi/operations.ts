import type { ErrorCode } from '../../domain/errors.ts';
import type { Example } from './components.ts';
import type { Faults } from './errors.ts';
import {
  CLAIM_OVERVIEW,
  CLAIMABLE,
  CLAIMED,
  FEED_PAGE,
  LEADERBOARD,
  NOT_VOTED,
  NOTHING_CLAIMED,
  PENDING_CLAIMS,
  RELEASED,
  USER_VOTE_LIST,
  VOTE_CHECKS,
  VOTE_LIST,
  VOTED,
} from './examples.ts';

/** The description of an endpoint, in addition to its schemas. Routes refer to their entry by `operationId`. */
type Operation = {
  tag: string;
  summary: string;
  description: string;
  needsKey: boolean;
  success: string;
  /** Whether it reads an Idempotency-Key. */
  isIdempotent?: boolean;
  examples?: Record<string, Example>;
} & Faults;

/** Errors that every endpoint can return. */
const ANYWHERE: ErrorCode[] = [
  'BAD_REQUEST',
  'HTTPS_REQUIRED',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];
const WITH_KEY: ErrorCode[] = ['API_NOT_SET', 'INVALID_API_TOKEN', ...ANYWHERE];
const LISTS: ErrorCode[] = [
  'INVALID_DATE',
  'INVALID_DATE_RANGE',
  'DATE_RANGE_TOO_LARGE',
  'INVALID_CURSOR',
  'PREMIUM_REQUIRED',
  ...WITH_KEY,
];

const CHECK = {
  tag: 'Votes',
  needsKey: true,
  success:
    'Whether the user voted within the last hour. A user who has never voted has `has_voted: false`, not a 404.',
  examples: {
    voted: { summary: 'Voted 20 minutes ago', value: VOTED },
    notVoted: { summary: 'No vote within the last hour', value: NOT_VOTED },
  },
  codes: ['MISSING_IDENTIFIER', 'MULTIPLE_IDENTIFIERS', ...WITH_KEY],
  fault: { field: 'discord_id', rule: 'regex' },
} satisfies Partial<Operation>;

const LIST = {
  tag: 'Vote lists',
  needsKey: true,
  success: 'One page of votes, oldest first.',
  fault: { field: 'limit', rule: 'max', bound: 1000 },
} satisfies Partial<Operation>;

const CLAIM = {
  tag: 'Claims',
  needsKey: true,
  codes: ['MISSING_IDENTIFIER', 'MULTIPLE_IDENTIFIERS', ...WITH_KEY],
  fault: { field: 'within_hours', rule: 'max', bound: 744 },
} satisfies Partial<Operation>;

export const OPERATIONS = {
  checkVote: {
    ...CHECK,
    summary: 'Has this user voted?',
    description:
      'Checks whether one user has voted for your community within the last hour. Send exactly one of `discord_id` and `external_id`.',
  },
  checkVoteAlias: {
    ...CHECK,
    summary: 'Has this user voted? (alias)',
    description: 'An exact alias of `/v7/vote-check`, for integrations that use this name.',
  },
  checkVotes: {
    ...CHECK,
    summary: 'Which of these users have voted?',
    description:
      'Checks up to 50 users at once. Repeat either `discord_id` or `external_id`, not both: ' +
      '`?external_id=Steve_42&external_id=Alex`. Counts as one request.',
    success: 'One result for each identifier, in the order of the request.',
    examples: { mixed: { summary: 'One of two has voted', value: VOTE_CHECKS } },
    fault: { field: 'discord_id', rule: 'maxItems', bound: 50 },
  },
  claimVote: {
    ...CLAIM,
    summary: 'Claim a vote',
    description:
      'Claims the oldest unclaimed vote of a user or name within `within_hours`. Each vote can be claimed only once, by either identifier and no matter how many processes try: ' +
      'grant the reward only if `claimed` is `true`. Send an `Idempotency-Key` so that a retry after a lost response returns the same body instead of claiming the next vote. If that claim is released, the key counts as unused.',
    success: 'The claimed vote, or `claimed: false` when there is none.',
    examples: {
      claimed: { summary: 'A vote was claimed', value: CLAIMED },
      nothing: { summary: 'Nothing to claim', value: NOTHING_CLAIMED },
    },
    isIdempotent: true,
    codes: ['IDEMPOTENCY_MISMATCH', ...CLAIM.codes],
  },
  listClaims: {
    ...CLAIM,
    summary: 'List the claims of a user',
    description: 'Lists the claimed and the claimable votes of a user or name, without changing anything.',
    success: 'The number of claimable and claimed votes, and at most 100 of these votes, oldest first.',
    examples: { waiting: { summary: 'One claimable vote', value: CLAIM_OVERVIEW } },
  },
  countClaimable: {
    ...CLAIM,
    summary: 'Which of these users have votes to claim?',
    description:
      'Counts the claimable votes of up to 50 users, without changing anything. Repeat either `discord_id` or `external_id`, not both: ' +
      '`?external_id=Steve_42&external_id=Alex`. Counts as one request, so a game server can ask for all its players and claim only where there is something.',
    success: 'The number of claimable votes for each identifier, in the order of the request.',
    examples: { mixed: { summary: 'One of two has votes', value: CLAIMABLE } },
    fault: { field: 'external_id', rule: 'maxItems', bound: 50 },
  },
  listPendingClaims: {
    ...CLAIM,
    summary: 'All unclaimed votes',
    description:
      'Lists every unclaimed vote of your community within `within_hours`, oldest first. Premium communities only.',
    success: 'One page of unclaimed votes, oldest first.',
    examples: { page: { summary: 'A page with one vote', value: PENDING_CLAIMS } },
    codes: ['INVALID_CURSOR', 'PREMIUM_REQUIRED', ...WITH_KEY],
    fault: { field: 'within_hours', rule: 'max', bound: 744 },
  },
  releaseClaim: {
    tag: 'Claims',
    needsKey: true,
    summary: 'Release a claim',
    description:
      'Makes a claimed vote claimable again. Use it when the reward could not be delivered. Send `claimed_at` of your claim: a repeated request then never releases a later claim. ' +
      'The `Idempotency-Key` of the released claim counts as unused afterwards.',
    success: 'Whether a claim was released.',
    examples: { released: { summary: 'Released', value: RELEASED } },
    codes: ['INVALID_VOTE_ID', 'INVALID_DATE', ...WITH_KEY],
    fault: { field: 'locale', rule: 'string' },
  },
  getLeaderboard: {
    tag: 'Vote lists',
    needsKey: true,
    summary: 'Leaderboard of a month',
    description:
      'Lists the users with the most votes in a calendar month (UTC). Premium communities only. The voters of the current month are at most ten seconds old; a past month only changes when votes are imported, voided or restored.',
    success: 'The leaderboard, most votes first; ties are sorted by user id.',
    examples: { month: { summary: 'Two voters', value: LEADERBOARD } },
    codes: ['PREMIUM_REQUIRED', ...WITH_KEY],
    fault: { field: 'month', rule: 'regex' },
  },
  readFeed: {
    tag: 'Claims',
    needsKey: true,
    summary: 'Follow new votes',
    description:
      'Returns new votes in the order they were accepted. Store `next_cursor` and send it as `cursor` with the next request: every vote is returned exactly once. ' +
      'With `wait`, the response is delayed until a vote arrives, so you need neither short polling intervals nor an open port. Imported votes are not included.',
    success: 'The next votes, and the cursor to continue with.',
    examples: { page: { summary: 'One new vote', value: FEED_PAGE } },
    codes: ['INVALID_DATE', 'INVALID_DATE_RANGE', 'DATE_RANGE_TOO_LARGE', 'INVALID_CURSOR', ...WITH_KEY],
    fault: { field: 'wait', rule: 'max', bound: 30 },
  },
  listGuildVotes: {
    ...LIST,
    summary: 'All votes of a period',
    description:
      'Lists the votes for your community over a period of at most 31 days, oldest first. Premium communities only. ' +
      'Continue with `pagination.next_cursor` until it is `null`: every vote is returned exactly once, even if new votes are cast in the meantime.',
    examples: { page: { summary: 'The first page, with two votes', value: VOTE_LIST } },
    codes: LISTS,
  },
  listUserVotes: {
    ...LIST,
    summary: 'The votes of one user',
    description:
      'Lists the votes of one user, with the same parameters and limits as `/v7/guild/votes`. Premium communities only.',
    examples: { page: { summary: 'All votes of a user on one page', value: USER_VOTE_LIST } },
    codes: ['INVALID_USER_ID', ...LISTS],
  },
  getOpenApi: {
    tag: 'Description',
    needsKey: false,
    summary: 'OpenAPI document',
    description:
      'This API as an OpenAPI 3.1 document. No key is needed, but the request counts towards the rate limit.',
    success: 'An OpenAPI 3.1 document.',
    codes: ANYWHERE,
  },
} satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

export function findOperation(id: string | undefined): Operation | undefined {
  return Object.entries<Operation>(OPERATIONS).find(([name]) => name === id)?.[1];
}
