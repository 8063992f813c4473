/**
 * What the operator console reads across all guilds. Nothing here reads every vote: communities are read from an index
 * by name, and figures from stored or limited counts.
 */
import { type Clock, DAY_MS, type Instant, SECOND_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import type { VoteRefusal } from '../../domain/votes/refusals.ts';
import type { RecordedBatch } from './moderation.ts';

export type CommunityQuery = {
  /** Searched in names, ignoring case and accents. Empty: all. */
  search: string;
  /** The last community of the previous page. */
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

/** An endpoint that is failing, or was disabled because of failures. */
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
  /** Ordered by folded name, then by id. */
  communities(query: CommunityQuery): Promise<Community[]>;
  counts(now: Instant): Promise<InstanceCounts>;
  failingEndpoints(limit: number): Promise<FailingEndpoint[]>;
  /** Newest first, starting just before `before`. */
  batches(before: BatchPosition | null, limit: number): Promise<RecordedBatch[]>;
  /** Adds to the stored values, so that processes can count in memory and write periodically. */
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

/** A position after all batches, so that reading starts with the newest. */
export function batchStart(before: BatchPosition | null): BatchPosition {
  return before ?? { voidedAt: Number.MAX_SAFE_INTEGER, batch: '' };
}

const FLUSH_EVERY_MS = 10 * SECOND_MS;

/** The reason for a refusal is part of the name: `refused_banned`. */
export type TallyName = 'votes' | 'sign_ins' | `refused_${VoteRefusal}`;

/**
 * Counts what happens in this process, and adds it to the database periodically: if every request wrote to the same
 * row, they would all wait for it. A crash loses what was counted since the last write.
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

  /** Failures are ignored: the counts are kept for the next flush. */
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
