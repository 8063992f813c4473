import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openScalar } from './scalar.ts';

/** A file of the reference. The version changes with the content. */
type DocsFile = { type: string; body: Buffer; version: string };

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

const [styles, script] = [readOwn('docs.css', TYPES.css), readOwn('reference.js', TYPES.js)];
const readScalar = openScalar();

export const FILES = {
  'docs.css': async () => styles,
  'reference.js': async () => script,
  'scalar.js': async () => pack(TYPES.js, await readScalar()),
};

export type FileName = keyof typeof FILES;

const loaded = new Map<FileName, Promise<DocsFile>>();

/** Rejects if the file cannot be read. The next request tries again. */
export function loadFile(name: FileName): Promise<DocsFile> {
  const file = loaded.get(name) ?? FILES[name]();
  loaded.set(name, file);
  file.catch(() => loaded.delete(name));
  return file;
}

function readOwn(name: string, type: string): DocsFile {
  return pack(type, readFileSync(new URL(`public/${name}`, import.meta.url)));
}

function pack(type: string, body: Buffer): DocsFile {
  return { type, body, version: hash('sha256', body, 'hex').slice(0, 10) };
}
