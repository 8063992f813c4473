/** What the thread that encodes banners needs from the disk. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { keepReadable, readWorker } from '../kept-files.ts';

/** Passed to the thread. */
export type BannerFiles = { library: string; wasm: string };

const LIBRARY = createRequire(import.meta.url).resolve('@silvia-odwyer/photon-node');

export const BANNER_FILES: BannerFiles = {
  library: keepReadable(LIBRARY),
  wasm: keepReadable(join(dirname(LIBRARY), 'photon_rs_bg.wasm')),
};

export const BANNER_WORKER = readWorker(new URL('./banner-worker.ts', import.meta.url));
