import pg from 'pg';
import { PendingWork } from '../../pending-work.ts';
import { type DatabaseLoad, type QueryObserver, StoreUnavailableError } from '../../store.ts';
import { WriteProbe } from '../../write-probe.ts';
import { Client, hasOwnSession, NO_TIMEOUT_MS, Targets } from './client.ts';
import { explainUnavailable, isFailedCheck } from './failures.ts';
import { SharedConnection } from './shared-connection.ts';

const DEFAULT_TIME_LIMIT_MS = 10_000;
/**
 * The server cancels a statement before the client gives up on it. Otherwise it would continue, and could still change
 * something after its failure was reported.
 */
const SERVER_SHARE = 0.9;
/** A busy database gets more time than one that cannot be reached. */
const QUEUE_TIMEOUT_MS = 10_000;
const DEFAULT_POOL_SIZE = 10;
const READ_ONLY = 'the database is read-only';

/** One statement. If it has a name, each connection plans it only once. */
export type Statement = { name?: string; text: string; values?: unknown[] };

/** Runs statements on any connection of the pool, or inside a transaction. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>>;
}

/** The statements of one transaction. Those that are sent in one tick are one message, and run in their order. */
export interface Transaction extends Queryable {
  /** Sends COMMIT with the last statements, before their results are known. If one of them fails, nothing is stored. */
  commit(): Promise<unknown>;
  /**
   * Sends these statements with COMMIT. Resolves to false if one of them failed because of `failIf`: then nothing is
   * stored, and the transaction has begun again.
   */
  commitWith(statements: readonly Statement[]): Promise<boolean>;
}

export type ConnectionsOptions = {
  poolSize?: number | undefined;
  onQuery?: QueryObserver | undefined;
  /** For each statement; null for commands, whose statements take as long as they need. Default: ten seconds. */
  timeLimitMs?: number | null | undefined;
  /** Every query is rejected until `open` was called, because the tables may not exist. Default: false. */
  isClosed?: boolean;
};

/** The connections that the requests of a server share. */
export class Connections implements Queryable {
  readonly #targets: Targets;
  readonly #pool: pg.Pool;
  readonly #pending: PendingWork;
  readonly #statementTimeoutMs: number;
  readonly #shared = new SharedConnection(() => this.#connect());
  readonly #probe = new WriteProbe(() => this.#probeWrite());
  #isClosed: boolean;
  #hasOwnSessions = true;

