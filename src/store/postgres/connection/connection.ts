import pg from 'pg';
import { type DatabaseLoad, PendingWork, type QueryObserver } from '../../store.ts';
import { Client, Targets } from './client.ts';

const QUERY_TIMEOUT_MS = 10_000;
/** A busy database gets more time than one that cannot be reached. */
const QUEUE_TIMEOUT_MS = 10_000;
const DEFAULT_POOL_SIZE = 10;

/** One statement. If it has a name, each connection plans it only once. */
export type Statement = { name?: string; text: string; values?: unknown[] };

/** Runs statements on any connection of the pool, or inside a transaction. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>>;
}

/** The connections that the requests of a server share. */
export class Connections implements Queryable {
  readonly #targets: Targets;
  readonly #pool: pg.Pool;
  readonly #pending: PendingWork;
  #hasOwnSessions = true;

  constructor(url: string, poolSize = DEFAULT_POOL_SIZE, onQuery?: QueryObserver) {
    this.#pending = new PendingWork(onQuery);
    const targets = new Targets(url);
    this.#targets = targets;
    this.#pool = new pg.Pool({
      Client: class extends Client {
        constructor(options?: pg.ClientConfig) {
          super(targets, options);
        }
      },
      connectionTimeoutMillis: QUEUE_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      max: poolSize,
    });
    // A lost connection rejects its queries, and the next query opens another.
    this.#pool.on('error', () => {});
  }

  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
    const work = this.#targets.tryEach(() => this.#pool.query<Row>(this.#withName(statement)));
    return this.#pending.track(work, 'query');
  }

  /**
   * A pooler such as PgBouncer can run each transaction in a different session of the server, where a statement
   * prepared in one is not known in the next. It is detected by its process id, which differs from that of the session.
   */
  async detectPooler(): Promise<void> {
    const client = await this.#connect();
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      this.#hasOwnSessions = 'processID' in client && client.processID === rows[0]?.pid;
    } finally {
      client.release();
    }
  }

  #connect(): Promise<pg.PoolClient> {
    return this.#targets.tryEach(() => this.#pool.connect());
  }

  #withName({ name, ...statement }: Statement): Statement {
    return this.#hasOwnSessions && name !== undefined ? { name, ...statement } : statement;
  }

  /** Runs `work` as one transaction and returns its result; an exception rolls it back. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#pending.track(this.#transact(work), 'transaction');
  }

  /**
   * Rejects unless the database accepts writes. Connections to a read-only server are dropped, so that another host is
   * tried.
   */
  async ping(): Promise<void> {
    const { rows } = await this.query<{ transaction_read_only: string }>({
      text: 'SHOW transaction_read_only',
    });
    if (rows[0]?.transaction_read_only === 'off') return;
    await this.#dropIdle();
    throw new Error('the database is read-only');
  }

  /** `close` waits for this promise. */
  track<T>(work: Promise<T>): Promise<T> {
    return this.#pending.track(work);
  }

  load(): DatabaseLoad {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    const pool = { size: options.max, used: totalCount - idleCount, idle: idleCount };
    return { waiting: waitingCount, pool };
  }

  async close(): Promise<void> {
    // `pool.end` drops queries that still wait for a connection, so they are awaited first.
    await this.#pending.settled();
    await this.#pool.end();
  }

  /**
   * Connections in use stay; those to a server that has become a standby fail at their next write and are dropped then.
   */
  async #dropIdle(): Promise<void> {
    const idle = Array.from({ length: this.#pool.idleCount }, () => this.#pool.connect());
    for (const client of await Promise.all(idle)) client.release(true);
  }

  async #transact<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    try {
      const result = await runTransaction(client, () =>
        work({ query: (statement) => client.query(this.#withName(statement)) }),
      );
      client.release();
      return result;
    } catch (error) {
      // A failed transaction closes its connection, which rolls it back even if the database is unavailable, or a
      // statement hangs and ROLLBACK would get no response.
      client.release(true);
      throw error;
    }
  }
}

/** One transaction on a connection that is dropped when this rejects. */
export async function runTransaction<T>(
  client: pg.ClientBase,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  await client.query('BEGIN');
  const result = await work(client);
  await client.query('COMMIT');
  return result;
}
