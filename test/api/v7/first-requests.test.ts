import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFirstRequests } from '../../../src/api/v7/first-requests.ts';
import { NOW } from '../../store/fixtures.ts';

test('first requests are written together after a second, and again after a failed write', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const written: (readonly string[])[] = [];
  const recordRequests = async (guildIds: readonly string[]): Promise<void> => {
    written.push(guildIds);
    if (written.length === 1) throw new Error('the database is down');
  };
  const milestones = Object({ recordRequests });
  const record = createFirstRequests({ store: { milestones }, clock: () => NOW });
  for (const guildId of ['1', '2', '1']) record(guildId);
  t.mock.timers.tick(999);
  assert.deepEqual(written, []);
  t.mock.timers.tick(1);
  assert.deepEqual(written, [['1', '2']]);
  record('3');
  await new Promise(setImmediate);
  record('1');
  t.mock.timers.tick(1000);
  assert.deepEqual(written.slice(1), [['3', '1', '2']]);
  record('1');
  t.mock.timers.tick(10_000);
  assert.equal(written.length, 2);
});
