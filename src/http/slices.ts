/**
 * Sends large content in slices. Sent as a whole it would be encrypted as a whole, and each client that reads slowly
 * would hold a copy. All downloads together send 16 slices in a tick: 500 clients that do not read make the system
 * buffer up to 2 GB, which would otherwise delay every other request for seconds.
 */
import { Readable } from 'node:stream';
import { spreadOverTicks } from './ticks.ts';

export const SLICE_BYTES = 16 * 1024;
const sendSoon = spreadOverTicks(16);

/** `next` is called when the client has read the previous slice; it returns null at the end. */
export function streamSlices(next: () => Buffer | string | null): Readable {
  return new Readable({
    highWaterMark: SLICE_BYTES,
    read() {
      sendSoon(() => {
        if (!this.destroyed) this.push(next());
      });
    },
  });
}

/** The slices share the memory of the content. */
export function streamContent(content: Buffer): Readable {
  let at = 0;
  return streamSlices(() => {
    const slice = at < content.length ? content.subarray(at, at + SLICE_BYTES) : null;
    at += SLICE_BYTES;
    return slice;
  });
}
