/**
 * The variables that configure Votary: the only list of their names. Adding one here makes it known to `readConfig`,
 * to `votary config` and to the check for misspelled names.
 *
 *   const settings = readSettings(environment());     // `_FILE` read, defaults filled in, unknown names rejected
 */
import { readFileSync } from 'node:fs';
import { getSystemErrorMessage, parseEnv } from 'node:util';

type Variable = {
  default?: string;
  /** Can also be given as a file, through the name with `_FILE`; never printed. */
  isSecret?: true;
};

export const VARIABLES = {
  VOTARY_DATABASE_URL: { isSecret: true },
  VOTARY_DATA_DIR: { default: './data' },
  VOTARY_HOST: { default: '127.0.0.1' },
  VOTARY_PORT: { default: '8443' },
  VOTARY_PUBLIC_URL: {},
  VOTARY_TLS_CERT: {},
  VOTARY_TLS_KEY: {},
  VOTARY_HSTS: { default: '31536000' },
  VOTARY_TRUSTED_PROXIES: {},
  VOTARY_SECRET: { isSecret: true },
  VOTARY_SECRET_PREVIOUS: { isSecret: true },
  VOTARY_DRAIN_SECONDS: {},
  VOTARY_POOL_SIZE: { default: '10' },
  VOTARY_METRICS_HOST: { default: '127.0.0.1' },
  VOTARY_METRICS_PORT: {},
  VOTARY_MAX_CONNECTIONS: { default: '10000' },
  VOTARY_MAX_CONNECTIONS_PER_NETWORK: { default: '2000' },
  VOTARY_MAX_PIPELINED_REQUESTS: { default: '100' },
  VOTARY_RATE_LIMIT: { default: '30' },
  VOTARY_MANAGE_RATE_LIMIT: { default: '600' },
  VOTARY_MIN_ACCOUNT_AGE_DAYS: { default: '7' },
  VOTARY_NETWORK_VOTES: { default: '5,60' },
  VOTARY_KEEP_VOTES_DAYS: {},
  VOTARY_TURNSTILE_SITE_KEY: {},
  VOTARY_TURNSTILE_SECRET: { isSecret: true },
  VOTARY_TURNSTILE_API: {},
  VOTARY_OPERATORS: {},
  VOTARY_DISCORD_CLIENT_ID: {},
  VOTARY_DISCORD_CLIENT_SECRET: { isSecret: true },
  VOTARY_DISCORD_PUBLIC_KEY: {},
  VOTARY_DISCORD_BOT_TOKEN: { isSecret: true },
  VOTARY_DISCORD_API: {},
  VOTARY_WEBHOOK_ALLOW: {},
  VOTARY_SITE_NAME: {},
  VOTARY_SITE_LOGO: {},
  VOTARY_SITE_ACCENT: {},
  VOTARY_SITE_LINKS: {},
  VOTARY_LOG_LEVEL: {},
  VOTARY_LOG_ADDRESSES: { default: 'full' },
} as const satisfies Record<`VOTARY_${string}`, Variable>;

export type VariableName = keyof typeof VARIABLES;

/** Names that guides use in integrators' programs, and names that commands read themselves. */
const IGNORED = [
  'VOTARY_API_KEY',
  'VOTARY_LINK_SECRET',
  'VOTARY_TOKEN',
  'VOTARY_WEBHOOK_SECRET',
  'VOTARY_URL',
  'VOTARY_NEW_SECRET',
];
const IGNORED_PREFIX = 'VOTARY_TEST_';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of each variable; `undefined` when it is unset and has no default. Empty counts as unset. */
export type Settings = Readonly<{
  [Name in VariableName]: (typeof VARIABLES)[Name] extends { default: string } ? string : string | undefined;
}>;

export type Source = 'environment' | 'file' | 'default' | 'not set';

