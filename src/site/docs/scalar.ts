/**
 * The script of Scalar, which shows the API reference. The package of Votary contains it as a file that `npm run build`
 * writes; a clone reads it from the development dependency, which has it as a string inside a module.
 */
import { createReadStream, existsSync, openSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';

export const SCALAR_PACKAGE = '@scalar/fastify-api-reference';

/** Where `npm run build` writes the script, under `dist` as under `src`. */
export const BUILT_SCRIPT = 'site/docs/public/scalar.js';

/**
 * Opens the file, so that the script can be read later even if an upgrade replaces the files of the running service.
 * Reading waits until the reference is first opened: the script takes 4 MB, and many processes never serve it.
 */
export function openScalar(): () => Promise<Buffer> {
  const built = new URL(`../../${BUILT_SCRIPT}`, import.meta.url);
  if (existsSync(built)) return opened(built);
  const readModule = opened(new URL(import.meta.resolve(SCALAR_PACKAGE)));
  return async () => Buffer.from(extractScript(String(await readModule())));
}

function opened(file: URL): () => Promise<Buffer> {
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
