import { hash } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** A file of the reference. The version changes with the content. */
type DocsFile = { type: string; body: Buffer; version: string };

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

const [styles, script] = [readOwn('docs.css', TYPES.css), readOwn('reference.js', TYPES.js)];

export const FILES = {
  'docs.css': async () => styles,
  'reference.js': async () => script,
  'scalar.js': async () => pack(TYPES.js, await readScalar()),
};

export type FileName = keyof typeof FILES;

const loaded = new Map<FileName, Promise<DocsFile>>();

/** The script is read when the reference is first opened: it is large, and many processes never serve it. */
export function loadFile(name: FileName): Promise<DocsFile> {
  const file = loaded.get(name) ?? FILES[name]();
  loaded.set(name, file);
  // The next request tries again.
  file.catch(() => loaded.delete(name));
  return file;
}

function readOwn(name: string, type: string): DocsFile {
  return pack(type, readFileSync(new URL(`public/${name}`, import.meta.url)));
}

function pack(type: string, body: Buffer): DocsFile {
  return { type, body, version: hash('sha256', body, 'hex').slice(0, 10) };
}

/**
 * The package has the script as a string in a module. Importing it would take 60 MB that are never freed, so a thread
 * reads the string from the file, which is opened at start: the service works while its files are being replaced.
 */
const SCALAR_FILE = openSync(fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference')), 'r');

/** Runs without any other file. The string is a constant of the module, on a line of its own. */
const READ_SCALAR = `
const { fstatSync, readSync } = require('node:fs');
const { runInNewContext } = require('node:vm');
const { parentPort, workerData: fd } = require('node:worker_threads');
const bytes = Buffer.alloc(fstatSync(fd).size);
for (let at = 0; at < bytes.length; ) {
  const read = readSync(fd, bytes, at, bytes.length - at, at);
  if (read === 0) break;
  at += read;
}
const [, literal] = /^var standalone_default = (".*");$/m.exec(bytes.toString()) ?? [];
if (literal === undefined) throw new Error('the script of the API reference was not found in its package');
const script = new TextEncoder().encode(runInNewContext(literal));
parentPort.postMessage(script, [script.buffer]);
`;

async function readScalar(): Promise<Buffer> {
  const worker = new Worker(READ_SCALAR, { eval: true, workerData: SCALAR_FILE });
  const [script]: Uint8Array[] = await once(worker, 'message');
  return Buffer.from(script ?? []);
}
