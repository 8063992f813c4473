import { hash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { type Clock, DAY_MS, type Instant, SECOND_MS } from '../../domain/clock.ts';
import type { CardContent } from './card-drawing.ts';
import { CARD_FILES, CARD_WORKER } from './card-files.ts';
import type { CardJob, CardResult } from './card-worker.ts';

export type CardRendererOptions = {
  clock: Clock;
  /** A card is drawn without its pictures and system fonts, because drawing all of it failed. */
  onSimplified(error: Error): void;
  maxCacheBytes?: number;
  workerFile?: URL;
};

/** No card can be drawn now: too many are waiting, or even the simple version takes too long. */
export class CardUnavailable extends Error {}

const MAX_CACHE_BYTES = 16 * 1024 * 1024;
const MAX_WAITING = 20;
const WORKER_HEAP_MB = 64;

/** A card takes a tenth of a second, or a few when the system has many fonts and the name needs them. */
export const DRAWING_LIMIT_MS = 5 * SECOND_MS;
/** How long a card is drawn in its simple version at once. A busy machine may have caused the failure. */
export const SIMPLE_MS = DAY_MS;
const MAX_SIMPLE = 1000;
/** A thread stops only when its native call returns, so more than one may still be running. */
const MAX_STOPPING = 2;

type Job = CardJob & { resolve(png: Buffer): void; reject(error: Error): void };
type Running = { job: Job; limit: NodeJS.Timeout };

/**
 * Cards as PNG files, drawn one at a time by a worker thread, which is started for the first one. A card that takes
 * too long is abandoned with its thread, and drawn without what can be slow: the pictures, and the fonts of the system.
 *
 *   const cards = new CardRenderer({ clock, onSimplified });
 *   const png = await cards.get(key, () => content);   // cached by key, which stands for everything on the card
 */
export class CardRenderer {
  readonly #options: CardRendererOptions;
  readonly #maxCacheBytes: number;
  /** The most recently used card last. */
  readonly #cache = new Map<string, Buffer>();
  #cachedBytes = 0;
  readonly #pending = new Map<string, Promise<Buffer>>();
  /** What was drawn in its simple version, and until when it is. The oldest first. */
  readonly #simple = new Map<string, Instant>();
  readonly #queue: Job[] = [];
  #running: Running | undefined;
  #worker: Worker | undefined;
  #stopping = 0;
  #lastId = 0;
  #isClosed = false;

  constructor(options: CardRendererOptions) {
    this.#options = options;
    this.#maxCacheBytes = options.maxCacheBytes ?? MAX_CACHE_BYTES;
  }

  /** Whether `get` would have to draw this card. */
  needsDrawing(key: string): boolean {
    return !this.#cache.has(key) && !this.#pending.has(key);
  }

  get(key: string, load: () => Promise<CardContent>): Promise<Buffer> {
    const cached = this.#cache.get(key);
    if (cached) {
      this.#cache.delete(key);
      this.#cache.set(key, cached);
      return Promise.resolve(cached);
    }
    const pending = this.#pending.get(key);
    if (pending) return pending;
    if (this.#pending.size >= MAX_WAITING) {
      return Promise.reject(new CardUnavailable('too many cards are waiting'));
    }
    const drawing = this.#drawAndKeep(key, load).finally(() => this.#pending.delete(key));
    this.#pending.set(key, drawing);
    return drawing;
  }

  /** Cards that are being drawn, or wait, fail with `CardUnavailable`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#queue.splice(0)) reject(new CardUnavailable('closed'));
    await this.#worker?.terminate();
  }

  async #drawAndKeep(key: string, load: () => Promise<CardContent>): Promise<Buffer> {
    const png = await this.#drawOrSimplify(await load());
    this.#keep(key, png);
    return png;
  }

  #keep(key: string, png: Buffer): void {
    this.#cache.set(key, png);
    this.#cachedBytes += png.length;
    for (const [oldest, { length }] of this.#cache) {
      if (this.#cachedBytes <= this.#maxCacheBytes) break;
      this.#cache.delete(oldest);
      this.#cachedBytes -= length;
    }
  }

  async #drawOrSimplify(content: CardContent): Promise<Buffer> {
    const subject = hash('sha256', JSON.stringify([content.name, content.icon, content.banner]));
    const now = this.#options.clock();
    if ((this.#simple.get(subject) ?? now) <= now) {
      try {
        return await this.#draw(content);
      } catch (cause) {
        if (this.#isClosed) throw new CardUnavailable('closed');
        this.#rememberSimple(subject, now);
        this.#options.onSimplified(
          new Error(`the card of ${JSON.stringify(content.name)} failed`, { cause }),
        );
      }
    }
    try {
      return await this.#draw({ ...content, icon: null, banner: null, usesSystemFonts: false });
    } catch (cause) {
      throw new CardUnavailable('the card cannot be drawn', { cause });
    }
  }

  #rememberSimple(subject: string, now: Instant): void {
    this.#simple.delete(subject);
    this.#simple.set(subject, now + SIMPLE_MS);
    const [oldest] = this.#simple.keys();
    if (this.#simple.size > MAX_SIMPLE && oldest !== undefined) this.#simple.delete(oldest);
  }

  #draw(content: CardContent): Promise<Buffer> {
    if (this.#isClosed) return Promise.reject(new CardUnavailable('closed'));
    this.#lastId += 1;
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#queue.push({ id: this.#lastId, content, resolve, reject });
    this.#drawNext();
    return promise;
  }

  #drawNext(): void {
    if (this.#running || (!this.#worker && this.#stopping >= MAX_STOPPING)) return;
    const job = this.#queue.shift();
    if (!job) return;
    this.#worker ??= this.#startWorker();
    const limit = setTimeout(() => this.#abandon(), DRAWING_LIMIT_MS);
    limit.unref();
    this.#running = { job, limit };
    this.#worker.postMessage({ id: job.id, content: job.content } satisfies CardJob);
  }

  /** The next card is drawn by another thread, so that it does not wait for this one to stop. */
  #abandon(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#stopping += 1;
    void worker?.terminate().finally(() => {
      this.#stopping -= 1;
      this.#drawNext();
    });
    this.#finish()?.reject(new Error(`drawing took longer than ${DRAWING_LIMIT_MS / SECOND_MS} s`));
    this.#drawNext();
  }

  #finish(): Job | undefined {
    const running = this.#running;
    clearTimeout(running?.limit);
    this.#running = undefined;
    return running?.job;
  }

  #startWorker(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: WORKER_HEAP_MB };
    const code = this.#options.workerFile ?? CARD_WORKER;
    const isText = typeof code === 'string';
    const worker = new Worker(code, { resourceLimits, workerData: CARD_FILES, eval: isText });
    worker.unref();
    worker.on('message', (result: CardResult) => {
      if (this.#running?.job.id !== result.id) return;
      const job = this.#finish();
      if ('png' in result) job?.resolve(Buffer.from(result.png));
      else job?.reject(new Error(result.error));
      this.#drawNext();
    });
    const fail = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#finish()?.reject(error);
      this.#drawNext();
    };
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('the thread that draws cards has stopped')));
    return worker;
  }
}