/** An invalid value in the environment. The message is one line that names the variable. */
export class ConfigError extends Error {
  readonly variable: string;

  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.name = 'ConfigError';
    this.variable = variable;
  }
}

export const ENV_FILE_OPTION = '--env-file';

/** `env` plus the variables of a file (`NAME=value` lines); values in `env` take precedence. */
export function withEnvFile(env: Environment, file: string): Environment {
  const text = readText(ENV_FILE_OPTION, file);
  const [cut] = text.split('\n').flatMap((line) => CUT_AT_HASH.exec(line)?.[1] ?? []);
  if (cut !== undefined)
    throw new ConfigError(cut, `has an unquoted # in ${file}, where a comment would begin: quote the value`);
  return { ...parseEnv(text), ...env };
}

/** Without quotes `parseEnv` would end the value at the `#`; systemd and Docker would not. */
const CUT_AT_HASH = /^[ \t]*(?:export[ \t]+)?(VOTARY_\w+)[ \t]*=(?:#|[ \t]*[^\s'"`#](?:[^#]*[^\s#])?#)/;

/** `ignored`: a variable chosen by the operator that the command reads. */
export function readSettings(env: Environment, { ignored }: { ignored?: string } = {}): Settings {
  rejectUnknown(env, ignored);
  const names = Object.keys(VARIABLES) as VariableName[];
  const entries = names.map((name) => [name, readVariable(env, name).value]);
  return Object.freeze(Object.fromEntries(entries));
}

/** The value of one variable and its source. */
export function readVariable(
  env: Environment,
  name: VariableName,
): { value: string | undefined; source: Source } {
  const { isSecret, default: byDefault }: Variable = VARIABLES[name];
  const value = isSecret ? readSecretText(env, name) : env[name];
  if (value) return { value, source: env[name] ? 'environment' : 'file' };
  return { value: byDefault, source: byDefault === undefined ? 'not set' : 'default' };
}

/** A secret from the variable `name`, or from the file named by `<name>_FILE`. */
export function readSecretText(env: Environment, name: string): string | undefined {
  const fileVariable = `${name}_FILE`;
  const file = env[fileVariable];
  if (!file) return env[name];
  if (env[name]) throw new ConfigError(fileVariable, `and ${name} are both set: keep one of them`);
  const text = readText(fileVariable, file).replace(/\r?\n$/, '');
  if (text === '') throw new ConfigError(fileVariable, `names an empty file: ${file}`);
  return text;
}

function readText(variable: string, file: string): string {
  return readBytes(variable, file).toString('utf8');
}

/** The content of a file that a variable names. */
export function readBytes(variable: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
    throw new ConfigError(
      variable,
      `names a file that cannot be read: ${file}: ${getSystemErrorMessage(errno)}`,
    );
  }
}

/** A misspelled variable would silently leave its default in use. */
function rejectUnknown(env: Environment, ignored: string | undefined): void {
  const secrets = Object.entries<Variable>(VARIABLES).flatMap(([name, { isSecret }]) =>
    isSecret ? [`${name}_FILE`] : [],
  );
  const known = [...Object.keys(VARIABLES), ...secrets];
  const accepted = new Set([...known, ...[...IGNORED, ignored].flatMap((name) => [name, `${name}_FILE`])]);
  for (const [name, value] of Object.entries(env)) {
    const isOurs = name.startsWith('VOTARY_') && !name.startsWith(IGNORED_PREFIX);
    if (!isOurs || !value || accepted.has(name)) continue;
    throw new ConfigError(name, `is not a variable of Votary: did you mean ${closest(name, known)}?`);
  }
}

function closest(name: string, known: readonly string[]): string {
  const withoutFile = name.replace(/_FILE$/, '');
  if (known.includes(withoutFile)) return withoutFile;
  const byDistance = known.map((candidate) => [distance(name, candidate), candidate] as const);
  return byDistance.sort(([a], [b]) => a - b)[0]?.[1] ?? '';
}

/** Levenshtein distance. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
