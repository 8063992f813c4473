/**
 * The metrics of several workers as those of one service: counters and histograms are added up, and so are most gauges.
 * Counters of workers that have ended stay in the sums, because Prometheus takes a sum that falls for a restart.
 */
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { SECOND_MS } from '../domain/clock.ts';
import { type Observed, watchLog } from './gauges.ts';
import { withinTime } from './health.ts';
import type { Metrics } from './metrics.ts';

/** The metrics of one registry, as a worker sends them to its primary. */
export type MetricSet = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A running worker; `scrape` rejects when it ends meanwhile. */
export type Scraped = { id: number; scrape(): Promise<MetricSet> };

export type WorkerGroup = {
  running(): Scraped[];
  /** Workers that were started again since the service started. */
  restarts(): number;
};

/** A worker that does not answer within this time is left out. */
const SCRAPE_TIMEOUT_MS = 2 * SECOND_MS;

export class WorkerMetrics implements Pick<Metrics, 'text' | 'contentType'> {
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
      help: 'Workers that ended unexpectedly and were started again',
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

  /** Without an answer, the previous values of the worker are used. */
  async #scrape({ id, scrape }: Scraped): Promise<void> {
    const answer = scrape().catch(() => undefined);
    const metrics = await withinTime(answer, { timeLimitMs: SCRAPE_TIMEOUT_MS, otherwise: undefined });
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
