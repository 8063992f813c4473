import { hasComputedImport, importsOf } from './imports.ts';
import type { SourceFiles } from './source-files.ts';

/** Which part of the house a file is in; the first pattern that fits decides. */
const PARTS = [
  ['domain', /^src\/domain\//],
  ['config', /^src\/config\.ts$/],
  ['sqlite', /^src\/store\/sqlite\//],
  ['postgres', /^src\/store\/postgres\//],
  ['open', /^src\/store\/open\.ts$/],
  ['store', /^src\/store\//],
  ['api', /^src\/api\//],
  ['site', /^src\/site\//],
  ['webhooks', /^src\/webhooks\//],
  ['ops', /^src\/ops\//],
  ['cli', /^src\/cli\//],
  ['root', /^src\/[^/]+\.ts$/],
  ['sdk', /^sdk\//],
] as const;

type Part = (typeof PARTS)[number][0];

/** The arrows: a part may import itself and what is listed here. `config:types` allows types only. */
const MAY_IMPORT: Record<Part, readonly (Part | 'config:types')[]> = {
  domain: [],
  config: ['domain'],
  store: ['domain', 'config:types'],
  sqlite: ['store', 'domain', 'config:types'],
  postgres: ['store', 'domain', 'config:types'],
  open: ['sqlite', 'postgres', 'store', 'domain', 'config:types'],
  api: ['store', 'domain', 'config'],
  site: ['store', 'domain', 'config'],
  webhooks: ['store', 'domain', 'config'],
  ops: ['store', 'domain', 'config'],
  root: ['api', 'site', 'webhooks', 'ops', 'open', 'store', 'domain', 'config'],
  cli: ['root', 'api', 'site', 'webhooks', 'ops', 'open', 'store', 'domain', 'config'],
  sdk: [],
};

/** Packages that belong to some parts only. */
const PACKAGE_PARTS: Record<string, readonly Part[]> = {
  'better-sqlite3': ['sqlite'],
  pg: ['postgres'],
  fastify: ['api', 'site', 'webhooks', 'ops', 'root'],
  'fastify-plugin': ['api', 'site', 'webhooks', 'ops', 'root'],
  commander: ['cli'],
  'cli-progress': ['cli'],
};

/** The command line tells its version, which is kept there. */
const FILES_FOR_ALL = ['package.json'];

export function findWrongArrows(files: SourceFiles): string[] {
  return [...files].flatMap(([path, source]) => {
    const from = partOf(path);
    if (!from) return [`${path} is in no part of the house: give its folder a line in test/guards/arrows.ts`];
    const wrong = importsOf(path, source)
      .filter((found) => (found.isOurs ? !isArrow(from, found) : !mayUsePackage(from, found.target)))
      .map(({ target }) => `${path} must not import ${target}`);
    return hasComputedImport(source)
      ? [...wrong, `${path} imports a file that only shows at run time`]
      : wrong;
  });
}

function isArrow(from: Part, { target, isTypeOnly }: { target: string; isTypeOnly: boolean }): boolean {
  if (FILES_FOR_ALL.includes(target)) return true;
  const to = partOf(target);
  if (!to) return false;
  const allowed = MAY_IMPORT[from];
  return (
    to === from || allowed.includes(to) || (to === 'config' && isTypeOnly && allowed.includes('config:types'))
  );
}

function mayUsePackage(from: Part, name: string): boolean {
  return PACKAGE_PARTS[name]?.includes(from) ?? true;
}

function partOf(path: string): Part | undefined {
  return PARTS.find(([, pattern]) => pattern.test(path))?.[0];
}
