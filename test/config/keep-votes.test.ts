import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';

test('VOTARY_KEEP_VOTES_DAYS is at least two months', () => {
  assert.equal(readConfig({ VOTARY_KEEP_VOTES_DAYS: '62' }).keepVotesDays, 62);
  assert.equal(readConfig({ VOTARY_KEEP_VOTES_DAYS: '' }).keepVotesDays, null);
  for (const days of ['0', '61', '-70', '62.5', 'forever'])
    assert.throws(() => readConfig({ VOTARY_KEEP_VOTES_DAYS: days }), /a whole number from 62 to/);
});
