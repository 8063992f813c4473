/**
 * The script of the API reference. Its package contains the file as a string in a module and only exposes it through
 * a Fastify route. Importing it takes 60 MB that are never freed, so a short-lived process does it.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fastify from 'fastify';

const MAX_BYTES = 32 * 1024 * 1024;

export async function readScalar(): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: MAX_BYTES } as const;
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename], options);
  return stdout;
}

async function writeScalar(): Promise<void> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/' } });
  const { rawPayload } = await app.inject('/js/scalar.js');
  await app.close();
  process.stdout.write(rawPayload);
}

if (process.argv[1] === import.meta.filename) await writeScalar();
