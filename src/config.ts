/**
 * The environment, read once and checked. Nothing else reads process.env.
 *
 *   const config = readConfig(environment());
 */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isLoopbackHost, isNetwork } from './domain/address.ts';

export type DatabaseUrl = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string };

export type LogLevel = (typeof LOG_LEVELS)[number];

export type Config = Readonly<{
  database: DatabaseUrl;
  dataDir: string;
  host: string;
  port: number;
  /** The address people and programs reach the service under, without a slash at its end. */
  publicUrl: string | null;
  tlsFiles: { cert: string; key: string } | null;
  /** Set: speak plain HTTP to these proxies. Null: speak TLS ourselves. */
  trustedProxies: readonly string[] | null;
  /** Null on SQLite when not given: then it is kept in the data directory. */
  secret: string | null;
  metricsPort: number | null;
  connectionLimits: ConnectionLimits;
  /** Requests per minute for each key, and for each network without a valid key. */
  rateLimit: number;
  /** The application people sign in through. Null: nobody signs in through Discord. */
  discord: { clientId: string; clientSecret: string } | null;
  /** Where Discord's API is spoken, without a slash at its end. Null: at Discord itself. */
  discordApi: string | null;
  logLevel: LogLevel | null;
}>;

export const DEFAULT_CONNECTION_LIMITS = {
  maxConnections: 10_000,
  /** For each IPv4 address or IPv6 /64, trusted proxies excepted; 0 is no limit. */
  maxConnectionsPerNetwork: 2000,
  /** Requests of one connection that have no response yet. */
  maxPipelinedRequests: 32,
};

export type ConnectionLimits = Readonly<typeof DEFAULT_CONNECTION_LIMITS>;

/** A value of the environment that cannot be used. The message is one line that names the variable. */
export class ConfigError extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.name = 'ConfigError';
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const MIN_SECRET_LENGTH = 16;
const MAX_COUNT = 1_000_000;
/** Narrow on purpose: it stops what was never filled in, and does not judge how random a text is. */
const MIN_SECRET_CHARACTERS = 8;
const PLACEHOLDER_SECRET = /change[-_]?me|replace[-_]me|your[-_]secret|placeholder/i;
/** The last label of a host name starts with a letter, so that a mistyped address is not taken for one. */
const HOST_NAME = /^(?:[\w-]+\.)*[A-Za-z][\w-]*$/;

/** The environment of this process, for the entry points that hand it on to `readConfig`. */
export function environment(): Environment {
  return process.env;
}

/** `allowsWeakSecret`: for the command that replaces it. */
export type ConfigOptions = { allowsWeakSecret?: boolean };

export function readConfig(env: Environment, options: ConfigOptions = {}): Config {
  const dataDir = resolve(env.VOTARY_DATA_DIR || './data');
  const database = readDatabaseUrl(env.VOTARY_DATABASE_URL || `sqlite:${dataDir}/votary.db`);
  return Object.freeze({
    database,
    dataDir,
    host: readHost(env.VOTARY_HOST || '127.0.0.1'),
    port: readPort('VOTARY_PORT', env.VOTARY_PORT || '8443'),
    publicUrl: env.VOTARY_PUBLIC_URL ? readPublicUrl(env.VOTARY_PUBLIC_URL) : null,
    tlsFiles: readTlsFiles(env),
    trustedProxies: env.VOTARY_TRUSTED_PROXIES ? readNetworks(env.VOTARY_TRUSTED_PROXIES) : null,
    secret: readSecret(env.VOTARY_SECRET, database, options),
    metricsPort: env.VOTARY_METRICS_PORT ? readPort('VOTARY_METRICS_PORT', env.VOTARY_METRICS_PORT) : null,
    connectionLimits: readConnectionLimits(env),
    rateLimit: readCount('VOTARY_RATE_LIMIT', env.VOTARY_RATE_LIMIT || '30', 1),
    discord: readDiscord(env),
    discordApi: env.VOTARY_DISCORD_API ? readDiscordApi(env.VOTARY_DISCORD_API) : null,
    logLevel: env.VOTARY_LOG_LEVEL ? readLogLevel(env.VOTARY_LOG_LEVEL) : null,
  });
}

function readDatabaseUrl(value: string): DatabaseUrl {
  if (value.startsWith('sqlite:') && value.length > 'sqlite:'.length) {
    return { kind: 'sqlite', path: resolve(value.slice('sqlite:'.length)) };
  }
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return { kind: 'postgres', url: value };
  // The value is not repeated: it may hold a password.
  throw new ConfigError(
    'VOTARY_DATABASE_URL',
    'must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE',
  );
}

function readHost(value: string): string {
  const isHost = isIP(value) !== 0 || HOST_NAME.test(value);
  if (!isHost) throw new ConfigError('VOTARY_HOST', `must be an address or a host name, not ${quote(value)}`);
  return value;
}

