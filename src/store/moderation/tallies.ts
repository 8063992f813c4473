/** Daily figures for the operator console. */
import { type Clock, DAY_MS, type Instant, SECOND_MS } from '../../domain/clock.ts';
import type { VoteRefusal } from '../../domain/votes/refusals.ts';
import type { Database } from '../database.ts';

/** How often something happened on a UTC day, in all processes together. */
export type Tally = { day: Instant; name: string; count: number };

export interface TallyStore {
  /** Adds to the stored values, so that processes can count in memory and write periodically. */
  addTallies(tallies: readonly Tally[]): Promise<void>;
  /** The days since `from`, in order. */
  tallies(from: Instant): Promise<Tally[]>;
  pruneTallies(before: Instant): Promise<void>;
}

/** The primary key: a few rows a day, locked in the same order by all processes. */
export function createTallyStore({ read, write, dialect: { rowsOf } }: Database): TallyStore {
  const added = rowsOf('@tallies', { day: 'BIGINT', name: 'TEXT', count: 'BIGINT' });
  const add = write(`
    INSERT INTO tallies (day, name, count)
    SELECT day, name, count FROM ${added} AS added WHERE TRUE ORDER BY day, name
    ON CONFLICT (day, name) DO UPDATE SET count = tallies.count + excluded.count`);
  const since = read<Tally>('SELECT day, name, count FROM tallies WHERE day >= @from ORDER BY day, name');
  const prune = write('DELETE FROM tallies WHERE day < @before');
  return {
    async addTallies(tallies) {
      await add({ tallies: JSON.stringify(tallies) });
    },
    tallies: (from) => since({ from }),
    async pruneTallies(before) {
      await prune({ before });
    },
  };
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
  readonly #store: Pick<TallyStore, 'addTallies'>;
  readonly #clock: Clock;
  #counted = new Map<string, Tally>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<TallyStore, 'addTallies'>, clock: Clock) {
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
