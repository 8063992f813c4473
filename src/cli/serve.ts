import process from 'node:process';
import type { Command } from 'commander';
import { type Config, type LogLevel, readConfig } from '../config.ts';
import { type DemoGuild, seedDemo } from '../demo.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { loadSecrets } from '../secrets/master-secret.ts';
import { addExamples, type Cli, report, withStore } from './cli.ts';
import { stopOnSignals } from './stop-on-signals.ts';

type ServeOptions = { demo?: boolean; acceptNewSecret?: boolean };

/** How long to wait for the log of a stopped service. */
const LOG_FLUSH_MS = SECOND_MS;

export function addServeCommand(program: Command, cli: Cli): void {
  const command = program
    .command('serve')
    .description('start the service, configured by VOTARY_… variables')
    .option(
      '--demo',
      'try it on this machine: demo sign-in, webhooks to this machine, and sample votes on an empty database',
    )
    .option('--accept-new-secret', 'start even if the master secret does not match the database');
  addExamples(command, ['serve', 'serve --demo', 'serve --env-file /etc/votary/env']);
  command.action((options: ServeOptions) => serve(cli, options));
}

async function serve(
  cli: Cli,
  { demo: isDemo = false, acceptNewSecret = false }: ServeOptions,
): Promise<void> {
  const config = readConfig(cli.environment);
  const demo = isDemo ? await seed(cli, acceptNewSecret) : undefined;
  // The web server is only loaded for this command, so the others start faster.
  const { startService } = await import('../service.ts');
  const { standardLogOutput } = await import('../observability/logging.ts');
  const logLevel = chooseLogLevel(cli, config, isDemo);
  const starting = startService(config, {
    clock: cli.clock,
    logLevel,
    isDemo,
    acceptsNewSecret: acceptNewSecret,
  });
  // Registered first: a signal during startup stops the service once it has started.
  const stopped = stopOnSignals({
    signals: process,
    clock: cli.clock,
    stop: async () => (await starting).stop(),
    exitNow: () => process.exit(1),
  });
  process.on('SIGHUP', () => void starting.then((service) => service.reload()).catch(() => undefined));
  surviveFailedOutput(cli);
  await Promise.all([starting.then(({ url }) => announce(cli, url, isDemo, demo)), stopped]);
  // Unread output would keep the process alive.
  if (!(await standardLogOutput().flush(LOG_FLUSH_MS))) process.exit(0);
}

/** Other commands fail when their output cannot be written; a service continues. */
function surviveFailedOutput({ stdout }: Cli): void {
  stdout.removeAllListeners('error');
  stdout.on('error', () => {});
}

/** Logs share standard output with the banner or the JSON document and would hide it. */
function chooseLogLevel(cli: Cli, config: Config, isDemo: boolean): LogLevel {
  return config.logLevel ?? (isDemo || cli.wantsJson() ? 'warn' : 'info');
}

function announce(cli: Cli, url: string, isDemo: boolean, demo: DemoGuild | undefined): void {
  if (isDemo) report(cli, { url, demo: describe(demo) }, demoBanner(url, demo));
  // Otherwise the log contains the URL, and standard output stays one JSON document per line.
  else if (cli.wantsJson()) report(cli, { url }, '');
}

function seed(cli: Cli, acceptsNew: boolean): Promise<DemoGuild | undefined> {
  return withStore(cli, async (store, config) =>
    seedDemo(store, await loadSecrets(config, store, { acceptsNew }), cli.clock),
  );
}

function describe(demo: DemoGuild | undefined): Record<string, string> | null {
  if (!demo) return null;
  return { guild_id: demo.guildId, key: demo.key, user_id: demo.userId, external_id: demo.externalId };
}

/** The banner of `npm start`: everything needed for a first request, ready to paste. */
export function demoBanner(url: string, demo: DemoGuild | undefined): string {
  return [`Votary is running at ${url}`, '', demo ? introduce(url, demo) : OWN_GUILDS, '', STOP_HINT].join(
    '\n',
  );
}

const STOP_HINT = 'Stop with Ctrl+C.';

const OWN_GUILDS = [
  'This database already has guilds, so no demo guild was added.',
  'See them with:    npm run -s votary -- guild list',
  'Show a key with:  npm run -s votary -- key show <guild_id>',
].join('\n');

function introduce(url: string, demo: DemoGuild): string {
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
    ['Vote', `${url}/guild/${demo.guildId}/vote`],
    ['Dashboard', `${url}/dashboard`],
    ['API docs', `${url}/docs`],
  ];
}

function curl(address: string, key: string): string {
  return `curl -sk "${address}" -H "Authorization: Bearer ${key}"`;
}
