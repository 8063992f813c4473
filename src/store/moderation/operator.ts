/**
 * What the operator console reads across all guilds. Nothing here reads every vote: communities come from an index by
 * name, figures from counts that are kept or bounded.
 */
import { type Clock, DAY_MS, type Instant, SECOND_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import type { VoteRefusal } from '../../domain/votes/integrity.ts';
import type { RecordedBatch } from './moderation.ts';

export type CommunityQuery = {
  /** Looked for in names, ignoring case and accents. Empty: all. */
  search: string;
  /** The community a page starts after. */
  after: Pick<Guild, 'name' | 'guildId'> | null;
  /** The UTC month whose votes are shown. */
  month: Instant;
  limit: number;
};

export type Community = { guild: Guild; votesThisMonth: number };

/** Counted up to `MAX_COUNTED` only, so that a long queue does not make the page slow. */
export type InstanceCounts = {
  communities: number;
  sanctioned: number;
  unlisted: number;
  bans: number;
  pendingDeliveries: number;
};

export const MAX_COUNTED = 10_000;

/** An endpoint that fails now, or was disabled for failing. */
export type FailingEndpoint = {
  guildId: string;
  endpointId: string;
  url: string;
  failingSince: Instant | null;
  disabledAt: Instant | null;
};

/** How often something happened on a UTC day, in all processes together. */
export type Tally = { day: Instant; name: string; count: number };

export type BatchPosition = Pick<RecordedBatch, 'voidedAt' | 'batch'>;

export interface OperatorStore {
  /** Ordered by name as it is searched, then by id. */
  communities(query: CommunityQuery): Promise<Community[]>;
  counts(now: Instant): Promise<InstanceCounts>;
  failingEndpoints(limit: number): Promise<FailingEndpoint[]>;
  /** The newest first, from just before `before`. */
  batches(before: BatchPosition | null, limit: number): Promise<RecordedBatch[]>;
  /** Adds to the stored values, so that processes can count in memory and write from time to time. */
  addTallies(tallies: readonly Tally[]): Promise<void>;
  /** The days since `from`, in order. */
  tallies(from: Instant): Promise<Tally[]>;
  pruneTallies(before: Instant): Promise<void>;
}

export type FailingRow = {
  guild_id: string;
  endpoint_id: string;
  url: string;
  failing_since: Instant | null;
  disabled_at: Instant | null;
};

export function toFailing(row: FailingRow): FailingEndpoint {
  return {
    guildId: row.guild_id,
    endpointId: row.endpoint_id,
    url: row.url,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
  };
}

/** The position that the newest batches stand before. */
export function batchStart(before: BatchPosition | null): BatchPosition {
  return before ?? { voidedAt: Number.MAX_SAFE_INTEGER, batch: '' };
}

const FLUSH_EVERY_MS = 10 * SECOND_MS;

/** Why a vote was refused is part of the name: `refused_banned`. */
export type TallyName = 'votes' | 'sign_ins' | `refused_${VoteRefusal}`;

/**
 * Counts what happens in this process, and adds it to the database now and then: a row that every request would write
 * to is a row that every request would wait for. What was counted since the last time is lost in a crash.
 *
 *   tallies.count('votes');
 *   await tallies.flush();
 */
export class Tallies {
  readonly #store: Pick<OperatorStore, 'addTallies'>;
  readonly #clock: Clock;
  #counted = new Map<string, Tally>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<OperatorStore, 'addTallies'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  count(name: TallyName, count = 1): void {
    const now = this.#clock();
    this.#add({ day: now - (now % DAY_MS), name, count });
  }

  /** Failures are ignored: the counts stay here until the next time. */
  async flush(): Promise<void> {
    const tallies = [...this.#counted.values()];
    if (tallies.length === 0) return;
    this.#counted = new Map();
    try {
      await this.#store.addTallies(tallies);
    } catch {
      for (const tally of tallies) this.#add(tally);
    }
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #add({ day, name, count }: Tally): void {
    const key = `${day} ${name}`;
    this.#counted.set(key, { day, name, count: count + (this.#counted.get(key)?.count ?? 0) });
  }
}
