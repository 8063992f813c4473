import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { DAY_MS, SECOND_MS } from '../../domain/clock.ts';
import { isUnchanged } from './etag.ts';

export const PUBLIC_DIRECTORY = fileURLToPath(new URL('../public/', import.meta.url));
const ASSETS_PREFIX = '/assets/';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

type Asset = { type: string; body: Buffer; version: string };

/** All files are kept in memory: less than 200 kB. */
const ASSETS = readAssets();

/** The URL of one of our files. It changes with the content, so browsers may cache it forever. */
export function asset(name: string): string {
  const known = ASSETS.get(name);
  if (known === undefined) throw new Error(`no such file in site/public: ${name}`);
  return `${ASSETS_PREFIX}${name}?v=${known.version}`;
}

const BUNDLE = /^styles\/([a-z-]+(?:\/[a-z-]+)?(?:,[a-z-]+(?:\/[a-z-]+)?){0,14})\.css$/;
const BUNDLES = new Map<string, Asset>();

/**
 * The URL of several style sheets as one file. It names them, so that a process can serve a bundle of a page that
 * another process has rendered.
 */
export function styleBundle(names: readonly string[]): string {
  const name = `styles/${names.map((file) => file.replace(/\.css$/, '')).join(',')}.css`;
  const known = BUNDLES.get(name) ?? makeBundle(name);
  if (known === undefined) throw new Error(`no such files in site/public: ${names.join(', ')}`);
  BUNDLES.set(name, known);
  return `${ASSETS_PREFIX}${name}?v=${known.version}`;
}

/** `undefined` if the name is not that of a bundle of our style sheets. */
function makeBundle(name: string): Asset | undefined {
  const files = BUNDLE.exec(name)?.[1]
    ?.split(',')
    .map((file) => ASSETS.get(`${file}.css`));
  if (!files) return undefined;
  const bodies = files.flatMap((file) => (file === undefined ? [] : [file.body]));
  return bodies.length === files.length ? toAsset('.css', Buffer.concat(bodies)) : undefined;
}

export const CACHED_FOR_A_DAY = `public, max-age=${DAY_MS / SECOND_MS}`;
export const CACHED_FOR_A_YEAR = `public, max-age=${(365 * DAY_MS) / SECOND_MS}, immutable`;

export function assetRoute(app: FastifyInstance): void {
  app.get<{ Params: { '*': string } }>(
    `${ASSETS_PREFIX}*`,
    { config: { isPublicFile: true } },
    (request, reply) => {
      const name = request.params['*'];
      const file = ASSETS.get(name) ?? BUNDLES.get(name) ?? makeBundle(name);
      if (file === undefined) return reply.callNotFound();
      reply.header('cache-control', CACHED_FOR_A_YEAR);
      if (isUnchanged(request, reply, file.version)) return reply.send();
      return reply.type(file.type).send(file.body);
    },
  );
}

/** For a path without a version, such as /favicon.ico. */
export function sendIcon(reply: FastifyReply, name: 'favicon.ico' | 'touch-icon.png'): FastifyReply {
  const file = ASSETS.get(`icons/${name}`);
  return reply
    .type(file?.type ?? '')
    .header('cache-control', CACHED_FOR_A_DAY)
    .send(file?.body);
}

function readAssets(): Map<string, Asset> {
  return new Map(
    readdirSync(PUBLIC_DIRECTORY, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [relative(PUBLIC_DIRECTORY, path), toAsset(extname(name), readFileSync(path))];
      }),
  );
}

function toAsset(extension: string, body: Buffer): Asset {
  const version = hash('sha256', body, 'hex').slice(0, 10);
  return { type: TYPES[extension] ?? 'application/octet-stream', body, version };
}
