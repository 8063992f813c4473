/** Checks that the import rules in biome.json find violations: a pattern with a mistake finds nothing. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

const use = (target: string) => `import { x } from '${target}';\nx();\n`;

const WRONG: Record<string, string> = {
  'src/domain/store.ts': use('../store/store.ts'),
  'src/domain/config-type.ts': `import type { X } from '../config.ts';\nexport type Y = X;\n`,
  'src/domain/web.ts': use('fastify'),
  'src/domain/re-export.ts': `export { x } from '../store/store.ts';\n`,
  'src/domain/at-run-time.ts': `export const x = await import('../store/store.ts');\n`,
  'src/config.ts': use('./store/store.ts'),
  'src/store/upwards.ts': use('../api/errors.ts'),
  'src/store/config-value.ts': use('../config.ts'),
  'src/store/backend.ts': use('./sqlite/index.ts'),
  'src/store/driver.ts': use('pg'),
  'src/store/sqlite/other-backend.ts': use('../postgres/cast.ts'),
  'src/store/sqlite/upwards.ts': use('../../webhooks/send.ts'),
  'src/store/sqlite/webhooks/upwards.ts': use('../../../webhooks/send.ts'),
  'src/api/driver-type.ts': `import type { Pool } from 'pg';\nexport type X = Pool;\n`,
  'src/api/v7/backend.ts': use('../../store/sqlite/index.ts'),
  'src/api/open.ts': use('../store/open.ts'),
  'src/api/openapi/v7.ts': use('../v7/access.ts'),
  'src/api/openapi/upwards.ts': use('../../http/listen.ts'),
  'src/api/http.ts': use('../http/listen.ts'),
  'src/http/api.ts': use('../api/errors.ts'),
  'src/site/api.ts': use('../api/errors.ts'),
  'src/site/webhooks.ts': use('../webhooks/send.ts'),
  'src/site/dashboard/key/webhooks.ts': use('../../../webhooks/send.ts'),
  'src/webhooks/site.ts': use('../site/index.ts'),
  'src/webhooks/test-code.ts': use('../../test/support/clock.ts'),
  'src/server.ts': use('./cli/main.ts'),
  'src/cli/backend.ts': use('../store/postgres/index.ts'),
  'sdk/src/server.ts': use('../../src/domain/errors.ts'),
  'src/api/ring-a.ts': `import type { B } from './ring-b.ts';\nexport type A = B[];\n`,
  'src/api/ring-b.ts': `import type { A } from './ring-a.ts';\nexport type B = A[];\n`,
  'src/api/environment.ts': 'export const x = process.env.PORT;\n',
  'src/api/now.ts': 'export const x = Date.now();\n',
  'src/api/random.ts': 'export const x = Math.random();\n',
};

const RIGHT: Record<string, string> = {
  'src/domain/same-folder.ts': use('./same-folder-too.ts'),
  'src/store/config-type.ts': `import type { DatabaseUrl } from '../config.ts';\nexport type X = DatabaseUrl;\n`,
  'src/store/open.ts': use('./sqlite/index.ts'),
  'src/store/sqlite/driver.ts': use('better-sqlite3'),
  'src/store/sqlite/webhooks/shared.ts': use('../../webhooks/rows.ts'),
  'src/api/event.ts': use('../domain/webhooks/event.ts'),
  'src/site/dashboard/key/own-webhooks.ts': use('../webhooks/view.ts'),
  'src/service.ts': 'export const x = Date.now();\n',
};

test('the linter rejects every import in the wrong direction, and no other', async (t) => {
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
