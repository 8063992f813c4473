/**
 * The running process: opens everything in order and closes it in reverse.
 *
 *   const service = await startService(config, { clock: Date.now, logLevel: 'info' });
 *   await service.stop();
 */
import { Server as HttpsServer } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config, LogLevel } from './config.ts';
import { openDiscordApp } from './discord/app.ts';
import { discordUserAgent } from './discord/user-agent.ts';
import { type Clock, SECOND_MS } from './domain/clock.ts';
import { deriveSecrets } from './domain/secrets.ts';
import { closeGracefully, listen, trackConnections } from './http/listen.ts';
import type { Observed } from './observability/gauges.ts';
import { createLogger, standardLogOutput } from './observability/logging.ts';
import { countChanges, type Metrics, NO_METRICS } from './observability/metrics.ts';
import type { PrometheusMetrics } from './observability/prometheus.ts';
import { createLocalCountReport } from './observability/reports.ts';
import { mapStackTraces } from './observability/stack-traces.ts';
import { loadCertificate } from './secrets/certificate.ts';
import { loadMasterSecret, loadSecrets } from './secrets/master-secret.ts';
import { CertificateRenewal } from './secrets/renewal.ts';
import { buildServer, type Transport } from './server.ts';
import { openDownloads } from './site/docs/downloads.ts';
import { createBrand } from './site/layout/brand.ts';
import { createRefresher } from './site/profile/refresh.ts';
import { chooseSignIn } from './site/sign-in/choose-sign-in.ts';
import { DEMO_OPERATORS } from './site/sign-in/demo-sign-in.ts';
import { discordEndpoints } from './site/sign-in/discord-api.ts';
import { announceChanges, FeedWaiters } from './store/announce.ts';
import { createStore, lockForService } from './store/open.ts';
import { DEFAULT_RATE_LIMIT, MANAGE_RATE_LIMIT, type RateLimit } from './store/rates.ts';
import { openWhenReachable, tryToOpen } from './store/reachable.ts';
import { openWorkers } from './workers.ts';

export type Service = {
  /** The public URL. */
  url: string;
  /**
   * Resolves with true when the database is open: immediately, unless it could not be reached at the start. False if
   * the service was stopped before. Rejects if the database was reached and cannot be used; then stop the service.
   */
  ready: Promise<boolean>;
  /** Undefined without VOTARY_METRICS_PORT. */
  readonly metrics: PrometheusMetrics | undefined;
  /** Reads the certificate again. */
  reload(): Promise<void>;
  /** Keeps responding for the drain period, completes open requests, then releases all resources. */
  stop(): Promise<void>;
};

export type ServiceOptions = {
  clock: Clock;
  logLevel: LogLevel;
  rateLimit?: RateLimit;
  /**
   * `serve --demo`: demo sign-in and webhooks to this machine, if only local clients can reach it. Default: false.
   */
  isDemo?: boolean;
  /** `serve --accept-new-secret`. Default: false. */
  acceptsNewSecret?: boolean;
  /** The number of this worker of `serve --workers`, whose primary serves the metrics. */
  worker?: number;
};

export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const { clock, logLevel, isDemo = false, worker } = options;
  const { rateLimit = { ...DEFAULT_RATE_LIMIT, requests: config.rateLimit } } = options;
  const logger = createLogger(logLevel, undefined, {
    fields: worker === undefined ? {} : { worker },
    addresses: config.logAddresses,
  });
  const exported = await createExportedMetrics(config);
  const metrics: Metrics = exported ?? NO_METRICS;
  const transport = await chooseTransport(config, clock);
  const unopened = await createStore(config.database, {
    poolSize: config.poolSize,
    onQuery: metrics.databaseQuery,
    onLocalCount: createLocalCountReport({ clock, logger, metrics }),
  });
  const store = countChanges(unopened.store, metrics);
  // In the order in which they are called: what was opened last is closed first.
  const closers: (() => Promise<void>)[] = [() => store.close()];
  try {
    const { acceptsNewSecret: acceptsNew = false } = options;
    const openDatabase = () =>
      unopened.open(async (database) => void (await loadSecrets(config, database, { acceptsNew })));
    const unreachable = await tryToOpen(openDatabase);
    const lock = await lockForService(config.database);
    closers.push(async () => lock.release());
    if (lock.isTaken) logger.warn(SHARED_SQLITE);
    const secrets = deriveSecrets(await loadMasterSecret(config));
    const refresher = createRefresher({
      store,
      clock,
      icons: discordEndpoints(config.discordApi).icons,
      userAgent: discordUserAgent(config),
      logger,
    });
    closers.unshift(() => refresher.stop());
    const signIn = chooseSignIn(config, clock, { isDemo, onAdminGuilds: refresher.refresh });
    const discordApp = openDiscordApp(config, { clock, logger });
    const workers = openWorkers(config, {
      ...{ store, clock, random: Math.random, secrets, logger, metrics, discordApp },
      isDemo: signIn.isDemo,
    });
    closers.unshift(() => workers.stop());
    const { webhooks, tallies } = workers;
    const feedWaiters = new FeedWaiters(store.feed);
    const drain = { isDraining: false };
    const app = buildServer({
      store: announceChanges(store, {
        onVote: (guildId) => feedWaiters.notify(guildId),
        onEvents: (guildId) => webhooks.wake(guildId),
        onAccess: (guildId) => feedWaiters.notify(guildId),
      }),
      feedWaiters,
      clock,
      secrets,
      rateLimit,
      manageRateLimit: { ...MANAGE_RATE_LIMIT, requests: config.manageRateLimit },
      keepVotesDays: config.keepVotesDays,
      publicUrl: config.publicUrl,
      brand: createBrand(config.site),
      integrity: config,
      signIn,
      operators: new Set([...config.operators, ...(signIn.isDemo ? DEMO_OPERATORS : [])]),
      tallies,
      webhooks: webhooks.endpoints,
      discordApp: discordApp.endpoint,
      hasVoterRoles: discordApp.changeRole !== null,
      downloads: openDownloads((error) => logger.warn({ err: error }, 'the SDK could not be packed')),
      logger,
      metrics,
      transport,
      connectionLimits: config.connectionLimits,
      hsts: config.hsts,
      drain,
    });
    const connections = trackConnections(app.server);
    closers.unshift(() => closeGracefully(app, connections));
    // Completes requests that wait for a vote and the streams of live pages; otherwise the server would wait for them.
    closers.unshift(async () => feedWaiters.close());
    const renewal = keepCertificate(app, config, { transport, clock, logger });
    closers.unshift(async () => renewal?.stop());
    const database = config.database.kind;
    const log = standardLogOutput();
    const observed = { clock, store, database, feedWaiters, webhooks, log, certificate: renewal };
    const metricsServer = exported && (await exportMetrics(config, exported, observed, worker));
    closers.unshift(async () => metricsServer?.close());
    await listen(app, config);
    mapStackTraces();
    const url = config.publicUrl ?? ownUrl(app, config, transport);
    logger.info({ url, database }, 'listening');
    if (!signIn.isConfigured) logMissingSignIn(logger, isDemo);
    const waiting = new AbortController();
    let isOpen = unreachable === undefined;
    const opening = isOpen || waitForDatabase(openDatabase, { clock, logger, signal: waiting.signal });
    const ready = Promise.resolve(opening).then((isReady) => {
      isOpen = isReady;
      if (isReady) workers.start();
      return isReady;
    });
    // The caller that awaits `ready` handles the rejection; until then it must not end the process.
    ready.catch(() => undefined);
    const waitForProxies = async () => {
      waiting.abort();
      drain.isDraining = true;
      // A proxy sends no requests to a service that was never ready.
      if (isOpen) await pause(config.drainSeconds * SECOND_MS);
    };
    return {
      url,
      metrics: exported,
      ready,
      stop: () => stop([waitForProxies, ...closers], logger),
      reload: async () => renewal?.reload(),
    };
  } catch (error) {
    for (const close of closers) await close();
    throw error;
  }
}

