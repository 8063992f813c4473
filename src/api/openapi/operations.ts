import type { ErrorCode } from '../../domain/errors.ts';
import type { Faults } from './errors.ts';
import { NOT_VOTED, USER_VOTE_LIST, VOTE_LIST, VOTED } from './examples.ts';
import type { Example } from './types.ts';

/** What the document says of an endpoint beside its schemas. Routes name their entry by `operationId`. */
type Operation = {
  tag: string;
  summary: string;
  description: string;
  needsKey: boolean;
  success: string;
  examples?: Record<string, Example>;
} & Faults;

/** Every address can give these, whoever asks. */
const ANYWHERE: ErrorCode[] = [
  'BAD_REQUEST',
  'HTTPS_REQUIRED',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
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
  success: 'Whether the user voted within the last hour. A user who never voted gets this answer too.',
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

export const OPERATIONS = {
  checkVote: {
    ...CHECK,
    summary: 'Has this user voted?',
    description:
      'Checks whether one user has voted for your community within the last hour. Give exactly one of `discord_id` and `external_id`.',
  },
  checkVoteAlias: {
    ...CHECK,
    summary: 'Has this user voted? (other name)',
    description:
      'An alias of `/v7/vote-check`, the same in everything, for integrations that call it by this name.',
  },
  listGuildVotes: {
    ...LIST,
    summary: 'All votes of a period',
    description:
      'Lists the votes for your community over a period of at most 31 days, oldest first. Premium communities only. ' +
      'Go on with `pagination.next_cursor` until it is `null`: every vote comes exactly once, whatever is cast meanwhile.',
    examples: { page: { summary: 'A first page of two', value: VOTE_LIST } },
    codes: LISTS,
  },
  listUserVotes: {
    ...LIST,
    summary: 'The votes of one user',
    description: 'The same list, for one user. Premium communities only.',
    examples: { page: { summary: 'All votes of a user on one page', value: USER_VOTE_LIST } },
    codes: ['INVALID_USER_ID', ...LISTS],
  },
  getOpenApi: {
    tag: 'Description',
    needsKey: false,
    summary: 'This description',
    description:
      'The description of this API that you are reading, as OpenAPI 3.1. No key is needed; it counts as a request.',
    success: 'An OpenAPI 3.1 document.',
    codes: ANYWHERE,
  },
} satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

export function findOperation(id: string | undefined): Operation | undefined {
  return Object.entries<Operation>(OPERATIONS).find(([name]) => name === id)?.[1];
}
