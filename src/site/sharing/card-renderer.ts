/**
 * Cards as PNG files, drawn one at a time by a worker thread that is started for the first one.
 *
 *   const cards = new CardRenderer();
 *   const png = await cards.get(key, () => content);   // cached by key, which stands for everything on the card
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CardContent, CardJob, CardResult } from './card-worker.ts';

const MAX_CACHE_BYTES = 16 * 1024 * 1024;
const MAX_WAITING = 20;
const WORKER_HEAP_MB = 64;

/** Too many cards are waiting to be drawn. */
export class CardQueueFull extends Error {}

type Waiting = { resolve(png: Buffer): void; reject(error: Error): void };

export class CardRenderer {
  readonly #maxCacheBytes: number;
  /** The most recently used card last. */
  readonly #cache = new Map<string, Buffer>();
  #cachedBytes = 0;
  readonly #pending = new Map<string, Promise<Buffer>>();
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor({ maxCacheBytes = MAX_CACHE_BYTES } = {}) {
    this.#maxCacheBytes = maxCacheBytes;
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
      return Promise.reject(new CardQueueFull('too many cards are waiting'));
    }
    const drawing = this.#drawAndKeep(key, load).finally(() => this.#pending.delete(key));
    this.#pending.set(key, drawing);
    return drawing;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #drawAndKeep(key: string, load: () => Promise<CardContent>): Promise<Buffer> {
    const png = await this.#draw(await load());
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

  #draw(content: CardContent): Promise<Buffer> {
    this.#lastId += 1;
    const job: CardJob = { id: this.#lastId, content };
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#waiting.set(job.id, { resolve, reject });
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage(job);
    return promise;
  }

  #startWorker(): Worker {
    // Compiled, the file has another extension.
    const file = new URL(`./card-worker${extname(import.meta.filename)}`, import.meta.url);
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB } });
    worker.unref();
    worker.on('message', (result: CardResult) => {
      const waiting = this.#waiting.get(result.id);
      this.#waiting.delete(result.id);
      if ('png' in result) waiting?.resolve(Buffer.from(result.png));
      else waiting?.reject(new Error(result.error));
    });
    const fail = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('the thread that draws cards has stopped')));
    return worker;
  }
}
