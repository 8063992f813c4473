import { HOUR_MS, type Instant } from '../../domain/clock.ts';
import type { AdmittedGuild } from '../../domain/guild.ts';
import { isStorableExternalId } from '../../domain/identifiers.ts';
import type { RecentWindow, Vote } from '../../domain/votes/vote.ts';
import { foldExternalId } from '../../domain/votes/vote.ts';
import { toAdmitted } from '../guilds/guilds.ts';
import type { FoundWindow, RateWindow } from '../rates.ts';
import { toVote } from '../votes/votes.ts';
import type { Connections } from './connection.ts';
import { GuildVotes } from './guild-votes.ts';
import { prepareHotQueries } from './hot-queries.ts';
import type { WalIndex } from './wal-index.ts';

/** Guilds with more recent votes are read through the indexes: loading them would cost more than many lookups. */
const MAX_LOADED_VOTES = 200;

/**
 * Bounds memory: 100 MB. A guild counts twice, because its votes are kept apart, so this is 100,000 guilds with two recent votes
 * each. When it is reached, everything is dropped and loaded again on demand.
 */
const MAX_ENTRIES = 400_000;

/**
 * The writer's own commits do not change its data_version, so triggers report what a statement changed or deleted.
 * Votes are added in one place (votes/insert-vote.ts), which calls `addVote`.
 */
const TRIGGERS = `
  CREATE TEMP TRIGGER uncache_changed_vote AFTER UPDATE ON main.votes BEGIN
    SELECT uncache_votes(old.guild_id);
  END;
  CREATE TEMP TRIGGER uncache_deleted_vote AFTER DELETE ON main.votes BEGIN
    SELECT uncache_votes(old.guild_id);
  END;
  CREATE TEMP TRIGGER uncache_changed_guild AFTER UPDATE ON main.guilds BEGIN
    SELECT uncache_guild(old.key_hash);
  END;
  CREATE TEMP TRIGGER uncache_deleted_guild AFTER DELETE ON main.guilds BEGIN
    SELECT uncache_guild(old.key_hash), uncache_votes(old.guild_id);
  END`;

/**
 * What the cache found for a key. Passed again with the next request of the same key, it saves three lookups in maps, whose
 * entries are rarely in the CPU caches.
 */
export class FoundKey implements FoundWindow {
  guild: AdmittedGuild | undefined;
  /** `null`: too many to load. */
  votes: GuildVotes | null | undefined;
  /** Not part of the cache, so it stays when the rest is dropped. */
  window: RateWindow | undefined;
}

/**
 * What nearly every request needs: guilds by the hash of their key, and the votes of the last hour or two. A guild's
 * votes are loaded on the first request. Votes cast by this store are added; a commit by any other connection, in
 * this process or another one, drops everything.
 */
export class HotCache {
  readonly #sql;
  readonly #maxEntries: number;
  readonly #guilds = new Map<string, AdmittedGuild>();
  /** `null`: too many to load. */
  readonly #votes = new Map<string, GuildVotes | null>();
  /** Those that contain something. */
  #found: FoundKey[] = [];
  /** Loaded guilds have all their votes after this instant. */
  #after: Instant = Number.NEGATIVE_INFINITY;
  /** The number of guilds and votes loaded since everything was dropped. */
  #loaded = 0;
  readonly #walIndex: WalIndex | undefined;
  #version: number | undefined;
  #isChecked = false;

