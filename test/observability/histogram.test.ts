import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AggregatorRegistry, Histogram, Registry } from 'prom-client';
import { PlainHistogram } from '../../src/observability/histogram.ts';

const BUCKETS = [0.001, 0.01, 0.1];
const HELP = 'Time of something';
const OBSERVED = [
  ['first', 0.0001],
  ['second', 0.001],
  ['first', 0.0011],
  ['third "quoted"', 0],
  ['first', 7],
  ['second', 0.1],
  ['first', 0.30000000000000004],
] as const;

/** The text of one process, and that of a primary with two workers. */
async function exportedBy(registry: Registry): Promise<string[]> {
  const worker = await registry.getMetricsAsJSON();
  return [await registry.metrics(), await AggregatorRegistry.aggregate([worker, worker]).metrics()];
}

test('a histogram of plain numbers is exported as prom-client exports its own', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const plain = new PlainHistogram({
    name: 'h',
    help: HELP,
    label: 'kind',
    buckets: BUCKETS,
    registry: ours,
  });
  const usual = new Histogram({
    ...{ name: 'h', help: HELP, labelNames: ['kind'], buckets: BUCKETS },
    registers: [theirs],
  });
  assert.deepEqual(await exportedBy(ours), await exportedBy(theirs));
  plain.start('unused');
  usual.zero({ kind: 'unused' });
  for (const [kind, seconds] of OBSERVED) {
    plain.add(kind, seconds);
    usual.observe({ kind }, seconds);
  }
  assert.deepEqual(await exportedBy(ours), await exportedBy(theirs));
});

test('the same holds without a label', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const plain = new PlainHistogram({ name: 'h', help: HELP, buckets: BUCKETS, registry: ours });
  const usual = new Histogram({ name: 'h', help: HELP, buckets: BUCKETS, registers: [theirs] });
  assert.deepEqual(await exportedBy(ours), await exportedBy(theirs));
  for (const [, seconds] of OBSERVED) {
    plain.add('', seconds);
    usual.observe(seconds);
  }
  assert.deepEqual(await exportedBy(ours), await exportedBy(theirs));
});
