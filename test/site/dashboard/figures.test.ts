import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { chartPeriod, figuresAt, monthPeriod } from '../../../src/site/dashboard/overview/figures.ts';

const NOW = Date.parse('2026-11-15T12:34:56.789Z');
const day = (text: string) => Date.parse(`${text}T00:00:00.000Z`);

describe('the figures of the overview', () => {
  const daily = [
    { day: day('2026-10-31'), votes: 100, doubled: 100 },
    { day: day('2026-11-01'), votes: 6, doubled: 3 },
    { day: day('2026-11-15'), votes: 4, doubled: 2 },
  ];

  it('count today and this month by UTC days', () => {
    const { today, month } = figuresAt(NOW, daily);
    assert.deepEqual({ today, month }, { today: 4, month: 10 });
  });

  it('show the doubled share of this month only', () => {
    assert.equal(figuresAt(NOW, daily).doubledShare, 0.5);
  });

  it('show no share without votes', () => {
    assert.equal(figuresAt(NOW, []).doubledShare, null);
  });

  it('have every one of the last 31 days, today last, those without votes too', () => {
    const { days } = figuresAt(NOW, daily);
    assert.equal(days.length, 31);
    assert.equal(days[0]?.day, day('2026-10-16'));
    assert.deepEqual(days.at(-1), { day: day('2026-11-15'), votes: 4, doubled: 2 });
    assert.deepEqual(days.at(-2), { day: day('2026-11-14'), votes: 0, doubled: 0 });
  });

  it('have the whole month inside the chart, on the last day of a long one too', () => {
    for (const now of [day('2026-12-31') + DAY_MS - 1, day('2026-12-01'), day('2028-02-29')]) {
      assert.ok(chartPeriod(now).from <= monthPeriod(now).from);
      assert.equal(chartPeriod(now).to, monthPeriod(now).to);
    }
  });
});
