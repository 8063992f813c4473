/** Stack traces of a bundled program. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const MAPPER = pathToFileURL(join(import.meta.dirname, '../../src/observability/stack-traces.ts')).href;

const THROWS = `// A line that the bundle does not have.
export function fail(message: string): never {
  const unused = [1, 2, 3].map((each) => each * 2);

  throw new TypeError(\`\${message} \${unused.length}\`);
}
`;
const MAIN = `import { fail } from './throws.ts';

export function run(): string {
  try {
    return fail('no');
  } catch (error) {
    return String((error as Error).stack);
  }
}
`;

test('a stack trace shows the lines of the sources, even if the files have been deleted', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'votary-stack-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/throws.ts'), THROWS);
  writeFileSync(join(folder, 'src/main.ts'), MAIN);
  const bundle = join(folder, 'main.cjs');
  const sources = { absWorkingDir: folder, entryPoints: ['src/main.ts'], outfile: bundle };
  await build({ ...sources, bundle: true, platform: 'node', format: 'cjs', sourcemap: true });
  const program = `
    import { createRequire } from 'node:module';
    import { rmSync } from 'node:fs';
    import { mapStackTraces } from '${MAPPER}';
    const { run } = createRequire(${JSON.stringify(bundle)})(${JSON.stringify(bundle)});
    mapStackTraces(${JSON.stringify(bundle)});
    rmSync(${JSON.stringify(bundle)});
    rmSync(${JSON.stringify(`${bundle}.map`)});
    run();
    console.log(run());`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  const [first, second, third] = printed.split('\n');
  assert.deepEqual(
    [first, second, third],
    ['TypeError: no 3', '    at fail (src/throws.ts:5:9)', '    at run (src/main.ts:5:12)'],
  );
});