  constructor(url: string, options: ConnectionsOptions = {}) {
    const { poolSize = DEFAULT_POOL_SIZE, onQuery, isClosed = false } = options;
    const { timeLimitMs = DEFAULT_TIME_LIMIT_MS } = options;
    this.#pending = new PendingWork(onQuery);
    const targets = new Targets(url);
    this.#targets = targets;
    this.#isClosed = isClosed;
    const statementTimeoutMs = timeLimitMs === null ? NO_TIMEOUT_MS : Math.floor(timeLimitMs * SERVER_SHARE);
    this.#statementTimeoutMs = statementTimeoutMs;
    this.#pool = new pg.Pool({
      Client: class extends Client {
        constructor(config?: pg.ClientConfig) {
          super(targets, statementTimeoutMs, config);
        }
      },
      connectionTimeoutMillis: QUEUE_TIMEOUT_MS,
      ...(timeLimitMs === null ? {} : { query_timeout: timeLimitMs }),
      max: poolSize,
      pipeline: true,
    });
    // A lost connection rejects its queries, and the next query opens another.
    this.#pool.on('error', () => {});
  }

  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
    return this.#send((pool) => pool.query<Row>(this.#withName(statement)));
  }

  /**
   * Each row as an array of its columns: for many rows with many columns, which take longer to read as objects. Statements
   * that are sent while another one runs share its connection, so that the server continues with them at once.
   */
  async queryArrays<Row extends unknown[]>(statement: Statement): Promise<Row[]> {
    const query = { ...this.#withName(statement), rowMode: 'array' as const };
    const work = this.#explained(() => this.#shared.use((client) => client.query<Row>(query)));
    return (await this.#pending.track(work, 'query')).rows;
  }

  /** The next statements of `queryArrays` do not wait for those that run. */
  leaveShared(): void {
    this.#shared.leave();
  }

  #send<Result>(query: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
    const work = this.#explained(() => this.#targets.tryEach(() => query(this.#pool)));
    return this.#pending.track(work, 'query');
  }

  /**
   * Connects once, and accepts queries from then on. A pooler such as PgBouncer can run each transaction in a different
   * session of the server, where a statement prepared in one is not known in the next.
   */
  async open(): Promise<void> {
    const client = await this.#connect();
    try {
      this.#hasOwnSessions = await hasOwnSession(client);
    } finally {
      client.release();
    }
    this.#isClosed = false;
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StoreUnavailableError('unreachable', 'the database is not open yet');
    try {
      return await work();
    } catch (error) {
      const isRefused = this.#targets.isConnectFailure(error) && !(error instanceof StoreUnavailableError);
      throw isRefused ? new StoreUnavailableError('unreachable', error) : explainUnavailable(error);
    }
  }

  #connect(): Promise<pg.PoolClient> {
    return this.#targets.tryEach(() => this.#pool.connect());
  }

  #withName({ name, ...statement }: Statement): Statement {
    return this.#hasOwnSessions && name !== undefined ? { name, ...statement } : statement;
  }

  /** Runs `work` as one transaction and returns its result; an exception rolls it back. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.trackWrite(this.transactionOfMany(work));
  }

  /**
   * The same for several writes, each of which is tracked by `trackWrite`. `settings` are statements that apply to this
   * transaction (SET LOCAL).
   */
  transactionOfMany<T>(work: (tx: Transaction) => Promise<T>, settings?: string): Promise<T> {
    return this.#explained(() => this.#transact(work, settings));
  }

  /**
   * Rejects unless the database accepts writes. Connections to a read-only server are dropped, so that another host is
   * tried.
   */
  async ping(): Promise<void> {
    try {
      const { rows } = await this.query<{ transaction_read_only: string }>({
        text: 'SHOW transaction_read_only',
      });
      if (rows[0]?.transaction_read_only !== 'off') throw new StoreUnavailableError('read-only', READ_ONLY);
      await this.#probe.check();
    } catch (error) {
      if (error instanceof StoreUnavailableError && error.kind === 'read-only') await this.dropIdle();
      throw error;
    }
  }

  #probeWrite(): Promise<void> {
    return this.#explained(async () => {
      const client = await this.#connect();
      try {
        await probeWrite(client);
        client.release();
      } catch (error) {
        client.release(true);
        throw error;
      }
    });
  }

  /** `close` waits for this promise. */
  track<T>(work: Promise<T>): Promise<T> {
    return this.#pending.track(work);
  }

  /** The same, and it is reported as a transaction. */
  trackWrite<T>(work: Promise<T>): Promise<T> {
    return this.#pending.track(work, 'transaction');
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
  async dropIdle(): Promise<void> {
    const idle = Array.from({ length: this.#pool.idleCount }, () => this.#pool.connect());
    for (const taken of await Promise.allSettled(idle))
      if (taken.status === 'fulfilled') taken.value.release(true);
  }

  async #transact<T>(work: (tx: Transaction) => Promise<T>, settings?: string): Promise<T> {
    const client = await this.#connect();
    const failures: unknown[] = [];
    const send = <Row extends pg.QueryResultRow>(statement: Statement) =>
      inOneMessage<Row>(client, statement).catch((error: unknown) => {
        failures.push(error);
        throw error;
      });
    try {
      const query: Queryable['query'] = (statement) => send(this.#withName(statement));
      let committed: Promise<unknown> | undefined;
      const commit = () => {
        committed ??= send({ text: 'COMMIT' });
        return committed;
      };
      const limit = this.#hasOwnSessions ? undefined : this.#statementTimeoutMs;
      const begun = send(begin(limit, settings));
      const commitWith = async (statements: readonly Statement[]) => {
        const sent = statements.map(query);
        const [ended] = await Promise.allSettled([commit(), ...sent]);
        if (failures.length === 0) return true;
        if (ended.status === 'rejected' || !isFailedCheck(failures[0])) throw failures[0];
        // COMMIT has rolled back.
        committed = undefined;
        failures.length = 0;
        await send(begin(limit, settings));
        return false;
      };
      const [result] = await Promise.all([work({ query, commit, commitWith }), begun]);
      await commit();
      client.release();
      return result;
    } catch (error) {
      // A failed transaction closes its connection, which rolls it back even if the database is unavailable, or a
      // statement hangs and ROLLBACK would get no response.
      client.release(true);
      // Statements that were sent with the one that failed only say that the transaction is aborted.
      throw failures[0] ?? error;
    }
  }
}

/** Statements are sent at the end of the tick. */
function inOneMessage<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  statement: Statement,
): Promise<pg.QueryResult<Row>> {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
  return client.query<Row>(statement);
}

function begin(statementTimeoutMs?: number, settings = ''): Statement {
  const limit =
    statementTimeoutMs === undefined ? '' : `SET LOCAL statement_timeout = ${statementTimeoutMs};`;
  return { text: `BEGIN; ${limit} ${settings}` };
}

/**
 * One transaction on a connection that is dropped when this rejects. `statementTimeoutMs` is for connections through a
 * pooler, where settings only last for a transaction; the others have it from the start.
 */
export async function runTransaction<T>(
  client: pg.ClientBase,
  work: (tx: Queryable) => Promise<T>,
  statementTimeoutMs?: number,
): Promise<T> {
  await client.query(begin(statementTimeoutMs));
  const result = await work(client);
  await client.query('COMMIT');
  return result;
}

/**
 * In one message. The inserted row needs a new page, so it fails on a full disk, while a small one could fit into a page
 * that exists. Nothing remains to be read; a transaction that fails is ended by closing the connection.
 */
export async function probeWrite(client: pg.ClientBase): Promise<void> {
  await client.query("BEGIN; INSERT INTO write_probes (padding) VALUES (repeat('x', 7000)); ROLLBACK");
}
