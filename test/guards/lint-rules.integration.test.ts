/** Checks that the rules in biome.json find violations: a pattern with a mistake finds nothing. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

const WRONG: Record<string, string> = {
  'sdk/src/server.ts': `import { x } from '../../src/domain/errors.ts';\nx();\n`,
  'src/api/ring-a.ts': `import type { B } from './ring-b.ts';\nexport type A = B[];\n`,
  'src/api/ring-b.ts': `import type { A } from './ring-a.ts';\nexport type B = A[];\n`,
  'src/api/environment.ts': 'export const x = process.env.PORT;\n',
  'src/api/now.ts': 'export const x = Date.now();\n',
  'src/api/random.ts': 'export const x = Math.random();\n',
};

const RIGHT: Record<string, string> = {
  'src/config.ts': 'export const x = process.env.PORT;\n',
  'src/service.ts': 'export const x = Date.now();\n',
};

test('the linter rejects cycles, the environment, the time and randomness where they are not allowed, and nothing else', async (t) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'votary-lint-')));
  t.after(() => rm(folder, { recursive: true }));
  for (const name of ['biome.json', '.gitignore']) await copyFile(join(ROOT, name), join(folder, name));
  for (const [path, source] of Object.entries({ ...WRONG, ...RIGHT })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), source);
  }
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const args = ['lint', '.', '--reporter=github', '--max-diagnostics=none'];
  const { stdout } = spawnSync(process.execPath, [biome, ...args], { cwd: folder, encoding: 'utf8' });
  const found = new Set(
    [...stdout.matchAll(/^::error .*?file=([^,]+),/gm)].map(([, path]) => relative(folder, String(path))),
  );
  assert.deepEqual([...found].toSorted(), Object.keys(WRONG).toSorted(), stdout);
});
