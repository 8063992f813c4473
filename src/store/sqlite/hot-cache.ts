import { HOUR_MS, type Instant } from '../../domain/clock.ts';
import type { AdmittedGuild } from '../../domain/guild.ts';
import { isStorableExternalId } from '../../domain/identifiers.ts';
import type { RecentWindow, Vote } from '../../domain/votes/vote.ts';
import { foldExternalId } from '../../domain/votes/vote.ts';
import { ADMITTED_COLUMNS, type AdmittedRow, toAdmitted } from '../guilds/guilds.ts';
import { toVote, VOTE_COLUMNS, type VoteRow } from '../votes/votes.ts';
import type { Connection, Connections } from './connection.ts';
import type { WalIndex } from './wal-index.ts';

/** Guilds with more recent votes are read through the indexes: loading them would cost more than many lookups. */
const MAX_LOADED_VOTES = 200;

/**
 * Bounds memory: 90 MB. A guild counts twice, because its votes are kept apart, so this is 100,000 guilds with two recent votes
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

type Range = [guildId: string, userId: string, after: Instant, until: Instant];
type NameRange = [guildId: string, nameKey: string, externalId: string, after: Instant, until: Instant];

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
    this.#sql = prepare(reader, writer);
    this.#walIndex = database.walIndex;
    writer.function('uncache_votes', (guildId) => void this.#votes.delete(guildId));
    writer.function('uncache_guild', (keyHash) => void this.#guilds.delete(keyHash));
    writer.exec(TRIGGERS);
    // Votes are added before the commit, so the cache may contain some of a transaction that is rolled back.
    database.onFailedWrite(() => this.#clear());
  }

  /** The maximum number of guilds and votes. */
  get size(): number {
    return this.#loaded;
  }

  guildByKeyHash(keyHash: string): AdmittedGuild | undefined {
    this.#dropIfChanged();
    return this.#guilds.get(keyHash) ?? this.#loadGuild(keyHash);
  }

  latestOfUser(guildId: string, userId: string, window: RecentWindow): Vote | undefined {
    const votes = this.#votesOf(guildId, window);
    if (votes) return latestIn(votes.byUser.get(userId), window);
    const row = this.#sql.latestOfUser.get(guildId, userId, window.after, window.until);
    return row && toVote(row);
  }

  latestOfExternalId(guildId: string, externalId: string, window: RecentWindow): Vote | undefined {
    // No vote contains such text, and the driver would alter half a surrogate pair.
    if (!isStorableExternalId(externalId)) return undefined;
    const votes = this.#votesOf(guildId, window);
    if (votes) return latestIn(votes.byExternalId.get(externalId), window);
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
  #votesOf(guildId: string, window: RecentWindow): GuildVotes | undefined {
    this.#dropIfChanged();
    if (Math.abs(window.after - this.#after) > HOUR_MS) {
      this.#clear();
      this.#after = window.after;
    }
    if (window.after < this.#after) return undefined;
    const votes = this.#votes.get(guildId);
    return (votes === undefined ? this.#loadVotes(guildId) : votes) ?? undefined;
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
    this.#loaded = 0;
  }
}

type VoteLists = Map<string, Vote[]>;

/** Shared by guilds without recent votes, which are most of them: two empty maps for each would take 350 bytes. */
const NO_VOTES: VoteLists = new Map();

/** Votes of one guild. Each list is ordered by time. */
class GuildVotes {
  byUser = NO_VOTES;
  byExternalId = NO_VOTES;

  add(vote: Vote): void {
    this.byUser = insert(this.byUser, vote.userId, vote);
    if (vote.externalId !== null) this.byExternalId = insert(this.byExternalId, vote.externalId, vote);
  }
}

/** Returns the lists with the vote: the same object, unless it is `NO_VOTES`. */
function insert(lists: VoteLists, name: string, vote: Vote): VoteLists {
  const votes = lists.get(name);
  if (!votes) return lists === NO_VOTES ? new Map([[name, [vote]]]) : lists.set(name, [vote]);
  votes.splice(votes.findLastIndex((other) => isBefore(other, vote)) + 1, 0, vote);
  return lists;
}

function isBefore(a: Vote, b: Vote): boolean {
  return a.castAt === b.castAt ? a.userId < b.userId : a.castAt < b.castAt;
}

function latestIn(votes: Vote[] | undefined, { after, until }: RecentWindow): Vote | undefined {
  return votes?.findLast(({ castAt }) => castAt <= until && castAt > after);
}

/**
 * The queries of every request. INDEXED BY names the index: on its own, the planner uses the primary key, which has
 * the right order but scans all votes of the guild in the period for those of one user.
 */
export const HOT_QUERIES = {
  // Read from the end of the index.
  latestOfUser: `
    SELECT ${VOTE_COLUMNS} FROM votes INDEXED BY votes_by_user
    WHERE guild_id = ? AND user_id = ? AND cast_at > ? AND cast_at <= ?
    ORDER BY cast_at DESC LIMIT 1`,
  // Read from the end of the index, which contains case-folded names.
  latestOfExternalId: `
    SELECT ${VOTE_COLUMNS} FROM votes INDEXED BY votes_by_external_id
    WHERE guild_id = ? AND name_key = ? AND external_id = ? AND cast_at > ? AND cast_at <= ?
    ORDER BY cast_at DESC, user_id DESC LIMIT 1`,
  // The primary key (guild_id, cast_at, user_id).
  after: `
    SELECT ${VOTE_COLUMNS} FROM votes
    WHERE guild_id = ? AND cast_at > ?
    ORDER BY cast_at, user_id LIMIT ? + 0`,
} as const;

function prepare(reader: Connection, writer: Connection) {
  return {
    dataVersion: writer.prepare<[], number>('PRAGMA data_version').pluck(),
    // Index guilds_by_key_hash.
    guildByKeyHash: reader.prepare<[string], AdmittedRow>(
      `SELECT ${ADMITTED_COLUMNS.join(', ')} FROM guilds WHERE key_hash = ?`,
    ),
    votesAfter: reader.prepare<[string, Instant, number], VoteRow>(HOT_QUERIES.after),
    latestOfUser: reader.prepare<Range, VoteRow>(HOT_QUERIES.latestOfUser),
    latestOfExternalId: reader.prepare<NameRange, VoteRow>(HOT_QUERIES.latestOfExternalId),
  };
}
