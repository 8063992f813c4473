/**
 * Counts what happens in this process, and adds it to the database now and then: a row that every request would write
 * to is a row that every request would wait for. What was counted since the last time is lost in a crash.
 *
 *   tallies.count('votes');
 *   await tallies.flush();
 */
import { type Clock, DAY_MS, SECOND_MS } from '../../domain/clock.ts';
import type { VoteRefusal } from '../../domain/votes/integrity.ts';
import type { OperatorStore, Tally } from './operator.ts';

const FLUSH_EVERY_MS = 10 * SECOND_MS;

/** Why a vote was refused is part of the name: `refused_banned`. */
export type TallyName = 'votes' | 'sign_ins' | `refused_${VoteRefusal}`;

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
