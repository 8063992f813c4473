import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import {
  axisSteps,
  figuresAt,
  figuresPeriod,
  monthPeriod,
  RANGES,
  readRange,
} from '../../../../src/site/dashboard/overview/figures.ts';
import { tileMonths, tilesAt } from '../../../../src/site/dashboard/overview/tiles.ts';

const NOW = Date.parse('2026-11-15T12:34:56.789Z');
const at = (text: string) => Date.parse(`${text}:00:00.000Z`);
const day = (text: string) => at(`${text}T00`);

describe('the figures of the overview', () => {
  const hourly = [
    { hour: at('2026-09-30T23'), votes: 1000, doubled: 0 },
    { hour: at('2026-10-01T00'), votes: 5, doubled: 5 },
    { hour: at('2026-10-15T12'), votes: 3, doubled: 0 },
    { hour: at('2026-10-15T13'), votes: 90, doubled: 0 },
    { hour: at('2026-10-31T23'), votes: 2, doubled: 0 },
    { hour: at('2026-11-01T00'), votes: 6, doubled: 3 },
    { hour: at('2026-11-14T23'), votes: 7, doubled: 0 },
    { hour: at('2026-11-15T00'), votes: 3, doubled: 1 },
    { hour: at('2026-11-15T12'), votes: 4, doubled: 4 },
  ];
  const figures = figuresAt(NOW, 31, hourly);

  it('show the share of doubled votes of this month only, and none without votes', () => {
    assert.equal(figures.doubledShare, 8 / 20);
    assert.equal(figuresAt(NOW, 31, []).doubledShare, null);
  });

  it('contain every day of the range, today last, including days without votes', () => {
    for (const range of RANGES) {
      const { days } = figuresAt(NOW, range, hourly);
      assert.equal(days.length, range);
      assert.deepEqual(days.at(-1), { day: day('2026-11-15'), votes: 7, doubled: 5 });
      assert.deepEqual(days.at(-3), { day: day('2026-11-13'), votes: 0, doubled: 0 });
    }
    assert.equal(figures.days[0]?.day, day('2026-10-16'));
  });

  it('sum the hours of the day over the range', () => {
    const { hours } = figuresAt(NOW, 7, hourly);
    assert.equal(hours.length, 24);
    assert.deepEqual(
      hours.filter(({ votes }) => votes > 0),
      [
        { hour: 0, votes: 3, doubled: 1 },
        { hour: 12, votes: 4, doubled: 4 },
        { hour: 23, votes: 7, doubled: 0 },
      ],
    );
  });

  it('read enough hours for both months and for the range', () => {
    for (const now of [day('2027-01-01') - 1, day('2026-12-01'), day('2028-02-29'), NOW])
      for (const range of RANGES) {
        const { from, to } = figuresPeriod(now, range);
        assert.equal(to, monthPeriod(now).to);
        assert.ok(from <= (tilesAt(now, [], []).find(({ name }) => name === 'month')?.start ?? 0));
        assert.ok(to - from >= range * 24 * HOUR_MS && to - from <= 92 * 24 * HOUR_MS);
      }
  });

  it('cover 31 days unless 7 or 90 are selected', () => {
    assert.deepEqual(['7', '31', '90', '8', '', undefined, '-1', '1e9'].map(readRange), [
      ...[7, 31, 90],
      ...[31, 31, 31, 31, 31],
    ]);
  });
});

describe('the tiles of the overview', () => {
  const hourly = [
    { hour: at('2026-09-30T23'), votes: 1000, doubled: 0 },
    { hour: at('2026-10-01T00'), votes: 5, doubled: 5 },
    { hour: at('2026-10-15T12'), votes: 3, doubled: 0 },
    { hour: at('2026-10-15T13'), votes: 90, doubled: 0 },
    { hour: at('2026-11-01T00'), votes: 6, doubled: 3 },
    { hour: at('2026-11-08T12'), votes: 2, doubled: 0 },
    { hour: at('2026-11-08T13'), votes: 50, doubled: 0 },
    { hour: at('2026-11-14T12'), votes: 1, doubled: 0 },
    { hour: at('2026-11-14T23'), votes: 7, doubled: 0 },
    { hour: at('2026-11-15T00'), votes: 3, doubled: 1 },
    { hour: at('2026-11-15T12'), votes: 4, doubled: 4 },
  ];
  const monthly = [
    { month: day('2025-11-01'), votes: 11 },
    { month: day('2026-09-01'), votes: 1000 },
    { month: day('2026-10-01'), votes: 98 },
  ];
  const tiles = Object.fromEntries(tilesAt(NOW, hourly, monthly).map((tile) => [tile.name, tile]));

  it('compare periods that are not over with the same part of the period before', () => {
    const figures = Object.values(tiles).map(({ name, votes, before }) => [name, votes, before]);
    assert.deepEqual(figures, [
      ['today', 7, 1],
      // The 7 days before end on November 8, at the same time of the day.
      ['week', 15, 2],
      ['month', 73, 8],
      ['lastMonth', 98, 1000],
    ]);
  });

  it('compare the end of a long month with the whole of a shorter one', () => {
    const february = [{ hour: at('2026-02-28T23'), votes: 9, doubled: 0 }];
    const [, , month] = tilesAt(Date.parse('2026-03-31T10:00:00Z'), february, []);
    assert.equal(month?.before, 9);
  });

  it('have a sparkline of hours, days and months, the newest last', () => {
    const lengths = Object.values(tiles).map(({ series }) => series.length);
    assert.deepEqual(lengths, [24, 7, 15, 12]);
    assert.deepEqual(tiles.today?.series.slice(-2), [0, 4]);
    assert.deepEqual([tiles.week?.series.at(-1), tiles.month?.series[0]], [7, 6]);
    assert.deepEqual([tiles.lastMonth?.series[0], tiles.lastMonth?.series.at(-1)], [11, 98]);
    assert.deepEqual(tileMonths(NOW), { from: day('2025-11-01'), to: day('2026-11-01') });
  });
});

describe('the axis of a chart', () => {
  it('has round steps', () => {
    assert.deepEqual(axisSteps(0), [0, 1, 2, 3, 4]);
    assert.deepEqual(axisSteps(4), [0, 1, 2, 3, 4]);
    assert.deepEqual(axisSteps(7), [0, 2, 4, 6, 8]);
    assert.deepEqual(axisSteps(534), [0, 200, 400, 600, 800]);
  });

  it('reaches the highest bar, in few steps', () => {
    fc.assert(
      fc.property(fc.nat(1e9), (highest) => {
        const steps = axisSteps(highest);
        return (steps.at(-1) ?? 0) >= highest && steps.length === 5 && steps.every(Number.isInteger);
      }),
    );
  });
});
