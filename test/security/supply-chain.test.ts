import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';

type Locked = {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  link?: boolean;
  inBundle?: boolean;
};

const read = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8'));
const lock: { packages: Record<string, Locked> } = await read('package-lock.json');
const manifest = await read('package.json');
const installed = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
);

const REGISTRY = 'https://registry.npmjs.org/';

/** Its script reports installations to its maker. It is not allowed to run, and told not to. */
const REFUSED_SCRIPTS = ['@scarf/scarf'];

describe('the lock file', () => {
  it('names every package from the npm registry, with its hash', () => {
    assert.ok(installed.length > 100);
    for (const [path, { resolved, integrity, inBundle }] of installed) {
      if (inBundle) continue;
      // Without an address it is whatever the registry in use has under this version and this hash.
      assert.match(resolved ?? REGISTRY, /^https:\/\/registry\.npmjs\.org\//, path);
      assert.match(integrity ?? '', /^sha512-/, path);
    }
  });

  it('agrees with package.json on what is asked for', () => {
    const root = Object(lock.packages['']);
    for (const kind of ['dependencies', 'devDependencies']) assert.deepEqual(root[kind], manifest[kind]);
  });

  it('lets no package run a script that was not allowed one', () => {
    const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const withScript = installed
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => nameOf(path));
    const known = [...Object.keys(manifest.allowScripts), ...REFUSED_SCRIPTS];
    assert.deepEqual(
      withScript.filter((name) => !known.includes(name)),
      [],
    );
    assert.equal(manifest.scarfSettings.enabled, false);
  });
});
