import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastify from 'fastify';

/** A file of the reference, in both forms that browsers take. The version changes with the content. */
export type DocsFile = { type: string; body: Buffer; gzipped: Buffer; version: string };

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

export const FILES = {
  'docs.css': () => readOwn('docs.css', TYPES.css),
  'reference.js': () => readOwn('reference.js', TYPES.js),
  'scalar.js': readScalar,
};

export type FileName = keyof typeof FILES;

const loaded = new Map<FileName, Promise<DocsFile>>();

/** Read when somebody first opens the reference: it is large, and many processes never show it. */
export function loadFile(name: FileName): Promise<DocsFile> {
  const file = loaded.get(name) ?? FILES[name]();
  loaded.set(name, file);
  return file;
}

const SLICE_BYTES = 32 * 1024;

/**
 * The content as a stream of slices, which all share its memory. A response that is sent as a whole is encrypted as a
 * whole, and each client that reads slowly, or not at all, would hold a copy.
 */
export function streamContent(content: Buffer): Readable {
  return Readable.from(slicesOf(content));
}

function* slicesOf(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += SLICE_BYTES) yield content.subarray(at, at + SLICE_BYTES);
}

function readOwn(name: string, type: string): Promise<DocsFile> {
  return pack(type, readFileSync(new URL(`public/${name}`, import.meta.url)));
}

/** The package hands its file out through a route only, so a server of its own that never listens is asked for it. */
async function readScalar(): Promise<DocsFile> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/' } });
  const { rawPayload } = await app.inject('/js/scalar.js');
  await app.close();
  return pack(TYPES.js, rawPayload);
}

async function pack(type: string, body: Buffer): Promise<DocsFile> {
  const gzipped = await promisify(gzip)(body);
  return { type, body, gzipped, version: hash('sha256', body, 'hex').slice(0, 10) };
}
