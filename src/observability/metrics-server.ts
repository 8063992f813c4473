import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { isLoopbackHost } from '../domain/address.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { type ListenTarget, toListenError } from '../http/listen.ts';
import { type Observed, watchLog } from './gauges.ts';
import { withTimeout } from './health.ts';
import type { PrometheusMetrics } from './prometheus.ts';

/** What is served: the metrics of this process, or those of its workers. */
type Exported = Pick<PrometheusMetrics, 'text' | 'contentType'>;

const FORBIDDEN_STATUS = 403;
const NOT_FOUND_STATUS = 404;

export type MetricsServer = { readonly port: number; close(): Promise<void> };

/** Serves `GET /metrics` on a separate port, without TLS. */
export async function startMetricsServer(
  metrics: Exported,
  { host, port }: ListenTarget,
): Promise<MetricsServer> {
  const isLocal = isLoopbackHost(host);
  const server = createServer((request, response) => {
    if (isLocal && !isLoopbackRequest(request)) refuse(response);
    else void answer(metrics, request, response);
  });
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw toListenError(error, { host, port }, 'VOTARY_METRICS_PORT', 'VOTARY_METRICS_HOST');
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      // Scrapes can be repeated, so open connections are closed.
      server.closeAllConnections();
      await closed;
    },
  };
}

function refuse(response: ServerResponse): void {
  const text = 'The metrics are only served under localhost, 127.0.0.1 or [::1].\n';
  response.writeHead(FORBIDDEN_STATUS, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
}

async function answer(metrics: Exported, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
    response.writeHead(NOT_FOUND_STATUS).end();
    return;
  }
  try {
    const text = await metrics.text();
    response.setHeader('Content-Type', metrics.contentType).end(text);
  } catch (error) {
    response.destroy(error instanceof Error ? error : undefined);
  }
}

/** A page of another site can reach this port through a name that resolves to 127.0.0.1 (DNS rebinding). */
function isLoopbackRequest({ headers }: IncomingMessage): boolean {
  const [, host] = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/.exec(headers.host ?? '') ?? [];
  return host !== undefined && isLoopbackHost(host);
}

/** The metrics of one registry, as a worker sends them to its primary. */
export type MetricSet = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A running worker; `scrape` rejects if it exits in the meantime. */
export type Scraped = { id: number; scrape(): Promise<MetricSet> };

export type WorkerGroup = {
  running(): Scraped[];
  /** Workers that were restarted since the service started. */
  restarts(): number;
};

/** A worker that does not respond within this time is skipped. */
const SCRAPE_TIMEOUT_MS = 2 * SECOND_MS;

/**
 * The metrics of several workers as those of one service: counters and histograms are added up, and so are most gauges.
 * Counters of workers that have ended stay in the sums, because Prometheus interprets a falling sum as a counter reset.
 */
export class WorkerMetrics implements Pick<PrometheusMetrics, 'text' | 'contentType'> {
  readonly #workers: WorkerGroup;
  readonly #own = new Registry();
  readonly #latest = new Map<number, MetricSet>();
  #ended: MetricSet = [];

  constructor(workers: WorkerGroup, log: Observed['log']) {
    this.#workers = workers;
    const registers = [this.#own];
    watchLog(this.#own, log);
    new Gauge({
      name: 'votary_workers',
      help: 'Running workers of serve --workers',
      registers,
      collect() {
        this.set(workers.running().length);
      },
    });
    new Counter({
      name: 'votary_worker_restarts_total',
      help: 'Workers that exited unexpectedly and were restarted',
      registers,
      collect() {
        this.reset();
        this.inc(workers.restarts());
      },
    });
  }

  get contentType(): string {
    return this.#own.contentType;
  }

  async text(): Promise<string> {
    const running = this.#workers.running();
    await Promise.all(running.map((worker) => this.#scrape(worker)));
    await this.#keepEnded(new Set(running.map(({ id }) => id)));
    const own = await this.#own.getMetricsAsJSON();
    return AggregatorRegistry.aggregate([...this.#latest.values(), this.#ended, own]).metrics();
  }

  /** Without a response, the previous values of the worker are used. */
  async #scrape({ id, scrape }: Scraped): Promise<void> {
    const answer = scrape().catch(() => undefined);
    const metrics = await withTimeout(answer, { timeLimitMs: SCRAPE_TIMEOUT_MS, fallback: undefined });
    if (metrics) this.#latest.set(id, metrics);
  }

  async #keepEnded(running: ReadonlySet<number>): Promise<void> {
    for (const [id, metrics] of this.#latest) {
      if (running.has(id)) continue;
      this.#latest.delete(id);
      const counted = metrics.filter(({ type }) => isCounted(String(type)));
      this.#ended = await AggregatorRegistry.aggregate([this.#ended, counted]).getMetricsAsJSON();
    }
  }
}

function isCounted(type: string): boolean {
  return type === 'counter' || type === 'histogram';
}
