import { readUserVotePage, readVoteCheck, readVotePage } from './answers.ts';
import { Client, decode } from './client.ts';
import { readOptions, type VotaryOptions } from './options.ts';
import { resolveSpan, toInstant } from './period.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import type {
  CallOptions,
  DateInput,
  UserVotePage,
  Vote,
  VoteCheck,
  VotePage,
  VotePageOptions,
  VoterIdentity,
  VoteSpanOptions,
} from './types.ts';
import { VotaryError } from './votary-error.ts';
import { walkVotes } from './walk.ts';

const GUILD_VOTES = '/guild/votes';
const FULL_PAGE = 1000;

/**
 * The v7 API of one community. Make one and use it everywhere: calls share requests and answers through it.
 *
 *   const votary = new Votary({ apiKey: process.env.VOTARY_API_KEY, baseUrl: 'https://votes.example.org' });
 *   if ((await votary.checkVote({ discordId })).hasVoted) reward();
 */
export class Votary {
  readonly #client: Client;
  readonly #runtime: Runtime;

  constructor(options: VotaryOptions);
  /** @internal */
  constructor(options: VotaryOptions, runtime: Runtime);
  constructor(options: VotaryOptions, runtime: Runtime = systemRuntime) {
    this.#client = new Client(readOptions(options), runtime);
    this.#runtime = runtime;
  }

  /** Whether a user voted within the last hour. The answer, yes or no, may be `cacheSeconds` old. */
  async checkVote(voter: VoterIdentity, options: CallOptions = {}): Promise<VoteCheck> {
    const query = {
      discord_id: readText(voter?.discordId, 'discordId'),
      external_id: readText(voter?.externalId, 'externalId'),
    };
    return decode(await this.#client.get('/vote-check', query, options.signal), readVoteCheck);
  }

  /** One page of the community's votes (Premium), of at most 31 days. The page may be `cacheSeconds` old. */
  async listVotes(options: VotePageOptions = {}): Promise<VotePage> {
    return decode(await this.#page(GUILD_VOTES, options), readVotePage);
  }

  /** One page of the votes of one user (Premium). */
  async listUserVotes(userId: string, options: VotePageOptions = {}): Promise<UserVotePage> {
    return decode(await this.#page(userVotesPath(userId), options), readUserVotePage);
  }

  /**
   * Every vote of the community (Premium) over any span, oldest first, read page by page as you go:
   *
   *   for await (const vote of votary.votes({ from: '2026-01-01', to: '2027-01-01' })) …
   */
  votes(options: VoteSpanOptions = {}): AsyncGenerator<Vote, void> {
    return this.#walk(() => GUILD_VOTES, options);
  }

  /** Every vote of one user (Premium) over any span, oldest first. */
  userVotes(userId: string, options: VoteSpanOptions = {}): AsyncGenerator<Vote, void> {
    return this.#walk(() => userVotesPath(userId), options);
  }

  #page(path: string, { from, to, limit, cursor, signal }: VotePageOptions) {
    const query = {
      from: readDate(from, 'from'),
      to: readDate(to, 'to'),
      limit: limit?.toString(),
      cursor: readText(cursor ?? undefined, 'cursor'),
    };
    return this.#client.get(path, query, signal);
  }

  /** Arguments are read with the first step, so that a wrong one is met where the votes are awaited. */
  async *#walk(path: () => string, options: VoteSpanOptions): AsyncGenerator<Vote, void> {
    const { pageSize = FULL_PAGE, signal = new AbortController().signal } = options;
    yield* walkVotes(this.#client, this.#runtime, {
      path: path(),
      span: resolveSpan(options, this.#runtime.now()),
      pageSize: String(pageSize),
      signal,
      read: readVotePage,
    });
  }
}

function readDate(value: DateInput | undefined, name: string): string | undefined {
  return value === undefined ? undefined : new Date(toInstant(value, name)).toISOString();
}

/** The format of an id is the service's to judge. A number is ours: it has lost its last digits already. */
function readText(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new VotaryError(
    'INVALID_ARGUMENT',
    `${name} must be a string: as a number, an id loses its last digits`,
  );
}

/** Anything but letters and digits could lead the path elsewhere: `users/..` are the votes of everybody. */
function userVotesPath(userId: string): string {
  const id = readText(userId, 'userId') ?? '';
  if (!/^[0-9A-Za-z]+$/.test(id)) {
    throw new VotaryError('INVALID_USER_ID', 'userId must be the Discord id of a user: 15 to 20 digits');
  }
  return `${GUILD_VOTES}/users/${id}`;
}
