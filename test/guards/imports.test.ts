/** What each part of the server may import. The linter only finds cycles; this table finds every wrong direction. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const SRC = join(import.meta.dirname, '../../src');

/** What a vote check needs that does not pass Fastify. */
const PLAIN_VOTE_CHECK = ['host', 'listen', 'prepared-response', 'ticks'].map((name) => `http/${name}.ts`);

/**
 * A part is a folder or a file under src; the longest name that fits a file decides. It may import itself, the parts
 * listed here, and single files of other parts. `type` allows only `import type`.
 */
const ALLOWED: Record<string, readonly string[]> = {
  domain: [],
  config: ['domain'],
  'config.ts': ['config', 'domain'],
  store: ['domain'],
  'store/sqlite': ['store', 'domain'],
  'store/postgres': ['store', 'domain', 'config/postgres-url.ts'],
  'store/open.ts': ['store', 'store/sqlite', 'store/postgres', 'domain', 'type config.ts'],
  secrets: ['store', 'domain', 'config/variables.ts', 'type config.ts'],
  http: ['domain'],
  observability: ['http', 'store', 'domain', 'type config.ts'],
  voting: ['store', 'domain', 'type config.ts'],
  moderation: ['store', 'domain'],
  users: ['moderation', 'store', 'domain'],
  'polling-worker.ts': [],
  retention: ['polling-worker.ts', 'store', 'domain'],
  reminders: ['polling-worker.ts', 'store', 'domain'],
  'voter-roles': ['polling-worker.ts', 'store', 'domain'],
  webhooks: ['store', 'domain'],
  discord: ['voting', 'type reminders', 'type voter-roles', 'store', 'domain', 'type config.ts'],
  api: ['http/methods.ts', 'api/v7', 'api/errors', 'store', 'domain'],
  'api/v7': ['api', 'api/openapi', 'api/errors', ...PLAIN_VOTE_CHECK, 'store', 'domain'],
  'api/manage': [
    'api',
    'api/v7',
    'api/openapi',
    'api/errors',
    'moderation',
    'users',
    'voting',
    'store',
    'domain',
  ],
  'api/openapi': ['api/errors', 'api/idempotency-key.ts', 'http/slices.ts', 'domain'],
  'api/errors': ['api/idempotency-key.ts', 'api/request-locale.ts', 'http/refusal.ts', 'store', 'domain'],
  site: [
    'site/docs',
    'voting',
    'moderation',
    'store',
    'domain',
    'http/slices.ts',
    'http/refusal.ts',
    'type config.ts',
    'type config/site.ts',
  ],
  'site/sign-in/choose-sign-in.ts': ['site', 'discord/user-agent.ts', 'demo.ts', 'domain', 'type config.ts'],
  'site/docs': ['site', 'api/openapi', 'api/errors', 'http/slices.ts', 'domain'],
  'read-lines.ts': [],
  'transfer.ts': ['read-lines.ts', 'store', 'domain'],
  'topgg-export.ts': ['transfer.ts', 'read-lines.ts', 'store', 'domain'],
  'demo.ts': ['store', 'domain', 'type config.ts'],
  'server.ts': [
    'api',
    'api/errors',
    'api/v7',
    'api/manage',
    'site',
    'site/docs',
    'voting',
    'discord',
    'http',
    'observability',
    'secrets',
    'store',
    'config',
    'config.ts',
    'domain',
  ],
  'service.ts': [
    'server.ts',
    'site',
    'site/docs/downloads.ts',
    'site/sign-in/choose-sign-in.ts',
    'workers.ts',
    'discord',
    'http',
    'observability',
    'secrets',
    'store',
    'store/open.ts',
    'config.ts',
    'domain',
  ],
  'workers.ts': [
    'webhooks',
    'retention',
    'reminders',
    'voter-roles',
    'type discord',
    'type observability',
    'store',
    'type config.ts',
    'domain',
  ],
  cli: [
    'service.ts',
    'demo.ts',
    'transfer.ts',
    'read-lines.ts',
    'topgg-export.ts',
    'site/layout/brand.ts',
    'site/sharing/card-scripts.ts',
    'moderation',
    'users',
    'webhooks',
    'discord',
    'observability',
    'secrets',
    'store',
    'store/open.ts',
    'config',
    'config.ts',
    'domain',
  ],
};

/** Packages that belong to one part, or are not for some. Others may be used anywhere. */
const PACKAGES: Record<string, RegExp> = {
  'better-sqlite3': /^store\/sqlite$/,
  pg: /^store\/postgres$/,
  commander: /^cli$/,
  fastify: /^(?!domain|config|store|voting|moderation|retention|reminders|voter-roles|webhooks|cli)/,
};

type Import = { target: string; isType: boolean };

