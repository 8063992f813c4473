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
   * Whether many writes become two groups at a time, so that the database works on one of them while this process
   * prepares or answers the other. Only for writes whose groups seldom wait for each other's rows.
   */
  isSplit: boolean;
};

type Waiting<Item, Result> = {
  item: Item;
  keys: readonly string[];
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** More would save little, and others wait for the rows that a group has locked. */
const MAX_GROUP = 128;
/** While one group waits for its commit, the next one can run. The other connections are left to reads. */
const MAX_RUNNING = 2;
/** From this many on, writes that fit into one group become two, if `isSplit`. */
const MIN_SPLIT = 32;
/**
 * A group that waits longer for a row gives up, and its writes run one by one, so that no other write waits for that row.
 * Shorter than the time after which PostgreSQL looks for deadlocks, so that others never fail because of a group.
 */
const LOCK_TIMEOUT_MS = 250;

/** Of a write that runs alone, if another process always stores the same row first. */
const MAX_ATTEMPTS = 3;

/** Rows are found by their keys. Otherwise a plan made while tables are small would read all their rows later. */
const BY_KEY =
  'SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off';
const IN_GROUP = `${BY_KEY}; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`;

/**
 * Writes of one tick of the event loop, in one transaction: round trips and the commit are paid once. See
 * docs/decisions/0039-group-commit.md.
 *
 *   const casts = new WriteGroups(connections, { run: castVotes, keysOf: (vote) => [vote.userId], isSplit: false });
 *   const outcome = await casts.add(vote);
 */
export class WriteGroups<Item, Result> {
  readonly #connections: Transactions;
  readonly #options: GroupOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  /** Those of the groups that run. */
  readonly #keys = new Set<string>();
  #isScheduled = false;

  constructor(connections: Transactions, options: GroupOptions<Item, Result>) {
    this.#connections = connections;
    this.#options = options;
  }

  /** Resolves when the result is stored. */
  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, keys: this.#options.keysOf(item), resolve, reject });
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

  /** The first writes that have no key in common, with each other or with a group that runs. */
  #take(): Waiting<Item, Result>[] {
    const used = new Set(this.#keys);
    const count = this.#waiting.length;
    const isSplit = this.#options.isSplit && this.#running === 0 && count >= MIN_SPLIT && count <= MAX_GROUP;
    const limit = isSplit ? Math.ceil(count / MAX_RUNNING) : MAX_GROUP;
    const group: Waiting<Item, Result>[] = [];
    this.#waiting = this.#waiting.filter((waiting) => {
      const isFree = group.length < limit && waiting.keys.every((key) => !used.has(key));
      // Later writes with the same key must not overtake this one.
      for (const key of waiting.keys) used.add(key);
      if (isFree) group.push(waiting);
      return !isFree;
    });
    return group;
  }

  async #runGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    if (group.length === 0) return;
    const keys = group.flatMap((waiting) => waiting.keys);
    for (const key of keys) this.#keys.add(key);
    this.#running += 1;
    this.#schedule();
    try {
      await this.#store(group, IN_GROUP);
    } catch (error) {
      this.#handleFailure(group, error);
    }
    for (const key of keys) this.#keys.delete(key);
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
      waiting.reject(error);
    }
  }
}
