import process from 'node:process';
import type { Command } from 'commander';
import { type Config, type LogLevel, readConfig } from '../config.ts';
import { type DemoGuild, seedDemo } from '../demo.ts';
import { deriveSecrets } from '../domain/secrets.ts';
import { loadMasterSecret } from '../ops/master-secret.ts';
import { addExamples } from './arguments.ts';
import { type Cli, report, withStore } from './cli.ts';
import { demoBanner } from './demo-banner.ts';
import { stopOnSignals } from './stop-on-signals.ts';

export function addServeCommand(program: Command, cli: Cli): void {
  const command = program
    .command('serve')
    .description('start the service; it is configured by VOTARY_… variables')
    .option(
      '--demo',
      'try it on this machine: demo sign-in, webhooks to this machine, and sample votes on an empty database',
    );
  addExamples(command, ['serve', 'serve --demo']);
  command.action(({ demo = false }: { demo?: boolean }) => serve(cli, demo));
}

async function serve(cli: Cli, isDemo: boolean): Promise<void> {
  const config = readConfig(cli.environment);
  const demo = isDemo ? await seed(cli) : undefined;
  // The web server is loaded for this command alone; all the others start faster without it.
  const { startService } = await import('../service.ts');
  const logLevel = chooseLogLevel(cli, config, isDemo);
  const starting = startService(config, { clock: cli.clock, logLevel, isDemo });
  // Heeded from the first moment: a signal that comes while the service starts stops it when it has.
  const stopped = stopOnSignals({
    signals: process,
    clock: cli.clock,
    stop: async () => (await starting).stop(),
    exitNow: () => process.exit(1),
  });
  await Promise.all([starting.then(({ url }) => announce(cli, url, isDemo, demo)), stopped]);
}

/** Logs share standard output with the banner, or the JSON document, and would bury it. */
function chooseLogLevel(cli: Cli, config: Config, isDemo: boolean): LogLevel {
  return config.logLevel ?? (isDemo || cli.wantsJson() ? 'warn' : 'info');
}

function announce(cli: Cli, url: string, isDemo: boolean, demo: DemoGuild | undefined): void {
  if (isDemo) report(cli, { url, demo: describe(demo) }, demoBanner(url, demo));
  // Otherwise the log says where the service listens, and standard output stays one JSON document a line.
  else if (cli.wantsJson()) report(cli, { url }, '');
}

function seed(cli: Cli): Promise<DemoGuild | undefined> {
  return withStore(cli, async (store, config) =>
    seedDemo(store, deriveSecrets(await loadMasterSecret(config)), cli.clock),
  );
}

function describe(demo: DemoGuild | undefined): Record<string, string> | null {
  if (!demo) return null;
  return { guild_id: demo.guildId, key: demo.key, user_id: demo.userId, external_id: demo.externalId };
}
