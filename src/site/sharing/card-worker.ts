/** Draws cards in a separate thread, because a card takes tens of milliseconds. */
import { existsSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { Resvg } from '@resvg/resvg-js';
import { type CardContent, drawCard } from './card-drawing.ts';
import type { OpenSvg } from './card-measure.ts';

export type CardJob = { id: number; content: CardContent };
/** The first message: everything that the thread needs from the disk is loaded. */
export type WorkerReady = { isReady: true };
export type CardResult = { id: number; png: Uint8Array } | { id: number; error: string };

const FONT_FOLDER = join(import.meta.dirname, 'fonts');
const fontFiles = readdirSync(FONT_FOLDER)
  .filter((name) => name.endsWith('.ttf'))
  .map((name) => keepReadable(join(FONT_FOLDER, name)));

/**
 * The library reads the files for every card. On Linux, the path of an open file stays valid when the file is deleted or
 * replaced while the service runs.
 */
function keepReadable(path: string): string {
  const open = `/proc/self/fd/${openSync(path, 'r')}`;
  return existsSync(open) ? open : path;
}

/** System fonts are loaded only for scripts that ours do not cover, because that reads many files. */
const openSvg: OpenSvg = (svg, { usesSystem }) =>
  new Resvg(svg, { font: { fontFiles, loadSystemFonts: usesSystem, defaultFontFamily: 'Noto Sans' } });

parentPort?.on('message', ({ id, content }: CardJob) => {
  try {
    const png = drawCard(content, openSvg);
    parentPort?.postMessage({ id, png } satisfies CardResult);
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) } satisfies CardResult);
  }
});

parentPort?.postMessage({ isReady: true } satisfies WorkerReady);
