/**
 * `serve --workers N`: a primary process that starts N workers, which share its port, and replaces those that end. The
 * primary accepts connections and distributes them round-robin; it also writes the log of all workers, because lines that
 * several processes write to one pipe can get mixed up.
 *
 *   const workers = new Workers({ count: 4, fork: () => cluster.fork(), logger, clock, output });
 *   const url = await workers.start();
 *   await workers.stop(timeLimitMs);
 */
import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import type { MetricSet, Scraped, WorkerGroup } from '../../observability/metrics-server.ts';
import { CommandFailure } from '../cli.ts';

/** Messages from the primary to a worker. */
export type ToWorker = { votary: 'stop' } | { votary: 'reload' } | { votary: 'metrics'; request: number };

/** Messages from a worker to the primary. */
export type FromWorker =
  | { votary: 'ready'; url: string }
  | { votary: 'failed'; message: string }
  | { votary: 'metrics'; request: number; metrics: MetricSet };

/** The part of a cluster worker that is needed. */
export type Forked = EventEmitter & {
  id: number;
  process: Pick<ChildProcess, 'kill'> & { stdout: Readable | null };
  isConnected(): boolean;
  send(message: ToWorker, done: (error: Error | null) => void): unknown;
};

export type WorkersDeps = {
  count: number;
  fork: () => Forked;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  clock: Clock;
  /** Where the log lines of the workers go. */
  output: { write(line: string): void };
};

const FIRST_DELAY_MS = SECOND_MS;
const MAX_DELAY_MS = 30 * SECOND_MS;
/** A worker that has run this long is not in a crash loop. */
const STABLE_MS = MINUTE_MS;

/** The first restart is immediate; then the delay doubles for as long as workers exit soon after their start. */
export function restartDelayMs(crashes: number): number {
  return crashes <= 1 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (crashes - 2), MAX_DELAY_MS);
}

export class Workers implements WorkerGroup {
  readonly #deps: WorkersDeps;
  readonly #running = new Map<number, Forked>();
  readonly #restarting = new Set<NodeJS.Timeout>();
  readonly #scrapes = new Map<number, PromiseWithResolvers<MetricSet>>();
  #requests = 0;
  #restarts = 0;
  #isStopping = false;
  #onEmpty = (): void => {};

  constructor(deps: WorkersDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with the URL when all workers listen. The first one starts alone, because its startup errors would affect
   * all of them.
   */
  async start(): Promise<string> {
    const url = await this.#startOne();
    if (this.#isStopping) return url;
    await Promise.all(Array.from({ length: this.#deps.count - 1 }, () => this.#startOne()));
    return url;
  }

  running(): Scraped[] {
    return [...this.#running.values()].map((worker) => ({
      id: worker.id,
      scrape: () => this.#scrape(worker),
    }));
  }

  restarts(): number {
    return this.#restarts;
  }

  /** Makes every worker reload its certificate. */
  reload(): void {
    this.#tellAll({ votary: 'reload' });
  }

  /** Every worker drains and stops; after `timeLimitMs` those that are left are killed. */
  async stop(timeLimitMs: number): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#restarting) clearTimeout(timer);
    const { promise: empty, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    if (this.#running.size === 0) return;
    this.#tellAll({ votary: 'stop' });
    const deadline = setTimeout(() => {
      this.#deps.logger.warn({ workers: this.#running.size }, 'workers did not stop in time and were killed');
      this.killAll();
    }, timeLimitMs);
    await empty;
    clearTimeout(deadline);
  }

  killAll(): void {
    for (const worker of this.#running.values()) worker.process.kill('SIGKILL');
  }

  /** `crashes`: how many workers before this one exited soon after their start; 0 when the service starts. */
  #startOne(crashes = 0): Promise<string> {
    const worker = this.#deps.fork();
    const startedAt = this.#deps.clock();
    this.#running.set(worker.id, worker);
    if (worker.process.stdout) relayLines(worker.process.stdout, this.#deps.output);
    const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
    let isReady = false;
    let failure: string | undefined;
    worker.on('message', (message: FromWorker) => {
      if (message.votary === 'metrics') this.#scrapes.get(message.request)?.resolve(message.metrics);
      if (message.votary === 'failed') failure = message.message;
      if (message.votary !== 'ready') return;
      isReady = true;
      resolve(message.url);
    });
    const onEnd = (code: number | null, signal: string | null): void => {
      this.#running.delete(worker.id);
      reject(
        new CommandFailure(failure ?? `worker ${worker.id} exited while it was starting (${signal ?? code})`),
      );
      if (this.#isStopping) {
        if (this.#running.size === 0) this.#onEmpty();
        // Otherwise the start has failed, and with it the service.
      } else if (isReady || crashes > 0) {
        const exit = { worker: worker.id, code, signal, ...(failure === undefined ? {} : { failure }) };
        this.#restart(exit, isStable(startedAt, this.#deps.clock()) ? 1 : crashes + 1);
      }
    };
    worker.once('exit', (code: number | null, signal: string | null) => {
      // Its last messages may not have been read yet.
      if (worker.isConnected()) worker.once('disconnect', () => onEnd(code, signal));
      else onEnd(code, signal);
    });
    return ready;
  }

  #restart(exit: { worker: number; code: number | null; signal: string | null }, crashes: number): void {
    const delayMs = restartDelayMs(crashes);
    this.#deps.logger.error({ ...exit, restartInMs: delayMs }, 'a worker exited and will be restarted');
    this.#restarts += 1;
    const timer = setTimeout(() => {
      this.#restarting.delete(timer);
      // If it fails, that is handled like the exit of any other worker.
      this.#startOne(crashes).catch(() => undefined);
    }, delayMs);
    this.#restarting.add(timer);
  }

  async #scrape(worker: Forked): Promise<MetricSet> {
    this.#requests += 1;
    const request = this.#requests;
    const answer = Promise.withResolvers<MetricSet>();
    this.#scrapes.set(request, answer);
    const onExit = () => answer.reject(new Error('the worker has exited'));
    worker.once('exit', onExit);
    worker.send({ votary: 'metrics', request }, (error) => error && answer.reject(error));
    try {
      return await answer.promise;
    } finally {
      this.#scrapes.delete(request);
      worker.removeListener('exit', onExit);
    }
  }

  /** If a message cannot be sent, the worker has exited, which is handled elsewhere. */
  #tellAll(message: ToWorker): void {
    for (const worker of this.#running.values()) worker.send(message, () => {});
  }
}

function isStable(startedAt: Instant, now: Instant): boolean {
  return now - startedAt >= STABLE_MS;
}

/** Only whole lines are written, so that those of different workers never mix. */
export function relayLines(from: Readable, to: { write(line: string): void }): void {
  let rest = '';
  from.setEncoding('utf8');
  from.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) to.write(`${line}\n`);
  });
  from.on('end', () => {
    if (rest !== '') to.write(`${rest}\n`);
  });
}
