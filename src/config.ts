/**
 * Reads and validates the environment. Nothing else reads process.env.
 *
 *   const config = readConfig(environment());
 */

import { resolve } from 'node:path';
import { parsePostgresUrl } from './config/postgres-url.ts';
import { readSite, type SiteConfig } from './config/site.ts';
import {
  checkSecret,
  checkSecretForm,
  readBotToken,
  readChoice,
  readCount,
  readHost,
  readHsts,
  readNetworks,
  readNetworkVotes,
  readPort,
  readPublicKey,
  readSafeUrl,
  readTrustedProxies,
  readUserIds,
} from './config/values.ts';
import {
  ConfigError,
  type Environment,
  readSettings,
  type Settings,
  type VariableName,
} from './config/variables.ts';
import { withoutTrailingSlashes } from './domain/text/text.ts';
import type { NetworkLimits } from './domain/votes/networks.ts';
import { MIN_KEPT_DAYS } from './domain/votes/period.ts';
import { DISCORD_API } from './domain/webhooks/discord.ts';

export type DatabaseUrl = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string };

export type LogLevel = (typeof LOG_LEVELS)[number];

/** What log lines contain of the addresses of clients: all of it, its network, or nothing. */
export type LogAddresses = (typeof LOG_ADDRESSES)[number];

export type Config = Readonly<{
  database: DatabaseUrl;
  dataDir: string;
  host: string;
  port: number;
  /** The public URL of the service, without a trailing slash. */
  publicUrl: string | null;
  tlsFiles: { cert: string; key: string } | null;
  /** If set, plain HTTP is served to these proxies; null: TLS. */
  trustedProxies: readonly string[] | null;
  /** Null on SQLite when not set: it is then stored in the data directory. */
  secret: string | null;
  /** Another secret that is accepted for reading, while one of them replaces the other. */
  secretPrevious: string | null;
  /** The value of Strict-Transport-Security; null sends none. */
  hsts: string | null;
  /** Maximum number of PostgreSQL connections per process. */
  poolSize: number;
  /** How long the service keeps responding after a stop signal, so that proxies can send requests elsewhere. */
  drainSeconds: number;
  metricsHost: string;
  metricsPort: number | null;
  connectionLimits: ConnectionLimits;
  /** Requests per minute for each key, and for each network without a valid key. */
  rateLimit: number;
  /** Requests per minute for each token of the management API, and for each network without a valid one. */
  manageRateLimit: number;
  /** Younger accounts cannot vote; 0: every account can. */
  minAccountAgeDays: number;
  /** Older votes are deleted; null: none are. */
  keepVotesDays: number | null;
  networkVotes: NetworkLimits;
  /** If set, Turnstile is used for challenges; null: proof of work. */
  turnstile: TurnstileConfig | null;
  /** Discord ids of the users who can open /operator. */
  operators: readonly string[];
  /** The application that users sign in through. Null: no sign-in through Discord. */
  discord: { clientId: string; clientSecret: string } | null;
  /** The Discord app: the key that verifies its interactions, and the token that it sends direct messages with. */
  discordApp: DiscordAppConfig;
  /** Base URL of the Discord API, without a trailing slash. Null: Discord itself. */
  discordApi: string | null;
  /** Private networks that webhooks may be sent to. */
  webhookAllow: readonly string[];
  /** The name, logo, accent color and links of the site. */
  site: SiteConfig;
  logLevel: LogLevel | null;
  logAddresses: LogAddresses;
}>;

export type DiscordAppConfig = { publicKey: string | null; botToken: string | null };

/** `api`: the base URL of siteverify, without a trailing slash. Null: Cloudflare. */
export type TurnstileConfig = { siteKey: string; secret: string; api: string | null };

export const DEFAULT_CONNECTION_LIMITS = {
  maxConnections: 10_000,
  /** Per IPv4 address or IPv6 /64, except trusted proxies; 0 means no limit. */
  maxConnectionsPerNetwork: 2000,
  /** Unanswered requests per connection. */
  maxPipelinedRequests: 100,
};

export type ConnectionLimits = Readonly<typeof DEFAULT_CONNECTION_LIMITS>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_ADDRESSES = ['full', 'network', 'off'] as const;

/** The environment of this process, for the entry points that pass it on to `readConfig`. */
export function environment(): Environment {
  return process.env;
}

/** `allowsWeakSecret`: for the command that replaces it. `ignored`: a variable that the command reads itself. */
export type ConfigOptions = { allowsWeakSecret?: boolean; ignored?: string };

