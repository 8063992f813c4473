import { crc32 } from 'node:zlib';
import type { Connections, Transaction } from './connection/connection.ts';
import { isLockTimeout, isUncertain, isUniqueViolation } from './connection/failures.ts';

/** The result of one write of a group. An error is that of this write alone. */
export type Outcome<Result> = { result: Result } | { error: unknown };

type Transactions = Pick<Connections, 'transactionOfMany' | 'trackWrite'>;

type GroupOptions<Item, Result> = {
  /** Runs all writes in one transaction, and returns their outcomes in order. If it rejects, nothing is stored. */
  run(tx: Transaction, items: readonly Item[]): Promise<Outcome<Result>[]>;
  /** Writes that have one of these in common run one after the other, in the order in which they were added. */
  keysOf(item: Item): readonly string[];
  /**
   * Writes with the same value may be in one group, but not in two at a time: the second group would wait for rows of the
   * first. Without it, any two writes may.
   */
  sharedBy?(item: Item): string;
  /** The result instead of this error, for a write that fails alone too. Without it, the write rejects. */
  resultOf?(item: Item, error: unknown): Result | undefined;
};

type Waiting<Item, Result> = {
  item: Item;
  keys: readonly string[];
  shared: string | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** More would save little, and others wait for the rows that a group has locked. */
const MAX_GROUP = 128;
/** While one group waits for its commit, the next one can run. The other connections are left to reads. */
const MAX_RUNNING = 2;
/**
 * From this many on, writes that fit into one group become two at a time, so that the database works on one of them
 * while this process prepares or answers the other.
 */
const MIN_SPLIT = 32;
/**
 * A group that waits longer for a row gives up, and its writes run one by one, so that no other write waits for that row.
 * Shorter than the time after which PostgreSQL looks for deadlocks, so that others never fail because of a group.
 */
const LOCK_TIMEOUT_MS = 250;

/** Of a write that runs alone, if another process always stores the same row first. */
const MAX_ATTEMPTS = 3;

/**
 * Rows are found by their keys. Otherwise a plan made while tables are small would read all their rows later. PostgreSQL
 * would plan statements for a few rows each time, because a plan for any number of rows seems more expensive: that took
 * more than half of the time of a single write. And those plans assume so many rows that it would compile them at each
 * execution: 0.9 s for a claim by name.
 */
export const BY_KEY = [
  ...['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off'],
  ...['plan_cache_mode = force_generic_plan', 'jit = off'],
]
  .map((setting) => `SET LOCAL ${setting}`)
  .join('; ');
const IN_GROUP = `${BY_KEY}; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`;

/**
 * Writes of one tick of the event loop, in one transaction: round trips and the commit are paid once. See
 * docs/decisions/0039-group-commit.md.
 *
 *   const casts = new WriteGroups(connections, { run: createCastGroups(), keysOf: castKeys });
 *   const outcome = await casts.add(vote);
 */
export class WriteGroups<Item, Result> {
  readonly #connections: Transactions;
  readonly #options: GroupOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  /** Of the groups that run. */
  readonly #keys = new Set<string>();
  readonly #shared = new Set<string>();
  #isScheduled = false;

  constructor(connections: Transactions, options: GroupOptions<Item, Result>) {
    this.#connections = connections;
    this.#options = options;
  }

  /** Resolves when the result is stored. */
  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const { keysOf, sharedBy } = this.#options;
    this.#waiting.push({ item, keys: keysOf(item), shared: sharedBy?.(item), resolve, reject });
    this.#schedule();
    return this.#connections.trackWrite(promise);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running >= MAX_RUNNING || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#runGroup(this.#take());
    });
  }

  /** The first writes that have no key in common, and that no group that runs has to store first. */
  #take(): Waiting<Item, Result>[] {
    const used = new Set(this.#keys);
    const isHalf = this.#halve();
    const group: Waiting<Item, Result>[] = [];
    this.#waiting = this.#waiting.filter((waiting) => {
      const { keys, shared } = waiting;
      const isFree =
        group.length < MAX_GROUP &&
        (shared === undefined || !this.#shared.has(shared)) &&
        keys.every((key) => !used.has(key)) &&
        isHalf(waiting, group.length);
      // Later writes with the same key must not overtake this one.
      for (const key of keys) used.add(key);
      if (isFree) group.push(waiting);
      return !isFree;
    });
    return group;
  }

  /** Whether a write belongs to the next group, if the writes that wait become two. */
  #halve(): (waiting: Waiting<Item, Result>, taken: number) => boolean {
    const count = this.#waiting.length;
    if (this.#running > 0 || count < MIN_SPLIT || count > MAX_GROUP) return () => true;
    if (!this.#options.sharedBy) return (_, taken) => taken < count / MAX_RUNNING;
    const isEven = ({ shared = '' }: Waiting<Item, Result>) => crc32(shared) % MAX_RUNNING === 0;
    return this.#waiting.some(isEven) ? isEven : () => true;
  }

  async #runGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    if (group.length === 0) return;
    const keys = group.flatMap((waiting) => waiting.keys);
    for (const key of keys) this.#keys.add(key);
    const shared = group.flatMap((waiting) => waiting.shared ?? []);
    for (const value of shared) this.#shared.add(value);
    this.#running += 1;
    this.#schedule();
    try {
      await this.#store(group, IN_GROUP);
    } catch (error) {
      this.#handleFailure(group, error);
    }
    for (const key of keys) this.#keys.delete(key);
    for (const value of shared) this.#shared.delete(value);
    this.#running -= 1;
    this.#schedule();
  }

  async #store(group: readonly Waiting<Item, Result>[], settings: string): Promise<void> {
    const items = group.map(({ item }) => item);
    const outcomes = await this.#connections.transactionOfMany(
      (tx) => this.#options.run(tx, items),
      settings,
    );
    for (const [i, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[i];
      if (outcome && 'result' in outcome) resolve(outcome.result);
      else reject(outcome?.error);
    }
  }

  /**
   * One write may have caused the failure, so each is tried alone, as long as it needs. If the group may have been
   * stored, none is tried: a vote would be refused as repeated.
   */
  #handleFailure(group: readonly Waiting<Item, Result>[], error: unknown): void {
    const isTriedAlone =
      isLockTimeout(error) || isUniqueViolation(error) || (group.length > 1 && !isUncertain(error));
    for (const waiting of group) {
      if (isTriedAlone) void this.#storeAlone(waiting);
      else waiting.reject(error);
    }
  }

  /** A row that another process has stored in the meantime is found by the next attempt. */
  async #storeAlone(waiting: Waiting<Item, Result>, attempt = 1): Promise<void> {
    try {
      await this.#store([waiting], BY_KEY);
    } catch (error) {
      if (isUniqueViolation(error) && attempt < MAX_ATTEMPTS) return this.#storeAlone(waiting, attempt + 1);
      const result = this.#options.resultOf?.(waiting.item, error);
      if (result === undefined) waiting.reject(error);
      else waiting.resolve(result);
    }
  }
}