  constructor(database: Connections, maxEntries = MAX_ENTRIES) {
    this.#maxEntries = maxEntries;
    const { reader, writer } = database;
    this.#sql = prepareHotQueries(reader, writer);
    this.#walIndex = database.walIndex;
    writer.function('uncache_votes', (guildId) => {
      this.#votes.delete(guildId);
      this.#forgetFound();
    });
    writer.function('uncache_guild', (keyHash) => {
      this.#guilds.delete(keyHash);
      this.#forgetFound();
    });
    writer.exec(TRIGGERS);
    // Votes are added before the commit, so the cache may contain some of a transaction that is rolled back.
    database.onFailedWrite(() => this.#clear());
  }

  /** The maximum number of guilds and votes. */
  get size(): number {
    return this.#loaded;
  }

  guildByKeyHash(keyHash: string, found?: FoundKey): AdmittedGuild | undefined {
    this.#dropIfChanged();
    if (found?.guild) return found.guild;
    const guild = this.#guilds.get(keyHash) ?? this.#loadGuild(keyHash);
    if (found && guild) {
      // Callers may have dropped some of them.
      if (this.#found.length >= this.#maxEntries) this.#forgetFound();
      found.guild = guild;
      this.#found.push(found);
    }
    return guild;
  }

  latestOfUser(guildId: string, userId: string, window: RecentWindow, found?: FoundKey): Vote | undefined {
    const votes = this.#votesOf(guildId, window, found);
    if (votes) return votes.latestOfUser(userId, window);
    const row = this.#sql.latestOfUser.get(guildId, userId, window.after, window.until);
    return row && toVote(row);
  }

  latestOfExternalId(
    guildId: string,
    externalId: string,
    window: RecentWindow,
    found?: FoundKey,
  ): Vote | undefined {
    // No vote contains such text, and the driver would alter half a surrogate pair.
    if (!isStorableExternalId(externalId)) return undefined;
    const votes = this.#votesOf(guildId, window, found);
    if (votes) return votes.latestOfExternalId(externalId, window);
    const row = this.#sql.latestOfExternalId.get(
      guildId,
      foldExternalId(externalId),
      externalId,
      window.after,
      window.until,
    );
    return row && toVote(row);
  }

  /**
   * One check covers everything that runs before the current task and its microtasks end: a request sent after
   * another program's commit cannot be read from its socket before that.
   */
  #dropIfChanged(): void {
    if (this.#isChecked) return;
    this.#isChecked = true;
    queueMicrotask(this.#endCheck);
    // Read before the version: a commit in between changes it again. The writer has no statement open between ticks, in
    // which the version would be that of an earlier commit.
    if (this.#walIndex?.hasChanged() === false && this.#version !== undefined) return;
    const version = this.#dataVersion();
    if (version === undefined || version !== this.#version) this.#clear();
    this.#version = version;
  }

  readonly #endCheck = (): void => {
    this.#isChecked = false;
  };

  /** `undefined` when the file cannot be read: the query that follows then fails with the reason, or waits longer. */
  #dataVersion(): number | undefined {
    try {
      return this.#sql.dataVersion.get();
    } catch {
      return undefined;
    }
  }

  /** Unknown keys are not cached, so forged ones do not fill the cache. */
  #loadGuild(keyHash: string): AdmittedGuild | undefined {
    const row = this.#sql.guildByKeyHash.get(keyHash);
    if (!row) return undefined;
    const guild = toAdmitted(row);
    this.#makeRoom(1);
    this.#guilds.set(keyHash, guild);
    return guild;
  }

  /** All votes of the guild inside the window; `undefined` when the file has to be read. */
  #votesOf(guildId: string, window: RecentWindow, found?: FoundKey): GuildVotes | undefined {
    this.#dropIfChanged();
    if (Math.abs(window.after - this.#after) > HOUR_MS) {
      this.#clear();
      this.#after = window.after;
    }
    if (window.after < this.#after) return undefined;
    if (found?.votes !== undefined) return found.votes ?? undefined;
    const kept = this.#votes.get(guildId);
    const votes = kept === undefined ? this.#loadVotes(guildId) : kept;
    // Without a guild, everything was dropped meanwhile, so nothing would drop this.
    if (found?.guild) found.votes = votes;
    return votes ?? undefined;
  }

  #loadVotes(guildId: string): GuildVotes | null {
    const rows = this.#sql.votesAfter.all(guildId, this.#after, MAX_LOADED_VOTES + 1);
    const votes = rows.length > MAX_LOADED_VOTES ? null : new GuildVotes();
    if (votes) for (const row of rows) votes.add(toVote(row));
    this.#makeRoom(1 + (votes ? rows.length : 0));
    this.#votes.set(guildId, votes);
    return votes;
  }

  /** For a vote that the writer has just inserted. */
  addVote(vote: Vote): void {
    const votes = this.#votes.get(vote.guildId);
    if (!votes) return;
    votes.add(vote);
    this.#makeRoom(1);
  }

  #makeRoom(entries: number): void {
    if (this.#loaded + entries > this.#maxEntries) this.#clear();
    this.#loaded += entries;
  }

  #clear(): void {
    this.#guilds.clear();
    this.#votes.clear();
    this.#forgetFound();
    this.#loaded = 0;
  }

  #forgetFound(): void {
    for (const found of this.#found) {
      found.guild = undefined;
      found.votes = undefined;
    }
    this.#found = [];
  }
}
