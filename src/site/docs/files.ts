import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openScalar } from './scalar.ts';

/** A file of the reference. The version changes with the content. */
export type DocsFile = { name: string; type: string; body: Buffer; version: string };

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

export const STYLES = readOwn('docs.css', TYPES.css);
/** Shows the reference with Scalar. */
export const START_SCRIPT = readOwn('reference.js', TYPES.js);
export const SCALAR_SCRIPT = 'scalar.js';

const readScalar = openScalar(new URL('../../', import.meta.url));
let scalar: Promise<DocsFile> | undefined;

/** Undefined if there is no such file. Rejects if it cannot be read; the next call tries again. */
export async function loadFile(name: string): Promise<DocsFile | undefined> {
  if (name !== SCALAR_SCRIPT || readScalar === undefined)
    return [STYLES, START_SCRIPT].find((file) => file.name === name);
  scalar ??= readScalar().then((body) => pack(SCALAR_SCRIPT, TYPES.js, body));
  scalar.catch(() => {
    scalar = undefined;
  });
  return scalar;
}

function readOwn(name: string, type: string): DocsFile {
  return pack(name, type, readFileSync(new URL(`public/${name}`, import.meta.url)));
}

function pack(name: string, type: string, body: Buffer): DocsFile {
  return { name, type, body, version: hash('sha256', body, 'hex').slice(0, 10) };
}
