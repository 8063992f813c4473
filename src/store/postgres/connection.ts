import pg from 'pg';
import { PendingWork } from '../shared/pending.ts';
import { type DatabaseLoad, type QueryObserver, StoreOpenError } from '../store.ts';

const CONNECT_TIMEOUT_MS = 3000;
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

/** A separate connection for work that may take longer than a request's queries. The caller connects and ends it. */
export function createClient(url: string): pg.Client {
  const client = new pg.Client(settings(url));
  client.on('error', ignoreLostConnection);
  return client;
}

/** The pool has one limit for waiting for a free connection and for opening one. Opening has its own limit here. */
class QuickClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

/** The connections that the requests of a server share. */
export class Connections implements Queryable {
  readonly #pool: pg.Pool;
  readonly #pending: PendingWork;
  #hasOwnSessions = true;

  constructor(url: string, poolSize = DEFAULT_POOL_SIZE, onQuery?: QueryObserver) {
    this.#pending = new PendingWork(onQuery);
    this.#pool = new pg.Pool({
      ...settings(url),
      Client: QuickClient,
      connectionTimeoutMillis: QUEUE_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      max: poolSize,
    });
    this.#pool.on('error', ignoreLostConnection);
    this.#pool.on('connect', (client) => client.on('error', ignoreLostConnection));
  }

  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
    return this.#pending.track(this.#pool.query<Row>(this.#nameIfKept(statement)), 'query');
  }

  /**
   * A pooler such as PgBouncer gives each transaction another session of the server, where a statement that was named in
   * one is not known in the next. It is recognized by its process id, which is not the one of the session.
   */
  async detectPooler(): Promise<void> {
    const client = await this.#pool.connect();
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      this.#hasOwnSessions = 'processID' in client && client.processID === rows[0]?.pid;
    } finally {
      client.release();
    }
  }

  #nameIfKept({ name, ...statement }: Statement): Statement {
    return this.#hasOwnSessions && name !== undefined ? { name, ...statement } : statement;
  }

  /** Runs `work` as one transaction and returns its result; an exception rolls it back. */
  transaction<T>(work: (inside: Queryable) => Promise<T>): Promise<T> {
    return this.#pending.track(this.#transact(work), 'transaction');
  }

  /** Rejects unless the database takes writes. A connection to one that does not is dropped, to look for a better one. */
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

  /** Connections in use stay; those to a server that has become a standby fail at their next write, and go then. */
  async #dropIdle(): Promise<void> {
    const idle = Array.from({ length: this.#pool.idleCount }, () => this.#pool.connect());
    for (const client of await Promise.all(idle)) client.release(true);
  }

  async #transact<T>(work: (inside: Queryable) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      const result = await runTransaction(client, () =>
        work({ query: (statement) => client.query(this.#nameIfKept(statement)) }),
      );
      client.release();
      return result;
    } catch (error) {
      // A failed transaction closes its connection, which rolls it back even if the database is gone or a statement
      // hangs and ROLLBACK would get no response.
      client.release(true);
      throw error;
    }
  }
}

/** One transaction on a connection that is dropped when this rejects. */
export async function runTransaction<T>(
  client: pg.ClientBase,
  work: (inside: Queryable) => Promise<T>,
): Promise<T> {
  await client.query('BEGIN');
  const result = await work(client);
  await client.query('COMMIT');
  return result;
}

function settings(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'votary',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    // Counts and instants are far below 2^53: bigint columns are read as numbers, for Votary's connections only.
    types: {
      getTypeParser: (id, format) =>
        id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format),
    },
  };
}

/** A lost connection rejects its queries, and the next query opens another; nothing else to do. */
function ignoreLostConnection(): void {}

/** Turns an error while opening the database into one line that says what to do. */
export function explainFailure(client: pg.Client, error: unknown): unknown {
  if (error instanceof StoreOpenError) return error;
  const place = `${client.database ?? ''} at ${client.host}:${client.port}`;
  return new StoreOpenError(`The PostgreSQL database ${place} cannot be opened: ${adviceFor(error)}`, error);
}

function adviceFor(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return 'there is no response. Start PostgreSQL, or correct VOTARY_DATABASE_URL.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name does not exist. Correct VOTARY_DATABASE_URL.';
    case '28000':
      if (message.includes('pg_hba.conf'))
        return `${message}. Allow this connection in pg_hba.conf, or use TLS (sslmode=require).`;
      return `${message}. Correct the user or the password in VOTARY_DATABASE_URL.`;
    case '28P01':
      return `${message}. Correct the user or the password in VOTARY_DATABASE_URL.`;
    case '3D000':
      return 'it does not exist. Create it (createdb), or correct VOTARY_DATABASE_URL.';
    case '55P03':
      return 'another session holds a lock on a table that is to be migrated. Try again when it has ended.';
    case '42501':
      return `${message}. Allow the user to create tables in it.`;
    default:
      return `${message}. Check that PostgreSQL is running and reachable from here.`;
  }
}
