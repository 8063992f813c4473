/**
 * What the thread that draws cards needs from the disk. The thread starts with the first card, and an upgrade may have
 * replaced the files by then: so they are opened when the service starts.
 */
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemCode } from '../../domain/system-error.ts';

/** Passed to the thread. */
export type CardFiles = {
  fonts: readonly string[];
  /** Native libraries for this system, of which the first that can be loaded is used. */
  libraries: readonly string[];
};

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/**
 * Native code and fonts are read for every card. On Linux, the path of an open file stays valid when the file is deleted
 * or replaced.
 */
function keepReadable(path: string): string {
  const open = `/proc/self/fd/${openSync(path, 'r')}`;
  return existsSync(open) ? open : path;
}

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

/** The code of the thread: its text in the package, where it is one file, and its source in a clone. */
export const CARD_WORKER: URL | string = readWorker();

function readWorker(): URL | string {
  const built = join(FOLDER, 'card-worker.cjs');
  return existsSync(built) ? readFileSync(built, 'utf8') : new URL('./card-worker.ts', import.meta.url);
}
