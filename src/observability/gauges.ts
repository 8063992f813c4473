/**
 * Values that are read when Prometheus scrapes, so that they cost nothing in between. Those that need the database are
 * cached for a few seconds, because there may be several scrapers.
 */
import process from 'node:process';
import { Counter, Gauge, type Registry } from 'prom-client';
import packageJson from '../../package.json' with { type: 'json' };
import { type Clock, type Instant, SECOND_MS } from '../domain/clock.ts';
import { ttlCache } from '../domain/ttl-cache.ts';
import type { Store } from '../store/store.ts';
import type { Backlog } from '../store/webhooks/store.ts';
import { withTimeout } from './health.ts';

/** What can be observed of a running service. */
export type Observed = {
  clock: Clock;
  database: 'sqlite' | 'postgres';
  store: Pick<Store, 'load' | 'ping' | 'maintenance'> & { webhooks: Pick<Store['webhooks'], 'backlog'> };
  feedWaiters: { readonly size: number };
  webhooks: { readonly inProgress: number };
  /** Undefined behind a proxy, which has the certificate. */
  certificate?: { readonly expiresAt: Instant } | undefined;
  log: { readonly dropped: number };
};

const BACKLOG_MAX_AGE_MS = 10 * SECOND_MS;
const BACKLOG_TIMEOUT_MS = 2 * SECOND_MS;

/** How the values of several workers are aggregated: they share the database and nothing else. */
const SAME_IN_ALL_WORKERS = 'max';
const ADDED = 'sum';

export function watchService(registry: Registry, observed: Observed): void {
  const { feedWaiters, webhooks, certificate, log } = observed;
  const gauge = (name: string, help: string, read: () => number, aggregator: 'sum' | 'max' = ADDED) =>
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  new Gauge({
    name: 'votary_build_info',
    help: 'Always 1; the labels identify the program',
    labelNames: ['version', 'node', 'database'],
    aggregator: 'first',
    registers: [registry],
  }).set({ version: packageJson.version, node: process.versions.node, database: observed.database }, 1);
  watchLog(registry, log);
  watchDatabase(registry, observed);
  watchBacklog(registry, observed);
  gauge(
    'votary_webhook_attempts_in_progress',
    'Webhook attempts that are waiting for a response',
    () => webhooks.inProgress,
  );
  gauge('votary_feed_waiters', 'Requests that are waiting for the next vote', () => feedWaiters.size);
  if (certificate) {
    const read = () => certificate.expiresAt / SECOND_MS;
    const name = 'votary_certificate_expiry_timestamp_seconds';
    gauge(name, 'When the certificate expires, as a Unix time', read, SAME_IN_ALL_WORKERS);
  }
}

/** Also counted by the primary of several workers, which writes their log. */
export function watchLog(registry: Registry, log: Observed['log']): void {
  new Counter({
    name: 'votary_log_lines_dropped_total',
    help: 'Log lines that were lost because the output was full or not read',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(log.dropped);
    },
  });
}

function watchDatabase(registry: Registry, { store, database }: Observed): void {
  const registers = [registry];
  new Gauge({
    name: 'votary_database_waiting',
    help: 'Queries that are waiting for a connection; on SQLite, queued writes',
    registers,
    collect() {
      this.set(store.load().waiting);
    },
  });
  if (database === 'sqlite') return;
  new Gauge({
    name: 'votary_database_pool_size',
    help: 'Maximum number of open connections to the database',
    registers,
    collect() {
      this.set(store.load().pool?.size ?? 0);
    },
  });
  new Gauge({
    name: 'votary_database_pool_connections',
    help: 'Open connections to the database, by state',
    labelNames: ['state'],
    registers,
    collect() {
      const { pool } = store.load();
      this.set({ state: 'used' }, pool?.used ?? 0);
      this.set({ state: 'idle' }, pool?.idle ?? 0);
    },
  });
}

type Observation = Backlog & { isMaintained: boolean };

/** If the database does not respond in time, or is read-only, the values are absent and `votary_database_up` is 0. */
function watchBacklog(registry: Registry, { store, clock }: Observed): void {
  const cache = ttlCache<Observation>({
    clock,
    maxAgeMs: BACKLOG_MAX_AGE_MS,
    maxEntries: 1,
    ageFrom: 'end',
  });
  const load = async (): Promise<Observation> => {
    await store.ping();
    const [backlog, maintenance] = await Promise.all([
      store.webhooks.backlog(clock()),
      store.maintenance.find(),
    ]);
    return { ...backlog, isMaintained: maintenance !== undefined };
  };
  const read = () =>
    withTimeout<Observation | undefined>(
      cache.get('', load).catch(() => undefined),
      { timeLimitMs: BACKLOG_TIMEOUT_MS, fallback: undefined },
    );
  const registers = [registry];
  const aggregator = SAME_IN_ALL_WORKERS;
  new Gauge({
    name: 'votary_database_up',
    help: 'Whether the database answered within two seconds and takes writes',
    aggregator: 'min',
    registers,
    async collect() {
      this.set((await read()) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'votary_maintenance',
    help: 'Whether votes are refused because of maintenance',
    aggregator,
    registers,
    async collect() {
      const observed = await read();
      if (!observed) return this.remove();
      this.set(observed.isMaintained ? 1 : 0);
    },
  });
  new Gauge({
    name: 'votary_webhook_deliveries_pending',
    help: 'Webhooks that are not delivered: due now, scheduled for later, or held by a paused endpoint',
    labelNames: ['state'],
    aggregator,
    registers,
    async collect() {
      this.reset();
      const backlog = await read();
      if (!backlog) return;
      for (const state of ['due', 'scheduled', 'held'] as const) this.set({ state }, backlog[state]);
    },
  });
  new Gauge({
    name: 'votary_webhook_oldest_due_age_seconds',
    help: 'How long the webhook that waits longest is overdue',
    aggregator,
    registers,
    async collect() {
      const backlog = await read();
      if (!backlog) return this.remove();
      this.set(backlog.dueSince === null ? 0 : Math.max(0, clock() - backlog.dueSince) / SECOND_MS);
    },
  });
}
