import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const MODULE = join(import.meta.dirname, '../../../src/cli/serve/v8-flags.ts');

async function run(program: string): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  // V8 reports a flag that it does not know here, and ignores it.
  assert.equal(stderr, '');
  return stdout;
}

/** Creates objects, many of which outlive several collections, and prints the largest size in MiB. */
async function largestYoungGeneration(prepare: string, check: string): Promise<number> {
  const program = `
    import v8 from 'node:v8';
    import { setServerFlags } from ${JSON.stringify(MODULE)};
    ${prepare}
    let largest = 0;
    const kept = Array(20_000);
    for (let i = 0; i < 4_000_000; i += 1) {
      kept[i % kept.length] = { text: 'x' + i, list: [i] };
      if (i % 1000 !== 0) continue;
      ${check}
      const { space_size } = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
      largest = Math.max(largest, space_size);
    }
    console.log(largest / 1024 / 1024);`;
  return Number(await run(program));
}

describe('the young generation of the heap', () => {
  it('stays below 20 MiB with the flags of a server', async () => {
    const largest = await largestYoungGeneration(
      'const flags = setServerFlags();',
      'flags.checkYoungGeneration();',
    );
    assert.ok(largest >= 4 && largest < 20, String(largest));
  });

  it('grows once the flags are reset', async () => {
    const free = 'const flags = setServerFlags(); flags.checkYoungGeneration(); flags.reset();';
    assert.ok((await largestYoungGeneration(free, '')) > 24);
  });
});

describe('the flags of a server', () => {
  it('are known to V8, and compiled code can be stored for the next start after they are reset', async () => {
    const [before, during, after] = (
      await run(`
        import v8 from 'node:v8';
        import { setServerFlags } from ${JSON.stringify(MODULE)};
        console.log(v8.cachedDataVersionTag());
        const flags = setServerFlags();
        console.log(v8.cachedDataVersionTag());
        flags.reset();
        console.log(v8.cachedDataVersionTag());`)
    ).split('\n');
    assert.notEqual(during, before);
    assert.equal(after, before);
  });
});
