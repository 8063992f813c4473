import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvPeriod, suggestedDays } from '../../../../src/site/dashboard/votes/paging.ts';

const NOW = Date.parse('2026-11-15T12:34:56.789Z');

function periodOf(from: string, to: string): unknown {
  const outcome = csvPeriod({ from, to }, NOW);
  if (outcome.kind === 'invalid') return outcome.fault;
  return [outcome.period.from, outcome.period.to].map((instant) => new Date(instant).toISOString());
}

describe('the period of a download', () => {
  it('includes both selected days', () => {
    assert.deepEqual(periodOf('2026-11-01', '2026-11-15'), [
      '2026-11-01T00:00:00.000Z',
      '2026-11-16T00:00:00.000Z',
    ]);
  });

  it('can be one day', () => {
    assert.deepEqual(periodOf('2026-11-15', '2026-11-15'), [
      '2026-11-15T00:00:00.000Z',
      '2026-11-16T00:00:00.000Z',
    ]);
  });

  it('keeps exact times', () => {
    assert.deepEqual(periodOf('2026-11-15T08:00:00Z', '2026-11-15T09:00:00Z'), [
      '2026-11-15T08:00:00.000Z',
      '2026-11-15T09:00:00.000Z',
    ]);
  });

  it('is this month until today if no day is given', () => {
    assert.deepEqual(periodOf('', ''), ['2026-11-01T00:00:00.000Z', '2026-11-16T00:00:00.000Z']);
    assert.deepEqual(suggestedDays(NOW), { from: '2026-11-01', to: '2026-11-15' });
  });

  it('can be up to 31 days', () => {
    assert.ok(Array.isArray(periodOf('2026-10-01', '2026-10-31')));
    assert.equal(periodOf('2026-10-01', '2026-11-01'), 'DATE_RANGE_TOO_LARGE');
  });

  it('is rejected if its days are in the wrong order or do not exist', () => {
    assert.equal(periodOf('2026-11-02', '2026-11-01'), 'INVALID_DATE_RANGE');
    assert.equal(periodOf('2026-02-30', '2026-03-01'), 'INVALID_DATE');
    assert.equal(periodOf('2026-11-01', 'yesterday'), 'INVALID_DATE');
    assert.equal(periodOf('9999-12-31', '9999-12-31'), 'INVALID_DATE');
  });
});
