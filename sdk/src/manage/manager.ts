import { readIdempotencyKey, readText } from '../arguments.ts';
import { readTimeout } from '../connection.ts';
import type { VotaryError } from '../errors/votary-error.ts';
import { type Call, Client, decode } from '../requests/client.ts';
import { isTransient } from '../requests/retry.ts';
import { type Runtime, systemRuntime } from '../requests/runtime.ts';
import type { ApiResponse } from '../requests/send.ts';
import { type PageWalk, walkPages } from '../walk.ts';
import {
  banBody,
  batchPath,
  changeBody,
  guildBody,
  guildPath,
  userPath,
  voidBody,
  voteBody,
} from './bodies.ts';
import { type ManagerOptions, readManagerOptions } from './options.ts';
import {
  readBan,
  readBanPage,
  readCastVote,
  readDeletedGuild,
  readErased,
  readGuild,
  readGuildPage,
  readKey,
  readLiftedBan,
  readRestored,
  readUserExport,
  readVoid,
} from './responses.ts';
import type {
  Ban,
  BanPage,
  CastVote,
  Created,
  CreateOptions,
  DeleteGuildOptions,
  ErasedUser,
  Guild,
  GuildChange,
  GuildPage,
  GuildSearch,
  ManageCallOptions,
  NewBan,
  NewGuild,
  NewVoid,
  NewVote,
  PageOptions,
  UserExport,
  VoidResult,
  WalkOptions,
} from './types.ts';

const FULL_PAGE = 1000;

/**
 * A client for the management API of a site. Its methods have the names of the operations in the API reference, and
 * `guilds` and `bans` iterate over all pages.
 *
 *   const manager = new VotaryManager({ token: process.env.VOTARY_TOKEN, baseUrl: 'https://votes.example.org' });
 *   const { nextVoteAt } = await manager.castVote({ guildId, userId, network: visitorAddress });
 *
 * Calls that create something are retried with the same idempotency key, so they never act twice. Calls that delete
 * something are retried only after a 429: after a lost response, what they delete may exist again.
 */
export class VotaryManager {
  readonly #client: Client;
  readonly #runtime: Runtime;

  constructor(options: ManagerOptions);
  /** @internal */
  constructor(options: ManagerOptions, runtime: Runtime);
  constructor(options: ManagerOptions, runtime: Runtime = systemRuntime) {
    this.#client = new Client(readManagerOptions(options), runtime);
    this.#runtime = runtime;
  }

