/** What `serve` prints and how it is stopped, as one process and as the primary of several. */

import type { EventEmitter } from 'node:events';
import type { Config, LogLevel } from '../../config.ts';
import type { DemoGuild } from '../../demo.ts';
import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import { voteUrl } from '../../domain/votes/vote-link.ts';
import { type Cli, report } from '../cli.ts';

export type ServeOptions = { demo?: boolean; acceptNewSecret?: boolean; workers?: number };

/** How long to wait for the log of a stopped service. */
export const LOG_FLUSH_MS = SECOND_MS;

/** Other commands fail when their output cannot be written; a service continues. */
export function surviveFailedOutput({ stdout }: Cli): void {
  stdout.removeAllListeners('error');
  stdout.on('error', () => {});
}

/** Logs share standard output with the banner or the JSON document and would hide it. */
export function chooseLogLevel(cli: Cli, config: Config, isDemo: boolean): LogLevel {
  return config.logLevel ?? (isDemo || cli.wantsJson() ? 'warn' : 'info');
}

export function announce(cli: Cli, url: string, isDemo: boolean, demo: DemoGuild | undefined): void {
  if (isDemo) report(cli, { url, demo: describe(demo) }, demoBanner(url, demo));
  // Otherwise the log contains the URL, and standard output stays one JSON document per line.
  else if (cli.wantsJson()) report(cli, { url }, '');
}

function describe(demo: DemoGuild | undefined): Record<string, string> | null {
  if (!demo) return null;
  return { guild_id: demo.guildId, key: demo.key, user_id: demo.userId, external_id: demo.externalId };
}

/** The banner of `npm start`: everything needed for a first request, ready to paste. */
function demoBanner(url: string, demo: DemoGuild | undefined): string {
  return [
    `Votary is running at ${url}`,
    '',
    demo ? demoInstructions(url, demo) : OWN_GUILDS,
    '',
    STOP_HINT,
  ].join('\n');
}

const STOP_HINT = 'Stop with Ctrl+C.';

const OWN_GUILDS = [
  'This database already has guilds, so no demo guild was added.',
  'See them with:    npm run -s votary -- guild list',
  'Show a key with:  npm run -s votary -- key show <guild_id>',
].join('\n');

function demoInstructions(url: string, demo: DemoGuild): string {
  const calls = [
    ['Has this user voted in the last hour?', `/v7/vote-check?discord_id=${demo.userId}`],
    ['The same, by their in-game name:', `/v7/vote-check?external_id=${demo.externalId}`],
    ['All votes of this month (Premium):', '/v7/guild/votes'],
    ['The votes of one user (Premium):', `/v7/guild/votes/users/${demo.userId}`],
  ];
  return [
    `Guild    ${demo.guildId}  ${demo.name}, with sample votes`,
    `API key  ${demo.key}`,
    '',
    'Open in a browser (it warns once: the certificate is self-signed):',
    ...pages(url, demo).map(([name, address]) => `  ${name.padEnd(12)}${address}`),
    '',
    'Paste one of these into another terminal (-k: the certificate is self-signed):',
    ...calls.map(([question, path]) => `\n# ${question}\n${curl(url + path, demo.key)}`),
  ].join('\n');
}

function pages(url: string, demo: DemoGuild): [string, string][] {
  return [
    ['Vote', voteUrl(url, demo.guildId)],
    ['Dashboard', `${url}/dashboard`],
    ['API docs', `${url}/docs`],
  ];
}

function curl(address: string, key: string): string {
  return `curl -sk "${address}" -H "Authorization: Bearer ${key}"`;
}

/**
 * Ctrl+C reaches the whole process group, and npm and the launcher forward it, so one press arrives several times.
 * Signals this soon after the first count as the same press.
 */
export const SAME_PRESS_MS = 500;

export type StopSignals = {
  signals: EventEmitter;
  clock: Clock;
  stop: () => Promise<void>;
  /** On a second press: exits immediately. */
  exitNow: () => void;
};

/** Resolves after SIGINT or SIGTERM, once the service has stopped. */
export function stopOnSignals({ signals, clock, stop, exitNow }: StopSignals): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt === undefined) {
      firstAt = clock();
      stop().then(resolve, reject);
    } else if (clock() - firstAt >= SAME_PRESS_MS) {
      exitNow();
    }
  };
  signals.on('SIGINT', onSignal);
  signals.on('SIGTERM', onSignal);
  return promise;
}
