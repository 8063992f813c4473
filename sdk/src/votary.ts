import {
  claimsQuery,
  identityBatches,
  identityQuery,
  readDate,
  readHeldClaim,
  readIdempotencyKey,
  readText,
  userVotesPath,
} from './arguments.ts';
import type { VotaryError } from './errors/votary-error.ts';
import { readFeed } from './feed.ts';
import { readOptions, type VotaryOptions } from './options.ts';
import { resolveSpan } from './period.ts';
import { Client, decode } from './requests/client.ts';
import { type Runtime, systemRuntime } from './requests/runtime.ts';
import {
  readClaim,
  readClaimable,
  readClaimOverview,
  readGoal,
  readLeaderboard,
  readPendingPage,
  readReleased,
  readUserVotePage,
  readVoteCheck,
  readVoteChecks,
  readVotePage,
} from './responses.ts';
import type {
  CallOptions,
  ClaimableVote,
  ClaimOptions,
  ClaimOverview,
  ClaimResult,
  ClaimsOptions,
  FeedOptions,
  FeedPage,
  GoalStatus,
  HeldClaim,
  Leaderboard,
  LeaderboardOptions,
  PendingOptions,
  ReleaseOptions,
  UserVotePage,
  Vote,
  VoteCheck,
  VotePage,
  VotePageOptions,
  VoterIdentities,
  VoterIdentity,
  VoteSpanOptions,
} from './types.ts';
import { makeVoteLink, type VoteLinkOptions } from './vote-link.ts';
import { walkPages, walkVotes } from './walk.ts';

const GUILD_VOTES = '/guild/votes';
const CLAIMS = '/guild/claims';
const FULL_PAGE = 1000;
const DEFAULT_WAIT_SECONDS = 25;

