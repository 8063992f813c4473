import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MEASURES, readOptions, USAGE } from '../../bench/options.ts';

describe('the options of the bench', () => {
  it('reads the commit to compare with', () => {
    const options = readOptions(['--quick', '--against', 'main']);
    assert.ok(options !== 'help');
    assert.equal(options.mode, 'quick');
    assert.equal(options.against, 'main');
  });

  it('compares with no other commit by default', () => {
    const options = readOptions([]);
    assert.ok(options !== 'help');
    assert.equal(options.against, undefined);
    assert.equal(options.mode, 'full');
  });

  it('reads the chosen measures, and rejects one that does not exist', () => {
    const options = readOptions(['--only', 'http,casts']);
    assert.ok(options !== 'help');
    assert.deepEqual(options.only, ['http', 'casts']);
    assert.throws(() => readOptions(['--only', 'http,cats']), /no measure "cats"/);
  });

  it('explains every option and measure', () => {
    assert.equal(readOptions(['--help']), 'help');
    for (const name of ['--quick', '--against REF', '--only NAMES', '--json', '--data FOLDER', '--smoke']) {
      assert.ok(USAGE.includes(`  ${name}`), name);
    }
    for (const name of Object.keys(MEASURES)) assert.ok(USAGE.includes(`  ${name} `), name);
  });

  it('warms up with at least 40,000 requests', () => {
    for (const args of [[], ['--quick']]) {
      const options = readOptions(args);
      assert.ok(options !== 'help');
      assert.ok(options.plan.warmUp.requests >= 40_000);
    }
  });
});