const IMPORT =
  /^(?:import|export)\s+(type\s+)?[\w*{][^;'"`]*?\sfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm;

function importsOf(source: string): Import[] {
  return [...source.matchAll(IMPORT)].map(([, type, from, bare, dynamic]) => ({
    target: from ?? bare ?? dynamic ?? '',
    isType: type !== undefined,
  }));
}

function partOf(path: string): string | undefined {
  const fitting = Object.keys(ALLOWED).filter((part) => path === part || path.startsWith(`${part}/`));
  return fitting.toSorted((a, b) => b.length - a.length)[0];
}

/** The imports of a file, by its path under src, that the table does not allow. */
function violationsIn(path: string, source: string): string[] {
  const part = partOf(path);
  if (part === undefined) return [`${path} belongs to no part of the table`];
  return importsOf(source)
    .filter((found) => !isAllowed(part, path, found))
    .map(({ target }) => `${path} imports ${target}`);
}

function isAllowed(part: string, path: string, { target, isType }: Import): boolean {
  if (!target.startsWith('.')) return (PACKAGES[target.split('/')[0] ?? ''] ?? /^/).test(part);
  const imported = relative(SRC, join(SRC, dirname(path), target));
  // The program's own version.
  if (imported === '../package.json') return true;
  const [allowed = [], other] = [ALLOWED[part], partOf(imported)];
  const fits = (name: string) => allowed.includes(name) || (isType && allowed.includes(`type ${name}`));
  return other === part || fits(imported) || (other !== undefined && fits(other));
}

test('every import goes in a direction that the table allows', () => {
  const paths = globSync('**/*.ts', { cwd: SRC });
  assert.ok(paths.length > 200);
  assert.deepEqual(
    paths.flatMap((path) => violationsIn(path, readFileSync(join(SRC, path), 'utf8'))),
    [],
  );
});

test('imports in any other direction are found, in every form', () => {
  for (const [path, source] of [
    ['domain/x.ts', "import { x } from '../store/store.ts';"],
    ['domain/x.ts', "import type { X } from '../config.ts';"],
    ['domain/x.ts', "import fastify from 'fastify';"],
    ['domain/votes/x.ts', "export { x } from '../../store/store.ts';"],
    ['domain/x.ts', "export * from '../store/store.ts';"],
    ['domain/x.ts', "const x = await import('../store/store.ts');"],
    ['domain/x.ts', "import '../store/store.ts';"],
    ['config.ts', "import { x } from './store/store.ts';"],
    ['store/x.ts', "import { x } from '../discord/app.ts';"],
    ['store/x.ts', "import { x } from '../server.ts';"],
    ['store/x.ts', "import {\n  x,\n  y,\n} from '../api/errors/responses.ts';"],
    ['store/x.ts', "import { x } from './sqlite/index.ts';"],
    ['store/x.ts', "import { x } from './open.ts';"],
    ['store/x.ts', "import pg from 'pg';"],
    ['store/open.ts', "import { x } from '../config.ts';"],
    ['store/sqlite/x.ts', "import { x } from '../postgres/index.ts';"],
    ['store/sqlite/webhooks/x.ts', "import { x } from '../../../webhooks/send.ts';"],
    ['api/x.ts', "import { x } from '../service.ts';"],
    ['api/x.ts', "import type { Pool } from 'pg';"],
    ['api/v7/x.ts', "import { x } from '../../store/open.ts';"],
    ['api/openapi/x.ts', "import { x } from '../v7/access.ts';"],
    ['http/x.ts', "import { x } from '../observability/health.ts';"],
    ['http/x.ts', "import { x } from '../api/errors/responses.ts';"],
    ['site/x.ts', "import { x } from '../api/errors/responses.ts';"],
    ['site/dashboard/key/x.ts', "import { x } from '../../../webhooks/send.ts';"],
    ['site/x.ts', "import { x } from '../config.ts';"],
    ['moderation/x.ts', "import { x } from '../cli/cli.ts';"],
    ['webhooks/x.ts', "import { x } from '../../test/support/clock.ts';"],
    ['webhooks/x.ts', "import { x } from '../retention/worker.ts';"],
    ['discord/x.ts', "import { x } from '../reminders/worker.ts';"],
    ['voting/x.ts', "import type { X } from '../site/session.ts';"],
    ['voting/x.ts', "import type { FastifyRequest } from 'fastify';"],
    ['server.ts', "import { x } from './cli/main.ts';"],
    ['cli/x.ts', "import { x } from '../store/postgres/index.ts';"],
    ['new-folder/x.ts', ''],
  ] as const) {
    assert.equal(violationsIn(path, source).length, 1, `${path}: ${source}`);
  }
});

test('other imports are allowed', () => {
  for (const [path, source] of [
    ['domain/votes/x.ts', "import { x } from '../clock.ts';"],
    ['store/open.ts', "import type { DatabaseUrl } from '../config.ts';"],
    ['store/open.ts', "import { x } from './sqlite/index.ts';"],
    ['store/sqlite/x.ts', "import Database from 'better-sqlite3';"],
    ['site/dashboard/key/x.ts', "import { x } from '../webhooks/view.ts';"],
    ['webhooks/x.ts', "import { lookup } from 'node:dns';"],
  ] as const) {
    assert.deepEqual(violationsIn(path, source), []);
  }
});