/**
 * A client for the v7 API of one community. Create one and use it everywhere: its calls share requests and cached responses.
 *
 *   const votary = new Votary({ apiKey: process.env.VOTARY_API_KEY, baseUrl: 'https://votes.example.org' });
 *   const { claimed, vote } = await votary.claim({ discordId });
 *   if (claimed) giveReward(vote);
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

  /** Whether a user voted within the last hour. The result may be up to `cacheSeconds` old. */
  async checkVote(voter: VoterIdentity, options: CallOptions = {}): Promise<VoteCheck> {
    const query = identityQuery(voter);
    return decode(await this.#client.get('/vote-check', query, options.signal), readVoteCheck);
  }

  /**
   * Checks any number of users and returns the results in the same order. Sends one request per 50 users.
   *
   *   const checks = await votary.checkVotes({ externalIds: onlinePlayers });
   */
  checkVotes(
    voters: { discordIds: readonly string[] },
    options?: CallOptions,
  ): Promise<(VoteCheck & { discordId: string })[]>;
  checkVotes(
    voters: { externalIds: readonly string[] },
    options?: CallOptions,
  ): Promise<(VoteCheck & { externalId: string })[]>;
  async checkVotes(voters: VoterIdentities, { signal }: CallOptions = {}): Promise<VoteCheck[]> {
    const { kind, name, batches } = identityBatches(voters);
    const checks: VoteCheck[] = [];
    for (const ids of batches) {
      const response = await this.#client.get('/vote-checks', { [kind]: ids }, signal);
      const batch = decode(response, (body) => readVoteChecks(body, kind));
      checks.push(...batch.map(({ id, check }) => ({ [name]: id, ...check })));
    }
    return checks;
  }

  /**
   * Claims the oldest unclaimed vote of a user, permanently: each vote can be claimed only once by each `consumer`, no
   * matter how many processes try. Grant the reward if `claimed` is true, and `release` the vote if you cannot grant it.
   */
  async claim(
    voter: VoterIdentity,
    options: ClaimOptions = {},
  ): Promise<ClaimResult & { replayed: boolean }> {
    const { idempotencyKey = crypto.randomUUID(), signal } = options;
    const query = { ...identityQuery(voter), ...claimsQuery(options) };
    const headers = { 'idempotency-key': readIdempotencyKey(idempotencyKey) };
    const response = await this.#client.call({ method: 'POST', path: CLAIMS, query, headers }, signal);
    return { ...decode(response, readClaim), replayed: response.isReplayed };
  }

  /** The claimed and claimable votes of a user. Read-only, and never cached. */
  async claims(voter: VoterIdentity, options: ClaimsOptions = {}): Promise<ClaimOverview> {
    const query = { ...identityQuery(voter), ...claimsQuery(options) };
    return decode(await this.#client.call({ path: CLAIMS, query }, options.signal), readClaimOverview);
  }

  /**
   * How many votes of any number of users can be claimed, in the same order. Read-only, and never cached. Sends one
   * request per 50 users, so that a server can ask for all players and claim only where there is something.
   *
   *   for (const { externalId, claimable } of await votary.claimable({ externalIds: onlinePlayers })) …
   */
  claimable(
    voters: { discordIds: readonly string[] },
    options?: ClaimsOptions,
  ): Promise<{ discordId: string; claimable: number }[]>;
  claimable(
    voters: { externalIds: readonly string[] },
    options?: ClaimsOptions,
  ): Promise<{ externalId: string; claimable: number }[]>;
  async claimable(voters: VoterIdentities, options: ClaimsOptions = {}) {
    const { kind, name, batches } = identityBatches(voters);
    const counts: { claimable: number }[] = [];
    for (const ids of batches) {
      const query = { [kind]: ids, ...claimsQuery(options) };
      const response = await this.#client.call({ path: '/guild/claimable', query }, options.signal);
      const batch = decode(response, (body) => readClaimable(body, kind));
      counts.push(...batch.map(({ id, claimable }) => ({ [name]: id, claimable })));
    }
    return counts;
  }

  /**
   * Makes a claimed vote claimable again because its reward could not be delivered. Pass the vote as `claim` returned it:
   *
   *   await votary.release(vote);   // or release(vote.voteId, { claimedAt: vote.claimedAt })
   *
   * Then only this claim is released, and the call is retried like any other. Returns false if the vote is not claimed
   * any more, or was claimed again since: an earlier attempt may have released it. Without the time of the claim, it
   * is released whoever holds it, and only a 429 is retried: a second request could release a newer claim.
   */
  async release(vote: string | HeldClaim, options: ReleaseOptions = {}): Promise<boolean> {
    const { voteId, claimedAt } = readHeldClaim(vote, options);
    const path = `${CLAIMS}/${voteId}`;
    const isRetried = claimedAt === undefined ? ({ status }: VotaryError) => status === 429 : undefined;
    const query = { claimed_at: claimedAt, consumer: readText(options.consumer, 'consumer') };
    const request = { method: 'DELETE', path, query, isRetried } as const;
    return decode(await this.#client.call(request, options.signal), readReleased);
  }

  /**
   * Every unclaimed vote of the community (Premium), oldest first, without votes that are claimed in the meantime. Pages
   * are requested while you iterate.
   */
  async *pendingClaims(options: PendingOptions = {}): AsyncGenerator<ClaimableVote, void> {
    const { pageSize = FULL_PAGE, signal = new AbortController().signal } = options;
    yield* walkPages(this.#client, this.#runtime, {
      path: `${CLAIMS}/pending`,
      query: { ...claimsQuery(options), limit: String(pageSize) },
      signal,
      read: readPendingPage,
    });
  }

  /**
   * Every new vote, as pages in the order of acceptance, until you stop iterating or abort `signal`. Store `cursor` after
   * processing a page, and pass it after a restart: no vote is skipped. Keeps trying while the service is unavailable.
   * Throws `INVALID_CURSOR` with the reason if votes before the cursor no longer exist, because the service was restored
   * from a backup or the community was removed and added again: start again with `from`.
   *
   *   for await (const { votes, cursor } of votary.feed({ cursor: stored })) {
   *     for (const vote of votes) await process(vote);
   *     await store(cursor);
   *   }
   */
  async *feed(options: FeedOptions = {}): AsyncGenerator<FeedPage, void> {
    const { from, pageSize, waitSeconds = DEFAULT_WAIT_SECONDS } = options;
    yield* readFeed(this.#client, this.#runtime, {
      cursor: readText(options.cursor, 'cursor'),
      from: readDate(from, 'from'),
      pageSize: pageSize?.toString(),
      waitSeconds,
      signal: options.signal ?? new AbortController().signal,
    });
  }

  /** The address of the voting page, optionally with an external id, a return address and a signature. */
  voteLink(options: VoteLinkOptions): Promise<string> {
    return makeVoteLink(this.#client.baseUrl, options);
  }

  /** One page of the community's votes (Premium), within at most 31 days. May be up to `cacheSeconds` old. */
  async listVotes(options: VotePageOptions = {}): Promise<VotePage> {
    return decode(await this.#page(GUILD_VOTES, options), readVotePage);
  }

  /** One page of the votes of one user (Premium). */
  async listUserVotes(userId: string, options: VotePageOptions = {}): Promise<UserVotePage> {
    return decode(await this.#page(userVotesPath(userId), options), readUserVotePage);
  }

  /** The goal of the community and its progress. Never cached. */
  async goal({ signal }: CallOptions = {}): Promise<GoalStatus> {
    return decode(await this.#client.call({ path: '/guild/goal', query: {} }, signal), readGoal);
  }

  /** The voters with the most votes in a month (Premium). May be up to `cacheSeconds` old. */
  async leaderboard({ month, limit, signal }: LeaderboardOptions = {}): Promise<Leaderboard> {
    const query = { month: readText(month, 'month'), limit: limit?.toString() };
    return decode(await this.#client.get('/guild/leaderboard', query, signal), readLeaderboard);
  }

  /**
   * Every vote of the community (Premium) over any span, oldest first. Pages are requested while you iterate:
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

  /** Arguments are validated in the first iteration, so that errors are thrown inside the `for await` loop. */
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
