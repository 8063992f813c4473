import cluster from 'node:cluster';
import process from 'node:process';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Config, readConfig } from '../../config.ts';
import { type DemoGuild, seedDemo } from '../../demo.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import { loadCertificate } from '../../secrets/certificate.ts';
import { loadSecrets } from '../../secrets/master-secret.ts';
import type { Service } from '../../service.ts';
import { addExamples, type Cli, CommandFailure, withStore } from '../cli.ts';
import {
  announce,
  chooseLogLevel,
  LOG_FLUSH_MS,
  type ServeOptions,
  stopOnSignals,
  surviveFailedOutput,
} from './output.ts';
import { type FromWorker, type ToWorker, Workers } from './workers.ts';

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

/** How long a worker may take to stop after its drain period: requests and webhooks have ten seconds each. */
const STOP_LIMIT_MS = 25 * SECOND_MS;

/**
 * The primary of several workers. It does once what must not be done by several processes at the same time: migrate,
 * compare the master secret, create a self-signed certificate, add demo data.
 */
async function serveWithWorkers(cli: Cli, options: ServeOptions, count: number): Promise<void> {
  const { demo: isDemo = false, acceptNewSecret = false } = options;
  const config = readConfig(cli.environment);
  if (config.database.kind === 'sqlite') {
    throw new CommandFailure(
      '--workers needs PostgreSQL, because SQLite is for one process: set VOTARY_DATABASE_URL to postgres://…, or leave --workers out',
    );
  }
  const demo = await prepare(cli, config, { isDemo, acceptNewSecret });
  const { createLogger, standardLogOutput } = await import('../../observability/logging.ts');
  const { startMetricsServer } = await import('../../observability/metrics-server.ts');
  const { WorkerMetrics } = await import('../../observability/metrics-server.ts');
  const output = standardLogOutput();
  const logger = createLogger(chooseLogLevel(cli, config, isDemo), undefined, {
    addresses: config.logAddresses,
  });
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const workers = new Workers({ count, fork: () => cluster.fork(), logger, clock: cli.clock, output });
  const { metricsHost: host, metricsPort: port } = config;
  const metrics =
    port === null ? null : await startMetricsServer(new WorkerMetrics(workers, output), { host, port });
  const stopTimeMs = config.drainSeconds * SECOND_MS + STOP_LIMIT_MS;
  const starting = workers.start();
  const stopped = stopOnSignals({
    signals: process,
    clock: cli.clock,
    stop: async () => {
      logger.info('stopping');
      await starting.catch(() => undefined);
      await workers.stop(stopTimeMs);
    },
    exitNow: () => {
      workers.killAll();
      process.exit(1);
    },
  });
  process.on('SIGHUP', () => workers.reload());
  surviveFailedOutput(cli);
  try {
    const url = await starting;
    logger.info({ url, workers: count }, 'all workers are listening');
    announce(cli, url, isDemo, demo);
    await stopped;
    logger.info('stopped');
  } finally {
    await workers.stop(stopTimeMs);
    await metrics?.close();
  }
  if (!(await output.flush(LOG_FLUSH_MS))) process.exit(0);
}

type Preparation = { isDemo: boolean; acceptNewSecret: boolean };

function prepare(
  cli: Cli,
  config: Config,
  { isDemo, acceptNewSecret: acceptsNew }: Preparation,
): Promise<DemoGuild | undefined> {
  return withStore(cli, async (store) => {
    const secrets = await loadSecrets(config, store, { acceptsNew });
    if (config.trustedProxies === null) await loadCertificate(config, cli.clock());
    return isDemo ? seedDemo(store, secrets, cli.clock) : undefined;
  });
}

/** One of several workers: stops when its primary asks for it or has exited. The primary handles a second Ctrl+C. */
async function serveAsWorker(cli: Cli, { demo: isDemo = false }: ServeOptions): Promise<void> {
  const config = readConfig(cli.environment);
  const { startService } = await import('../../service.ts');
  const { standardLogOutput } = await import('../../observability/logging.ts');
  const logLevel = chooseLogLevel(cli, config, isDemo);
  const { worker } = cluster;
  // Otherwise Node would end the process immediately when the primary exits.
  if (worker) worker.exitedAfterDisconnect = true;
  const { promise: stopRequested, resolve: stop } = Promise.withResolvers<void>();
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(event, () => stop());
  const starting = startService(config, {
    ...{ clock: cli.clock, logLevel, isDemo },
    ...(worker ? { worker: worker.id } : {}),
  });
  const reload = () => void starting.then((service) => service.reload()).catch(() => undefined);
  process.on('SIGHUP', reload);
  process.on('message', (message: ToWorker) => {
    if (message.votary === 'stop') stop();
    if (message.votary === 'reload') reload();
    if (message.votary === 'metrics') void starting.then((service) => sendMetrics(service, message.request));
  });
  surviveFailedOutput(cli);
  try {
    const { url } = await starting;
    await tellPrimary({ votary: 'ready', url });
  } catch (error) {
    await tellPrimary({ votary: 'failed', message: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  }
  await stopRequested;
  await (await starting).stop();
  if (!(await standardLogOutput().flush(LOG_FLUSH_MS))) process.exit(0);
}

async function sendMetrics({ metrics }: Service, request: number): Promise<void> {
  await tellPrimary({ votary: 'metrics', request, metrics: await metrics.registry.getMetricsAsJSON() });
}

/** Resolves when it was sent, or if the primary can no longer read it. */
function tellPrimary(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.send?.(message, undefined, undefined, () => resolve()) === undefined) resolve();
  });
}
