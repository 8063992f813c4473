/**
 * Turns an uploaded file into a banner that can be served: a JPEG file of a fixed size, upright, without the metadata
 * of the upload. Nothing of the upload itself is ever served (docs/decisions/0051-banners.md).
 *
 *   const encoder = createBannerEncoder();
 *   const jpeg = await encoder.encode(upload);   // throws BannerError
 */
import { Worker } from 'node:worker_threads';
import { SECOND_MS } from '../../domain/clock.ts';
import { readImageHeader } from '../../domain/image-header.ts';
import { BANNER_FILES, BANNER_WORKER } from './banner-files.ts';
import type { BannerJob } from './banner-worker.ts';
import { readOrientation } from './orientation.ts';
import { keepPixelChunks } from './png-chunks.ts';

export const MAX_UPLOAD_MEGABYTES = 5;
export const MAX_UPLOAD_BYTES = MAX_UPLOAD_MEGABYTES * 1024 * 1024;
/** Of each side. A picture of this size takes up to 300 MB while it is decoded. */
export const MAX_SIDE_PIXELS = 4096;

/** The largest accepted picture takes about two seconds of CPU time. */
const TIME_LIMIT_MS = 20 * SECOND_MS;
const MAX_WAITING = 4;
const WORKER_HEAP_MB = 128;

export type BannerFault = 'no-file' | 'too-large' | 'wrong-type' | 'too-many-pixels' | 'unreadable' | 'busy';

/** Why an upload cannot become a banner. */
export class BannerError extends Error {
  readonly fault: BannerFault;

  constructor(fault: BannerFault, options?: ErrorOptions) {
    super(fault, options);
    this.name = 'BannerError';
    this.fault = fault;
  }
}

export type BannerEncoder = { encode(upload: Buffer): Promise<Buffer> };

export type BannerEncoderOptions = { timeLimitMs?: number; worker?: URL };

/** Pictures are encoded one after another, because each can take much memory. */
export function createBannerEncoder(options: BannerEncoderOptions = {}): BannerEncoder {
  const { timeLimitMs = TIME_LIMIT_MS, worker = BANNER_WORKER } = options;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    async encode(upload) {
      const picture = checkUpload(upload);
      if (waiting >= MAX_WAITING) throw new BannerError('busy');
      waiting += 1;
      const encoded = last.then(() => encodeInThread(picture, worker, timeLimitMs));
      last = encoded
        .catch(() => {})
        .finally(() => {
          waiting -= 1;
        });
      return encoded;
    },
  };
}

/** Everything that can be checked without decoding. Returns what is to be decoded. */
function checkUpload(upload: Buffer): Buffer {
  if (upload.length === 0) throw new BannerError('no-file');
  if (upload.length > MAX_UPLOAD_BYTES) throw new BannerError('too-large');
  const header = readImageHeader(upload);
  if (header === undefined || header.isAnimated) throw new BannerError('wrong-type');
  if (Math.max(header.width, header.height) > MAX_SIDE_PIXELS) throw new BannerError('too-many-pixels');
  return header.type === 'png' ? keepPixelChunks(upload) : upload;
}

/** Each picture has a thread of its own: a decoder that failed is not used again, and its memory is released. */
function encodeInThread(picture: Buffer, code: URL | string, timeLimitMs: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const worker = new Worker(code, {
    eval: typeof code === 'string',
    workerData: {
      files: BANNER_FILES,
      picture: new Uint8Array(picture),
      orientation: readOrientation(picture),
    } satisfies BannerJob,
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
    // A decoder that fails writes to stderr.
    stderr: true,
  });
  const fail = (cause: unknown) => reject(new BannerError('unreadable', { cause }));
  const limit = setTimeout(() => fail(new Error('it took too long')), timeLimitMs);
  worker.once('message', (jpeg: Uint8Array) => resolve(Buffer.from(jpeg)));
  worker.once('error', fail);
  worker.once('exit', () => fail(new Error('the thread stopped')));
  return promise.finally(() => {
    clearTimeout(limit);
    void worker.terminate();
  });
}