function readPort(variable: string, value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65535))
    throw new ConfigError(variable, `must be a port from 0 to 65535, not ${quote(value)}`);
  return port;
}

function readConnectionLimits(env: Environment): ConnectionLimits {
  const byDefault = DEFAULT_CONNECTION_LIMITS;
  const read = (name: keyof ConnectionLimits, variable: string, least: number): number =>
    readCount(variable, env[variable] || String(byDefault[name]), least);
  return {
    maxConnections: read('maxConnections', 'VOTARY_MAX_CONNECTIONS', 1),
    maxConnectionsPerNetwork: read('maxConnectionsPerNetwork', 'VOTARY_MAX_CONNECTIONS_PER_NETWORK', 0),
    maxPipelinedRequests: read('maxPipelinedRequests', 'VOTARY_MAX_PIPELINED_REQUESTS', 1),
  };
}

function readCount(variable: string, value: string, least: number): number {
  const count = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
  if (count >= least && count <= MAX_COUNT) return count;
  throw new ConfigError(
    variable,
    `must be a whole number from ${least} to ${MAX_COUNT}, not ${quote(value)}`,
  );
}

function readPublicUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'https:' || url.username || url.password || url.search || url.hash) {
    // The value is not repeated: it may hold a password.
    throw new ConfigError(
      'VOTARY_PUBLIC_URL',
      'must be an https:// address such as https://votes.example.org',
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readTlsFiles(env: Environment): Config['tlsFiles'] {
  const { VOTARY_TLS_CERT: cert, VOTARY_TLS_KEY: key } = env;
  if (!cert && !key) return null;
  if (!cert)
    throw new ConfigError('VOTARY_TLS_CERT', 'is missing: VOTARY_TLS_KEY is set and needs its certificate');
  if (!key) throw new ConfigError('VOTARY_TLS_KEY', 'is missing: VOTARY_TLS_CERT is set and needs its key');
  return { cert: resolve(cert), key: resolve(key) };
}

function readNetworks(value: string): string[] {
  const networks = value.split(',').map((network) => network.trim());
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined) {
    throw new ConfigError(
      'VOTARY_TRUSTED_PROXIES',
      `must list networks such as 10.0.0.0/8, not ${quote(wrong)}`,
    );
  }
  return networks;
}

function readSecret(
  value: string | undefined,
  database: DatabaseUrl,
  { allowsWeakSecret = false }: ConfigOptions,
): string | null {
  if (!value && database.kind === 'sqlite') return null;
  if (!value) {
    throw new ConfigError(
      'VOTARY_SECRET',
      'is required with PostgreSQL: set the same long random text for every process (openssl rand -hex 32)',
    );
  }
  return (allowsWeakSecret ? checkSecretForm : checkSecret)('VOTARY_SECRET', value);
}

/** Throws unless the text can be a new master secret. */
export function checkSecret(variable: string, value: string): string {
  checkSecretForm(variable, value);
  if (new Set(value).size < MIN_SECRET_CHARACTERS || PLACEHOLDER_SECRET.test(value)) {
    throw new ConfigError(
      variable,
      'is easy to guess: set a long random text (openssl rand -hex 32); one in use is replaced by votary secret rotate',
    );
  }
  return value;
}

/** A second line would be taken for a secret of its own. */
function checkSecretForm(variable: string, value: string): string {
  if (value.length < MIN_SECRET_LENGTH) {
    throw new ConfigError(variable, `must be at least ${MIN_SECRET_LENGTH} characters long`);
  }
  if (/[\r\n]/.test(value)) throw new ConfigError(variable, 'must be a single line');
  return value;
}

function readDiscord(env: Environment): Config['discord'] {
  const { VOTARY_DISCORD_CLIENT_ID: clientId, VOTARY_DISCORD_CLIENT_SECRET: clientSecret } = env;
  if (!clientId && !clientSecret) return null;
  if (!clientId) {
    throw new ConfigError(
      'VOTARY_DISCORD_CLIENT_ID',
      'is missing: VOTARY_DISCORD_CLIENT_SECRET is set and belongs to an application',
    );
  }
  if (!clientSecret) {
    throw new ConfigError(
      'VOTARY_DISCORD_CLIENT_SECRET',
      'is missing: VOTARY_DISCORD_CLIENT_ID is set and needs its secret',
    );
  }
  return { clientId, clientSecret };
}

/** Tokens travel to this address: in the clear on this machine only. */
function readDiscordApi(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!url || !isSafe || url.username || url.password || url.search || url.hash) {
    throw new ConfigError(
      'VOTARY_DISCORD_API',
      'must be an https:// address, or http:// on this machine, such as https://discord.com/api/v10',
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readLogLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value);
  if (!level)
    throw new ConfigError('VOTARY_LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}, not ${quote(value)}`);
  return level;
}

/** A value as a message shows it: on one line, whatever it holds. */
function quote(value: string): string {
  return JSON.stringify(value);
}
