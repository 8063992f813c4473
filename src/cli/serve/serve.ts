import cluster from 'node:cluster';
import process from 'node:process';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Config, readConfig } from '../../config.ts';
import { type DemoGuild, seedDemo } from '../../demo.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import { loadCertificate } from '../../secrets/certificate.ts';
import { loadSecrets } from '../../secrets/master-secret.ts';
import type { Service } from '../../service.ts';
import type { Store } from '../../store/store.ts';
import { addExamples, type Cli, CommandFailure, withStore } from '../cli.ts';
import {
  announce,
  chooseLogLevel,
  LOG_FLUSH_MS,
  type ServeOptions,
  stopOnSignals,
  surviveFailedOutput,
} from './output.ts';
import { tuneV8 } from './v8-flags.ts';
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
  const announced = starting.then(async (service) => {
    tuneV8(cli);
    if (await untilReady(service)) announce(cli, service.url, isDemo, demo);
  });
  await Promise.all([announced, stopped]);
  // Unread output would keep the process alive.
  if (!(await standardLogOutput().flush(LOG_FLUSH_MS))) process.exit(0);
}

/** Stops a service whose database turns out to be unusable, so that its port is free and the error is the last line. */
async function untilReady(service: Service): Promise<boolean> {
  try {
    return await service.ready;
  } catch (error) {
    await service.stop();
    throw error;
  }
}

function seed(cli: Cli, acceptsNew: boolean): Promise<DemoGuild | undefined> {
  const add = async (store: Store, config: Config) =>
    seedDemo(store, await loadSecrets(config, store, { acceptsNew }), cli.clock);
  return withStore(cli, add, { mayCreate: true });
}

/** How long a worker may take to stop after its drain period: requests and webhooks have ten seconds each. */
const STOP_LIMIT_MS = 25 * SECOND_MS;

/**
 * The primary of several workers. It creates a self-signed certificate and adds demo data, which several processes must
 * not do at the same time. The first worker opens the database alone: it waits for one that cannot be reached, migrates
 * it and compares the master secret before the others start.
 */
async function serveWithWorkers(cli: Cli, options: ServeOptions, count: number): Promise<void> {
  const { demo: isDemo = false, acceptNewSecret = false } = options;
  const config = readConfig(cli.environment);
  if (config.database.kind === 'sqlite') {
    throw new CommandFailure(
      '--workers needs PostgreSQL, because SQLite is for one process: set VOTARY_DATABASE_URL to postgres://…, or leave --workers out',
    );
  }
  if (config.trustedProxies === null) await loadCertificate(config, cli.clock());
  const demo = isDemo ? await seed(cli, acceptNewSecret) : undefined;
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
  let isStopping = false;
  const starting = workers.start().catch((error: unknown) => {
    // A worker that is stopped while it waits for the database has not failed.
    if (!isStopping) throw error;
  });
  const stopped = stopOnSignals({
    signals: process,
    clock: cli.clock,
    stop: async () => {
      isStopping = true;
      logger.info('stopping');
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
    if (url !== undefined) {
      logger.info({ url, workers: count }, 'all workers are listening');
      announce(cli, url, isDemo, demo);
    }
    await stopped;
    logger.info('stopped');
  } finally {
    await workers.stop(stopTimeMs);
    await metrics?.close();
  }
  if (!(await output.flush(LOG_FLUSH_MS))) process.exit(0);
}

/** The one that opens the database before the others start. */
const FIRST_WORKER = 1;

/** One of several workers: stops when its primary asks for it or has exited. The primary handles a second Ctrl+C. */
async function serveAsWorker(
  cli: Cli,
  { demo: isDemo = false, acceptNewSecret = false }: ServeOptions,
): Promise<void> {
  const config = readConfig(cli.environment);
  const { startService } = await import('../../service.ts');
  const { standardLogOutput } = await import('../../observability/logging.ts');
  const logLevel = chooseLogLevel(cli, config, isDemo);
  const { worker } = cluster;
  // Otherwise Node would end the process immediately when the primary exits.
  if (worker) worker.exitedAfterDisconnect = true;
  // The primary opens the port for this process. Without a connection to the database, nothing else would keep the
  // process alive while it waits for that.
  process.channel?.ref();
  const { promise: stopRequested, resolve: stop } = Promise.withResolvers<void>();
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(event, () => stop());
  const starting = startService(config, {
    ...{ clock: cli.clock, logLevel, isDemo },
    ...(worker ? { worker: worker.id } : {}),
    acceptsNewSecret: acceptNewSecret && worker?.id === FIRST_WORKER,
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
    const service = await starting;
    tuneV8(cli);
    process.channel?.unref();
    const isReady = await Promise.race([untilReady(service), stopRequested.then(() => false)]);
    if (isReady) await tellPrimary({ votary: 'ready', url: service.url });
  } catch (error) {
    await tellPrimary({ votary: 'failed', message: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  }
  await stopRequested;
  await (await starting).stop();
  if (!(await standardLogOutput().flush(LOG_FLUSH_MS))) process.exit(0);
}

async function sendMetrics({ metrics }: Service, request: number): Promise<void> {
  const values = (await metrics?.registry.getMetricsAsJSON()) ?? [];
  await tellPrimary({ votary: 'metrics', request, metrics: values });
}

/** Resolves when it was sent, or if the primary can no longer read it. */
function tellPrimary(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.send?.(message, undefined, undefined, () => resolve()) === undefined) resolve();
  });
}