/** Loads prom-client only if somebody can read the metrics (docs/decisions/0041-a-bundle.md). */
async function createExportedMetrics({ metricsPort }: Config): Promise<PrometheusMetrics | undefined> {
  if (metricsPort === null) return undefined;
  const { createMetrics } = await import('./observability/prometheus.ts');
  return createMetrics();
}

/** The metrics of a worker are served by its primary. */
async function exportMetrics(
  { metricsHost: host, metricsPort: port }: Config,
  metrics: PrometheusMetrics,
  observed: Observed,
  worker: number | undefined,
) {
  const { watchService } = await import('./observability/gauges.ts');
  const { startMetricsServer } = await import('./observability/metrics-server.ts');
  watchService(metrics.registry, observed);
  return port === null || worker !== undefined ? undefined : startMetricsServer(metrics, { host, port });
}

type WaitDeps = { clock: Clock; logger: Logger; signal: AbortSignal };

/** Requests get 503 in the meantime. Resolves with false when the signal ends the wait. */
async function waitForDatabase(
  open: () => Promise<void>,
  { clock, logger, signal }: WaitDeps,
): Promise<boolean> {
  try {
    await openWhenReachable({
      open,
      clock,
      pause: (delayMs) => pause(delayMs, undefined, { signal }),
      onWait: ({ message }) => logger.warn({ reason: message }, 'waiting for the database'),
    });
    logger.info('the database is open');
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

type RenewalDeps = { transport: Transport; clock: Clock; logger: Logger };

function keepCertificate(app: FastifyInstance, config: Config, { transport, ...deps }: RenewalDeps) {
  if (transport.kind !== 'tls' || !(app.server instanceof HttpsServer)) return undefined;
  return new CertificateRenewal({ ...deps, config, server: app.server, certificate: transport.certificate });
}

async function chooseTransport(config: Config, clock: Clock): Promise<Transport> {
  if (config.trustedProxies !== null) return { kind: 'proxy', trusted: config.trustedProxies };
  return { kind: 'tls', certificate: await loadCertificate(config, clock()) };
}

/** The local URL, which is enough for a demo; a public site sets VOTARY_PUBLIC_URL. */
function ownUrl(app: FastifyInstance, { host }: Config, transport: Transport): string {
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const name = host.includes(':') ? `[${host}]` : host;
  return `${transport.kind === 'tls' ? 'https' : 'http'}://${name}:${port}`;
}

const SHARED_SQLITE =
  'another service has this SQLite file open: each counts requests on its own, so limits are not shared; use PostgreSQL for several processes';

/** A warning with `--demo`, which needs sign-in. Without it, the operator may only want the API. */
function logMissingSignIn(logger: Logger, isDemo: boolean): void {
  const line = 'sign-in is not configured: set VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET';
  if (!isDemo) logger.info(line);
  else logger.warn(`${line}; demo sign-in needs a loopback VOTARY_HOST, no proxies and no public address`);
}

async function stop(closers: (() => Promise<void>)[], logger: Logger): Promise<void> {
  logger.info('stopping');
  for (const close of closers) await close();
  logger.info('stopped');
}
