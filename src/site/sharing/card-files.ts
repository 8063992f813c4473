/** What the thread that draws cards needs from the disk. It is started for the first card, and reads fonts for each. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemCode } from '../../domain/system-error.ts';
import { keepReadable, readWorker } from '../kept-files.ts';

/** Passed to the thread. */
export type CardFiles = {
  fonts: readonly string[];
  /** Native libraries for this system, of which the first that can be loaded is used. */
  libraries: readonly string[];
};

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

function findFonts(): string[] {
  const folder = join(FOLDER, 'fonts');
  const names = readdirSync(folder).filter((name) => name.endsWith('.ttf'));
  return names.map((name) => join(folder, name));
}

/** The package has one optional dependency for each system, and npm installs those that fit. */
function findLibraries(): string[] {
  const own = createRequire(join(FOLDER, 'card-files.js'));
  const manifest = own.resolve('@resvg/resvg-js/package.json');
  const { optionalDependencies }: { optionalDependencies: Record<string, string> } = own(manifest);
  const { resolve } = createRequire(manifest);
  return Object.keys(optionalDependencies).flatMap((name) => {
    try {
      return resolve(name);
    } catch (error) {
      if (systemCode(error) === 'MODULE_NOT_FOUND') return [];
      throw error;
    }
  });
}

export const CARD_FILES: CardFiles = {
  fonts: findFonts().map(keepReadable),
  libraries: findLibraries().map(keepReadable),
};

export const CARD_WORKER = readWorker(new URL('./card-worker.ts', import.meta.url));
