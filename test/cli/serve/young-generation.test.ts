import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const MODULE = join(import.meta.dirname, '../../../src/cli/serve/young-generation.ts');

/** Creates objects, many of which outlive several collections, and prints the largest size in MiB. */
async function largestYoungGeneration(prepare: string, check: string): Promise<number> {
  const program = `
    import v8 from 'node:v8';
    import { boundYoungGeneration } from ${JSON.stringify(MODULE)};
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
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
}

describe('the young generation of the heap', () => {
  it('stays below 20 MiB while it is bounded', async () => {
    const largest = await largestYoungGeneration('const young = boundYoungGeneration();', 'young.check();');
    assert.ok(largest >= 4 && largest < 20, String(largest));
  });

  it('grows again once it is released', async () => {
    const free = 'const young = boundYoungGeneration(); young.check(); young.release();';
    assert.ok((await largestYoungGeneration(free, '')) > 24);
  });
});
