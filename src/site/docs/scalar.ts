/**
 * The script of Scalar, which shows the API reference. The package of Votary contains it as a file that `npm run build`
 * writes; a clone reads it from the development dependency, which has it as a string inside a module.
 */
import { createReadStream, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import { systemCode } from '../../domain/system-error.ts';

export const SCALAR_PACKAGE = '@scalar/fastify-api-reference';

/** Where `npm run build` writes the script, under `dist` as under `src`. */
export const BUILT_SCRIPT = 'site/docs/public/scalar.js';

/**
 * Opens the file, so that the script can be read later even if an upgrade replaces the files of the running service.
 * Reading waits until the reference is first opened: the script takes 4 MB, and many processes never serve it.
 * Undefined in a clone that was installed without development dependencies. `root` is `src` or `dist`.
 */
export function openScalar(root: URL): (() => Promise<Buffer>) | undefined {
  const built = new URL(BUILT_SCRIPT, root);
  if (existsSync(built)) return opened(built);
  const installed = findModule(root);
  if (installed === undefined) return undefined;
  const readModule = opened(installed);
  return async () => Buffer.from(extractScript(String(await readModule())));
}

function findModule(root: URL): string | undefined {
  try {
    return createRequire(root).resolve(SCALAR_PACKAGE);
  } catch (error) {
    if (systemCode(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function opened(file: URL | string): () => Promise<Buffer> {
  const fd = openSync(file, 'r');
  return () => buffer(createReadStream('', { fd, start: 0, autoClose: false }));
}

/** The string is a constant of the module, on a line of its own. Importing the module would load the packages it needs. */
export function extractScript(module: string): string {
  const [, literal] = /^var standalone_default = (".*");$/m.exec(module) ?? [];
  if (literal === undefined)
    throw new Error(`the script of the API reference was not found in ${SCALAR_PACKAGE}`);
  return String(runInNewContext(literal));
}
