import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import fastify from 'fastify';

/** A file of the reference. The version changes with the content. */
type DocsFile = { type: string; body: Buffer; version: string };

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

export const FILES = {
  'docs.css': () => readOwn('docs.css', TYPES.css),
  'reference.js': () => readOwn('reference.js', TYPES.js),
  'scalar.js': async () => pack(TYPES.js, await readScalar()),
};

export type FileName = keyof typeof FILES;

const loaded = new Map<FileName, Promise<DocsFile>>();

/** Loaded when the reference is first opened: it is large, and many processes never serve it. */
export function loadFile(name: FileName): Promise<DocsFile> {
  const file = loaded.get(name) ?? FILES[name]();
  loaded.set(name, file);
  return file;
}

function readOwn(name: string, type: string): Promise<DocsFile> {
  return pack(type, readFileSync(new URL(`public/${name}`, import.meta.url)));
}

async function pack(type: string, body: Buffer): Promise<DocsFile> {
  return { type, body, version: hash('sha256', body, 'hex').slice(0, 10) };
}

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Read in a child process: the package contains the script as a string in a module, and importing it takes 60 MB that
 * are never freed.
 */
async function readScalar(): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: MAX_BYTES } as const;
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename], options);
  return stdout;
}

/** The package provides its script only through a Fastify route. */
async function writeScalar(): Promise<void> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/' } });
  const { rawPayload } = await app.inject('/js/scalar.js');
  await app.close();
  process.stdout.write(rawPayload);
}

if (process.argv[1] === import.meta.filename) await writeScalar();