export function readConfig(environment: Environment, options: ConfigOptions = {}): Config {
  const env = readSettings(environment, options);
  const dataDir = resolve(env.VOTARY_DATA_DIR);
  const database = readDatabaseUrl(env.VOTARY_DATABASE_URL || `sqlite:${dataDir}/votary.db`);
  const optional = <T>(name: VariableName, read: (variable: string, value: string) => T): T | null => {
    const value = env[name];
    return value ? read(name, value) : null;
  };
  const count = (name: VariableName, least: number) => readCount(name, env[name] ?? '', least);
  return Object.freeze({
    database,
    dataDir,
    host: readHost('VOTARY_HOST', env.VOTARY_HOST),
    port: readPort('VOTARY_PORT', env.VOTARY_PORT),
    publicUrl: optional('VOTARY_PUBLIC_URL', readPublicUrl),
    tlsFiles: readTlsFiles(env),
    trustedProxies: optional('VOTARY_TRUSTED_PROXIES', readTrustedProxies),
    secret: readSecret(env.VOTARY_SECRET, database, options),
    secretPrevious: env.VOTARY_SECRET_PREVIOUS ? readPreviousSecret(env) : null,
    hsts: readHsts(env.VOTARY_HSTS),
    drainSeconds: readDrain(env),
    poolSize: count('VOTARY_POOL_SIZE', 1),
    metricsHost: readHost('VOTARY_METRICS_HOST', env.VOTARY_METRICS_HOST),
    metricsPort: optional('VOTARY_METRICS_PORT', readPort),
    connectionLimits: {
      maxConnections: count('VOTARY_MAX_CONNECTIONS', 1),
      maxConnectionsPerNetwork: count('VOTARY_MAX_CONNECTIONS_PER_NETWORK', 0),
      maxPipelinedRequests: count('VOTARY_MAX_PIPELINED_REQUESTS', 1),
    },
    rateLimit: count('VOTARY_RATE_LIMIT', 1),
    manageRateLimit: count('VOTARY_MANAGE_RATE_LIMIT', 1),
    minAccountAgeDays: count('VOTARY_MIN_ACCOUNT_AGE_DAYS', 0),
    networkVotes: readNetworkVotes('VOTARY_NETWORK_VOTES', env.VOTARY_NETWORK_VOTES),
    keepVotesDays: optional('VOTARY_KEEP_VOTES_DAYS', (name, value) => readCount(name, value, MIN_KEPT_DAYS)),
    turnstile: readTurnstile(env),
    operators: optional('VOTARY_OPERATORS', readUserIds) ?? [],
    discord: readDiscord(env),
    discordApp: {
      publicKey: optional('VOTARY_DISCORD_PUBLIC_KEY', readPublicKey),
      botToken: optional('VOTARY_DISCORD_BOT_TOKEN', readBotToken),
    },
    discordApi: optional('VOTARY_DISCORD_API', (name, value) => readSafeUrl(name, value, DISCORD_API)),
    webhookAllow: optional('VOTARY_WEBHOOK_ALLOW', readNetworks) ?? [],
    site: readSite(env),
    logLevel: optional('VOTARY_LOG_LEVEL', (name, value) => readChoice(name, value, LOG_LEVELS)),
    logAddresses: readChoice('VOTARY_LOG_ADDRESSES', env.VOTARY_LOG_ADDRESSES, LOG_ADDRESSES),
  });
}

/** Throws `ConfigError`, which names the variable. */
export function readDatabaseUrl(value: string): DatabaseUrl {
  if (value.startsWith('sqlite:') && value.length > 'sqlite:'.length) {
    return { kind: 'sqlite', path: resolve(value.slice('sqlite:'.length)) };
  }
  parsePostgresUrl(value);
  return { kind: 'postgres', url: value };
}

function readPublicUrl(variable: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'https:' || url.username || url.password || url.search || url.hash) {
    // The value may contain a password, so it is not repeated.
    throw new ConfigError(variable, 'must be an https:// address such as https://votes.example.org');
  }
  return withoutTrailingSlashes(url.href);
}

const DRAIN_SECONDS_BEHIND_PROXY = '5';

function readDrain(env: Settings): number {
  const byDefault = env.VOTARY_TRUSTED_PROXIES ? DRAIN_SECONDS_BEHIND_PROXY : '0';
  return readCount('VOTARY_DRAIN_SECONDS', env.VOTARY_DRAIN_SECONDS || byDefault, 0);
}

/** Two variables that need each other. Null if neither is set. */
function readPair(env: Settings, first: VariableName, second: VariableName): [string, string] | null {
  const [one, other] = [env[first], env[second]];
  if (!one && !other) return null;
  if (!one) throw new ConfigError(first, `is missing: ${second} needs it`);
  if (!other) throw new ConfigError(second, `is missing: ${first} needs it`);
  return [one, other];
}

function readTlsFiles(env: Settings): Config['tlsFiles'] {
  const pair = readPair(env, 'VOTARY_TLS_CERT', 'VOTARY_TLS_KEY');
  if (pair === null) return null;
  const [cert, key] = pair;
  return { cert: resolve(cert), key: resolve(key) };
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

/** A weak one is accepted too: it was in use before. */
function readPreviousSecret({
  VOTARY_SECRET: secret,
  VOTARY_SECRET_PREVIOUS: previous = '',
}: Settings): string {
  const variable = 'VOTARY_SECRET_PREVIOUS';
  if (!secret) throw new ConfigError(variable, 'is set without VOTARY_SECRET, the secret to encrypt with');
  if (secret === previous) throw new ConfigError(variable, 'is the same secret as VOTARY_SECRET: remove it');
  return checkSecretForm(variable, previous);
}

function readDiscord(env: Settings): Config['discord'] {
  const pair = readPair(env, 'VOTARY_DISCORD_CLIENT_ID', 'VOTARY_DISCORD_CLIENT_SECRET');
  if (pair === null) return null;
  const [clientId, clientSecret] = pair;
  return { clientId, clientSecret };
}

function readTurnstile(env: Settings): TurnstileConfig | null {
  const { VOTARY_TURNSTILE_API: address } = env;
  const example = 'https://challenges.cloudflare.com/turnstile/v0';
  const api = address ? readSafeUrl('VOTARY_TURNSTILE_API', address, example) : null;
  const pair = readPair(env, 'VOTARY_TURNSTILE_SITE_KEY', 'VOTARY_TURNSTILE_SECRET');
  if (pair === null) return null;
  const [siteKey, secret] = pair;
  return { siteKey, secret, api };
}
