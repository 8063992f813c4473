/**
 * One connection to PostgreSQL: the choice of its host, TLS, and readable errors.
 *
 *   const client = await openClient(url);        // the first host that can be used
 */

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { getSystemErrorMessage } from 'node:util';
import pg from 'pg';
import { type PostgresAddress, parsePostgresUrl, type TlsSettings } from '../../../config/postgres-url.ts';
import { StoreOpenError } from '../../store.ts';
import { lacksTls, NoHostError, ReadOnlyError } from './failures.ts';

export const NO_TIMEOUT_MS = 0;

/** One way to connect: a host, with TLS or without. */
type Target = { host: string; url: string; isTls: boolean };

/**
 * The hosts of an address, and which of them worked last. All connections go there until one fails to connect; the
 * next attempt then goes to the next host.
 */
export class Targets {
  readonly #address: PostgresAddress;
  readonly #all: readonly Target[];
  readonly #failures = new WeakSet<object>();
  #current = 0;

  constructor(url: string) {
    const address = parsePostgresUrl(url);
    const { mode } = address.tls;
    // `prefer`: with TLS, or without it if the server does not support it.
    const ways = mode === 'prefer' ? [true, false] : [mode !== 'disable'];
    this.#address = address;
    this.#all = address.hosts.flatMap(({ name, url }) => ways.map((isTls) => ({ host: name, url, isTls })));
  }

  /** Whether the error comes from connecting: nothing was sent, so the work can be tried on another host. */
  isConnectFailure(error: unknown): boolean {
    return error instanceof Error && this.#failures.has(error);
  }

  /** Tries `work`, which connects, with one host after the other until it connects. */
  async tryEach<T>(work: () => Promise<T>): Promise<T> {
    const failures = new Map<Target, unknown>();
    for (let target = this.#target(); !failures.has(target); target = this.#target()) {
      try {
        return await work();
      } catch (error) {
        if (!this.isConnectFailure(error)) throw error;
        failures.set(target, error);
      }
    }
    const [only, ...others] = failures.values();
    if (others.length === 0) throw only;
    throw new NoHostError([...failures].map(([{ host }, error]) => ({ host, error })));
  }

  /** What a new client needs to connect to the current host. */
  plan(): Plan {
    const target = this.#target();
    const { needsWritable, connectTimeoutMs, tls } = this.#address;
    const onFailure = (error: Error) => {
      this.#failures.add(error);
      // Another connection may have switched already.
      if (this.#target() === target) this.#current = this.#indexAfter(target, error);
    };
    const checks = { needsWritable, onFailure };
    const timeout = { connectionTimeoutMillis: connectTimeoutMs };
    const config = { ...SETTINGS, ...timeout, connectionString: target.url, ssl: false };
    try {
      return { ...checks, config: target.isTls ? { ...config, ssl: readTlsOptions(tls) } : config };
    } catch (problem) {
      return { ...checks, config, problem };
    }
  }

  /**
   * The next host. The same one is tried without TLS only if it does not support TLS, so that a restart does not cause
   * a downgrade to plain text.
   */
  #indexAfter(failed: Target, error: Error): number {
    const index = this.#all.indexOf(failed);
    const isPlainFallback = (target: Target) => target.host === failed.host && lacksTls(error);
    const next = this.#all.findIndex(
      (target, i) => i > index && (target.host !== failed.host || isPlainFallback(target)),
    );
    return Math.max(0, next);
  }

  #target(): Target {
    const target = this.#all[this.#current];
    if (!target) throw new Error('an address without hosts');
    return target;
  }
}

const SETTINGS: pg.ClientConfig = {
  application_name: 'votary',
  keepAlive: true,
  // Counts and instants are far below 2^53: bigint columns are read as numbers, for Votary's connections only.
  types: {
    getTypeParser: (id, format) =>
      id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format),
  },
};

/** A lost connection rejects its queries, and the next query opens another, so there is nothing to handle. */
function ignoreLostConnection(): void {}

type Plan = {
  config: pg.ClientConfig;
  needsWritable: boolean;
  /** Why it cannot connect. Not thrown by the constructor, because the pool does not expect that. */
  problem?: unknown;
  onFailure(error: Error): void;
};

type Callback = (error: Error | null, client?: pg.Client) => void;

/** Connects to the current host; it is only connected once the server is known to be usable. */
export class Client extends pg.Client {
  readonly #plan: Plan;

  readonly #statementTimeoutMs: number;

  constructor(targets: Targets, statementTimeoutMs: number, options: pg.ClientConfig = {}) {
    const plan = targets.plan();
    super({ ...options, ...plan.config });
    this.#plan = plan;
    this.#statementTimeoutMs = statementTimeoutMs;
    this.on('error', ignoreLostConnection);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.Client> | undefined {
    const connected = this.#connectAndCheck();
    if (!callback) return connected;
    connected.then((client) => callback(null, client), callback);
    return undefined;
  }

  async #connectAndCheck(): Promise<pg.Client> {
    const { problem, needsWritable, onFailure } = this.#plan;
    try {
      if (problem !== undefined) throw problem;
      await super.connect();
      const { rows } = await this.query<{ is_read_only: boolean }>(
        startSession(this, this.#statementTimeoutMs),
      );
      if (needsWritable && rows[0]?.is_read_only !== false) throw new ReadOnlyError();
      return this;
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      onFailure(error);
      this.end().catch(ignoreLostConnection);
      throw error;
    }
  }
}

/**
 * Sets the time limit for the session, and switches off JIT: PostgreSQL would compile statements that assume many rows at
 * each execution, which takes up to a thousand times as long as running them. Not if the session belongs to a pooler, which
 * would give it to other clients. It is not sent while connecting, because PgBouncer refuses connections with settings that
 * it does not know.
 */
function startSession(client: object, statementTimeoutMs: number): string {
  return `SELECT current_setting('transaction_read_only') = 'on' AS is_read_only,
    CASE WHEN pg_backend_pid() = ${processIdOf(client)}
      THEN set_config('statement_timeout', '${statementTimeoutMs}', false) || set_config('jit', 'off', false) END`;
}

/** Whether the connection is one session of the server: a pooler has a process id of its own. */
export async function hasOwnSession(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return processIdOf(client) === rows[0]?.pid;
}

function processIdOf(client: object): number {
  return 'processID' in client ? Number(client.processID) : 0;
}

/** The modes as defined by libpq, as options for Node. */
function readTlsOptions({ mode, files, keyPassphrase }: TlsSettings): ConnectionOptions {
  const ca = readPem('sslrootcert', files.sslrootcert);
  const verifies = mode === 'verify-full' || mode === 'verify-ca' || (mode === 'require' && ca !== undefined);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(files.sslcert === undefined ? {} : { cert: readPem('sslcert', files.sslcert) }),
    ...(files.sslkey === undefined ? {} : { key: readPem('sslkey', files.sslkey) }),
    ...(keyPassphrase === undefined ? {} : { passphrase: keyPassphrase }),
    rejectUnauthorized: verifies,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

function readPem(parameter: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
    throw new StoreOpenError(
      `VOTARY_DATABASE_URL has a ${parameter} that cannot be read: ${file}: ${getSystemErrorMessage(errno)}`,
      error,
    );
  }
}

/**
 * A separate connection for work that may take longer than a request's queries: statements have no time limit, even if
 * the role has one. The caller ends it.
 */
export function openClient(url: string): Promise<pg.Client> {
  const targets = new Targets(url);
  return targets.tryEach(async () => {
    const client = new Client(targets, NO_TIMEOUT_MS);
    await client.connect();
    return client;
  });
}
