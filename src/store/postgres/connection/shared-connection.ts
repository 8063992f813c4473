import type pg from 'pg';

type Lease = { client: Promise<pg.PoolClient>; running: number; hasFailed: boolean };

/**
 * One connection for several statements at a time: they are sent without waiting for the results of those before, and run
 * one after the other. It belongs to the pool again when none is running.
 */
export class SharedConnection {
  readonly #connect: () => Promise<pg.PoolClient>;
  #lease: Lease | undefined;

  constructor(connect: () => Promise<pg.PoolClient>) {
    this.#connect = connect;
  }

  async use<Result>(query: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    this.#lease ??= { client: this.#connect(), running: 0, hasFailed: false };
    const lease = this.#lease;
    lease.running += 1;
    try {
      return await query(await lease.client);
    } catch (error) {
      // As the pool does after an error: the next statement gets another connection.
      lease.hasFailed = true;
      this.#drop(lease);
      throw error;
    } finally {
      lease.running -= 1;
      if (lease.running === 0) {
        this.#drop(lease);
        lease.client.then(
          (client) => client.release(lease.hasFailed),
          () => {},
        );
      }
    }
  }

  /** The next statement gets another connection: those that run are slow, or do not respond. */
  leave(): void {
    this.#lease = undefined;
  }

  #drop(lease: Lease): void {
    if (this.#lease === lease) this.#lease = undefined;
  }
}
