/** Draws cards in a separate thread, because a card takes tens of milliseconds. Everything it loads is in `CardFiles`. */
import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import type { ResvgRenderOptions } from '@resvg/resvg-js';
import { type CardContent, drawCard } from './card-drawing.ts';
import type { CardFiles } from './card-files.ts';
import type { OpenSvg } from './card-measure.ts';

export type CardJob = { id: number; content: CardContent };
export type CardResult = { id: number; png: Uint8Array } | { id: number; error: string };

type Resvg = new (svg: string, options: string) => ReturnType<OpenSvg>;

const { fonts, libraries }: CardFiles = workerData;
const LibraryResvg = loadResvg();

/** The library itself, without the module around it that looks for it on the disk. Options are passed as JSON. */
function loadResvg(): Resvg {
  const failures: unknown[] = [];
  for (const path of libraries) {
    const library: { exports: { Resvg?: Resvg } } = { exports: {} };
    try {
      process.dlopen(library, path);
    } catch (error) {
      failures.push(error);
    }
    if (library.exports.Resvg) return library.exports.Resvg;
  }
  throw new AggregateError(failures, 'the library that draws cards cannot be loaded');
}

/** System fonts are loaded only for scripts that ours do not cover, because that reads many files. */
const openSvg: OpenSvg = (svg, { usesSystem }) => {
  const font = { fontFiles: [...fonts], loadSystemFonts: usesSystem, defaultFontFamily: 'Noto Sans' };
  const options: ResvgRenderOptions = { font };
  return new LibraryResvg(svg, JSON.stringify(options));
};

parentPort?.on('message', ({ id, content }: CardJob) => {
  try {
    const png = drawCard(content, openSvg);
    parentPort?.postMessage({ id, png } satisfies CardResult);
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) } satisfies CardResult);
  }
});
