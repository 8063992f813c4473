import cluster from 'node:cluster';
import process from 'node:process';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readConfig } from '../../config.ts';
import { type DemoGuild, seedDemo } from '../../demo.ts';
import { loadSecrets } from '../../secrets/master-secret.ts';
import { addExamples, type Cli, withStore } from '../cli.ts';
import { announce, chooseLogLevel, LOG_FLUSH_MS, type ServeOptions, surviveFailedOutput } from './output.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { serveAsWorker, serveWithWorkers } from './with-workers.ts';

const MAX_WORKERS = 128;

export function addServeCommand(program: Command, cli: Cli): void {
  const command = program
    .command('serve')
    .description('start the service, configured by VOTARY_… variables')
    .option(
      '--demo',
      'try it on this machine: demo sign-in, webhooks to this machine, and sample votes on an empty database',
    )
    .option('--accept-new-secret', 'start even if the master secret does not match the database');
  command.addOption(
    new Option('--workers <count>', 'number of processes that share the port (PostgreSQL only)').argParser(
      parseWorkers,
    ),
  );
  addExamples(command, ['serve', 'serve --demo', 'serve --workers 4 --env-file /etc/votary/env']);
  command.action((options: ServeOptions) => {
    if (cluster.isWorker) return serveAsWorker(cli, options);
    return options.workers === undefined
      ? serve(cli, options)
      : serveWithWorkers(cli, options, options.workers);
  });
}

function parseWorkers(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > MAX_WORKERS) {
    throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_WORKERS}.`);
  }
  return Number(text);
}

async function serve(
  cli: Cli,
  { demo: isDemo = false, acceptNewSecret = false }: ServeOptions,
): Promise<void> {
  const config = readConfig(cli.environment);
  const demo = isDemo ? await seed(cli, acceptNewSecret) : undefined;
  // The web server is only loaded for this command, so the others start faster.
  const { startService } = await import('../../service.ts');
  const { standardLogOutput } = await import('../../observability/logging.ts');
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

function seed(cli: Cli, acceptsNew: boolean): Promise<DemoGuild | undefined> {
  return withStore(cli, async (store, config) =>
    seedDemo(store, await loadSecrets(config, store, { acceptsNew }), cli.clock),
  );
}
