/** Readers for single values. Each takes the variable name for its error message. */
import { isIP } from 'node:net';
import { isLoopbackHost, isNetwork, isTooWideForProxies } from '../domain/address.ts';
import { isSnowflake } from '../domain/identifiers.ts';
import { withoutTrailingSlashes } from '../domain/text/text.ts';
import type { NetworkLimits } from '../domain/votes/networks.ts';
import { ConfigError } from './variables.ts';

/** The last label of a host name starts with a letter, so a mistyped IP address is not accepted as a name. */
const HOST_NAME = /^(?:[\w-]+\.)*[A-Za-z][\w-]*$/;
const MAX_COUNT = 1_000_000;
const MIN_SECRET_LENGTH = 16;
/** Intentionally low: rejects placeholders, but does not measure randomness. */
const MIN_SECRET_CHARACTERS = 8;
const PLACEHOLDER_SECRET = /change[-_]?me|replace[-_]me|your[-_]secret|placeholder/i;

export function readHost(variable: string, value: string): string {
  const isHost = isIP(value) !== 0 || HOST_NAME.test(value);
  if (!isHost) throw new ConfigError(variable, `must be an address or a host name, not ${quote(value)}`);
  return value;
}

export function readPort(variable: string, value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65535))
    throw new ConfigError(variable, `must be a port from 0 to 65535, not ${quote(value)}`);
  return port;
}

export function readCount(variable: string, value: string, least: number): number {
  const count = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
  if (count >= least && count <= MAX_COUNT) return count;
  throw new ConfigError(
    variable,
    `must be a whole number from ${least} to ${MAX_COUNT}, not ${quote(value)}`,
  );
}

/** `challenge,refuse`; 0 switches a limit off. */
export function readNetworkVotes(variable: string, value: string): NetworkLimits {
  const [, challenge, refuse] = /^(\d{1,6}),(\d{1,6})$/.exec(value.replaceAll(' ', '')) ?? [];
  const [challengeFrom, refuseAbove] = [challenge, refuse].map((count) => Number(count) || Infinity);
  const isOrdered = refuseAbove === Infinity || Number(challengeFrom) <= Number(refuseAbove) + 1;
  if (challenge !== undefined && challengeFrom && refuseAbove && (challengeFrom === Infinity || isOrdered)) {
    return { challengeFrom, refuseAbove };
  }
  throw new ConfigError(
    variable,
    `must be two whole numbers such as 5,60, the smaller one first, or 0,0 for no limits; not ${quote(value)}`,
  );
}

/** The URL of an API whose requests contain secrets: plain HTTP is only allowed on this machine. */
export function readSafeUrl(variable: string, value: string, example: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!url || !isSafe || url.username || url.password || url.search || url.hash) {
    throw new ConfigError(
      variable,
      `must be an https:// address, or http:// on this machine, such as ${example}`,
    );
  }
  return withoutTrailingSlashes(url.href);
}

/** The public key of a Discord application, which signs interactions. */
export function readPublicKey(variable: string, value: string): string {
  if (/^[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  throw new ConfigError(
    variable,
    `must be the 64 hexadecimal digits under "Public Key" in the Discord Developer Portal, not ${quote(value)}`,
  );
}

const BOT_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The token is not repeated in the error. */
export function readBotToken(variable: string, value: string): string {
  if (BOT_TOKEN.test(value)) return value;
  throw new ConfigError(
    variable,
    'must be the token from the page "Bot" in the Discord Developer Portal, three parts joined by dots, without "Bot " before it',
  );
}

const HSTS = /^(\d{1,10})((?:; ?(?:includeSubDomains|preload))*)$/;

export function readHsts(value: string): string | null {
  if (value === 'off') return null;
  const [, seconds, directives = ''] = HSTS.exec(value) ?? [];
  if (seconds !== undefined) return `max-age=${seconds}${directives}`;
  throw new ConfigError(
    'VOTARY_HSTS',
    `must be a number of seconds such as 31536000, optionally with "; includeSubDomains; preload", or off; not ${quote(value)}`,
  );
}

export function readNetworks(variable: string, value: string): string[] {
  const networks = value.split(',').map((network) => network.trim());
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined) {
    throw new ConfigError(variable, `must list networks such as 10.0.0.0/8, not ${quote(wrong)}`);
  }
  return networks;
}

/** Clients in a trusted network choose their own address: with 0.0.0.0/0 no limit on networks would work. */
export function readTrustedProxies(variable: string, value: string): string[] {
  const networks = readNetworks(variable, value);
  const wide = networks.find(isTooWideForProxies);
  if (wide === undefined) return networks;
  throw new ConfigError(
    variable,
    `must list only your proxies, not ${quote(wide)}, which contains clients too: they could claim any address and avoid every limit`,
  );
}

export function readUserIds(variable: string, value: string): string[] {
  const ids = value.split(',').map((id) => id.trim());
  const wrong = ids.find((id) => !isSnowflake(id));
  if (wrong !== undefined)
    throw new ConfigError(variable, `must list Discord user ids of 15 to 20 digits, not ${quote(wrong)}`);
  return ids;
}

export function readChoice<Choice extends string>(
  variable: string,
  value: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((known) => known === value);
  if (choice !== undefined) return choice;
  throw new ConfigError(variable, `must be one of ${choices.join(', ')}, not ${quote(value)}`);
}

/** Throws unless the text can be a new master secret. */
export function checkSecret(variable: string, value: string): string {
  checkSecretForm(variable, value);
  if (new Set(value).size < MIN_SECRET_CHARACTERS || PLACEHOLDER_SECRET.test(value)) {
    throw new ConfigError(
      variable,
      'is easy to guess: set a long random text (openssl rand -hex 32); to replace one that is in use, run votary secret rotate',
    );
  }
  return value;
}

/** A second line would be read as another secret. */
export function checkSecretForm(variable: string, value: string): string {
  if (value.length < MIN_SECRET_LENGTH) {
    throw new ConfigError(variable, `must be at least ${MIN_SECRET_LENGTH} characters long`);
  }
  if (/[\r\n]/.test(value)) throw new ConfigError(variable, 'must be a single line');
  return value;
}

/** A value for an error message, on one line. */
export function quote(value: string): string {
  return JSON.stringify(value);
}