  /** One page of communities, ordered by id. Scope: `guilds:read`. */
  async listGuilds(options: GuildSearch & PageOptions = {}): Promise<GuildPage> {
    return decode(await this.#page('/guilds', options), readGuildPage);
  }

  /**
   * Every community, ordered by id. Pages are requested while you iterate. Scope: `guilds:read`.
   *
   *   for await (const { guildId, name } of manager.guilds({ q: 'craft' })) …
   */
  guilds(options: GuildSearch & WalkOptions = {}): AsyncGenerator<Guild, void> {
    return this.#walk('/guilds', options, (body) => {
      const { guilds: items, pagination } = readGuildPage(body);
      return { items, pagination };
    });
  }

  /** Adds a community, which has no API key yet. Scope: `guilds:write`. */
  async createGuild(guild: NewGuild, options: CreateOptions = {}): Promise<Created<Guild>> {
    return this.#create({ path: '/guilds', body: guildBody(guild) }, options, readGuild);
  }

  /** Scope: `guilds:read`. */
  async getGuild(guildId: string, options: ManageCallOptions = {}): Promise<Guild> {
    return decode(await this.#send({ path: guildPath(guildId) }, options), readGuild);
  }

  /** Changes the given fields, and returns the community. Scope: `guilds:write`. */
  async updateGuild(guildId: string, change: GuildChange, options: ManageCallOptions = {}): Promise<Guild> {
    const call = { method: 'PATCH', path: guildPath(guildId), body: changeBody(change) } as const;
    return decode(await this.#send(call, options), readGuild);
  }

  /**
   * Deletes a community with its key and all its votes, which cannot be undone. Scope: `guilds:write`.
   *
   *   await manager.deleteGuild(guildId, { confirm: guildId, timeoutMs: 600_000 });
   */
  async deleteGuild(guildId: string, options: DeleteGuildOptions): Promise<void> {
    const query = { confirm: readText(options?.confirm, 'confirm') };
    decode(await this.#delete({ path: guildPath(guildId), query }, options), readDeletedGuild);
  }

  /** Generates an API key, which replaces the previous one at once. Scope: `guilds:write`. */
  async createGuildKey(guildId: string, options: CreateOptions = {}): Promise<Created<{ key: string }>> {
    return this.#create({ path: `${guildPath(guildId)}/key` }, options, readKey);
  }

  /** Removes the API key, which stops working at once. Scope: `guilds:write`. */
  async deleteGuildKey(guildId: string, options: ManageCallOptions = {}): Promise<void> {
    decode(await this.#delete({ path: `${guildPath(guildId)}/key` }, options), readDeletedGuild);
  }

  /**
   * Casts a vote for a user whom your site has signed in. Throws `ALREADY_VOTED` with `nextVoteAt`, and `NOT_ELIGIBLE`
   * with `reason`. Scope: `votes:write`.
   */
  async castVote(vote: NewVote, options: CreateOptions = {}): Promise<Created<CastVote>> {
    return this.#create({ path: '/votes', body: voteBody(vote) }, options, readCastVote);
  }

  /** One page of active bans, ordered by user id. Scope: `moderation:write`. */
  async listBans(options: PageOptions = {}): Promise<BanPage> {
    return decode(await this.#page('/bans', options), readBanPage);
  }

  /** Every active ban, ordered by user id. Pages are requested while you iterate. Scope: `moderation:write`. */
  bans(options: WalkOptions = {}): AsyncGenerator<Ban, void> {
    return this.#walk('/bans', options, (body) => {
      const { bans: items, pagination } = readBanPage(body);
      return { items, pagination };
    });
  }

  /** Bans a user from voting, at once and for every community. Scope: `moderation:write`. */
  async createBan(ban: NewBan, options: CreateOptions = {}): Promise<Created<Ban>> {
    return this.#create({ path: '/bans', body: banBody(ban) }, options, readBan);
  }

  /** Lifts the ban of a user. Scope: `moderation:write`. */
  async deleteBan(userId: string, options: ManageCallOptions = {}): Promise<void> {
    decode(await this.#delete({ path: userPath('bans', userId) }, options), readLiftedBan);
  }

  /** Voids votes: they no longer count. `deleteVoid` restores them. Scope: `moderation:write`. */
  async createVoid(selection: NewVoid, options: CreateOptions = {}): Promise<Created<VoidResult>> {
    return this.#create({ path: '/voids', body: voidBody(selection) }, options, readVoid);
  }

  /** Restores the votes of a batch. Returns how many count again: 0 if they were restored before. Scope: `moderation:write`. */
  async deleteVoid(batch: string, options: ManageCallOptions = {}): Promise<number> {
    return decode(await this.#delete({ path: batchPath(batch) }, options), readRestored);
  }

  /** Everything that is stored about a user. Scope: `users:write`. */
  async getUser(userId: string, options: ManageCallOptions = {}): Promise<UserExport> {
    return decode(await this.#send({ path: userPath('users', userId) }, options), readUserExport);
  }

  /** Erases a user, which cannot be undone. Votes stay as anonymous counts. Scope: `users:write`. */
  async deleteUser(userId: string, options: ManageCallOptions = {}): Promise<ErasedUser> {
    return decode(await this.#delete({ path: userPath('users', userId) }, options), readErased);
  }

  #send(call: Call, { timeoutMs, signal }: ManageCallOptions): Promise<ApiResponse> {
    return this.#client.call({ ...call, timeoutMs: readCallTimeout(timeoutMs) }, signal);
  }

  async #create<T>(call: Call, options: CreateOptions, read: (body: object) => T): Promise<Created<T>> {
    const key = readIdempotencyKey(options.idempotencyKey ?? crypto.randomUUID());
    const keyed = {
      ...call,
      method: 'POST',
      headers: { 'idempotency-key': key },
      isRetried: isCreateRetried,
    } as const;
    const response = await this.#send(keyed, options);
    return { ...decode(response, read), replayed: response.isReplayed };
  }

  #delete(call: Call, options: ManageCallOptions): Promise<ApiResponse> {
    const isRetried = ({ status }: VotaryError) => status === 429;
    return this.#send({ ...call, method: 'DELETE', isRetried }, options);
  }

  #page(path: string, { q, limit, cursor, ...options }: GuildSearch & PageOptions): Promise<ApiResponse> {
    const query = {
      q: readText(q, 'q'),
      limit: limit?.toString(),
      cursor: readText(cursor ?? undefined, 'cursor'),
    };
    return this.#send({ path, query }, options);
  }

  /** Arguments are validated in the first iteration, so that errors are thrown inside the `for await` loop. */
  async *#walk<Item>(
    path: string,
    options: GuildSearch & WalkOptions,
    read: PageWalk<Item>['read'],
  ): AsyncGenerator<Item, void> {
    const { q, pageSize = FULL_PAGE, timeoutMs, signal = new AbortController().signal } = options;
    const query = { q: readText(q, 'q'), limit: String(pageSize) };
    const walk = { path, query, signal, timeoutMs: readCallTimeout(timeoutMs), read };
    yield* walkPages(this.#client, this.#runtime, walk);
  }
}

function readCallTimeout(timeoutMs: number | undefined): number | undefined {
  return timeoutMs === undefined ? undefined : readTimeout(timeoutMs);
}

/** An earlier attempt may still be in progress: its result is what the next attempt gets. */
function isCreateRetried(error: VotaryError): boolean {
  return isTransient(error) || error.code === 'IDEMPOTENCY_IN_PROGRESS';
}
