import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Job, LoadGenerator } from '../../bench/load/load.ts';
import { standsStill, warmUp } from '../../bench/measures/warm-up.ts';

describe('the warm-up', () => {
  it('recognizes a figure that stands still', () => {
    assert.equal(standsStill([100, 101, 99, 100, 98, 101]), true);
    assert.equal(standsStill([300, 200, 150, 100, 101, 99]), false);
    assert.equal(standsStill([300, 200, 150, 100, 101, 99, 100, 102, 100]), true);
  });

  it('does not wait for a steady figure on a machine that is not steady', () => {
    assert.equal(standsStill([130, 100, 115, 105, 135, 120]), true);
    assert.equal(standsStill([330, 300, 315, 105, 135, 120]), false);
  });

  it('does not take a spike of the compiler for a figure that stands still', () => {
    assert.equal(standsStill([100, 99, 101, 160, 170, 150]), false);
  });

  it('needs several steps', () => {
    assert.equal(standsStill([100, 100, 100]), false);
  });

  it('continues after the least number of requests until the figure stands still', async () => {
    // CPU time per request of each step: it has just fallen at the eighth, which completes the 80 requests.
    assert.equal(await stepsOf([400, 300, 200, 150, 100, 100, 100, 100, 100, 100]), 9);
  });

  it('ends a quarter later if the figure does not stand still', async () => {
    assert.equal(await stepsOf([900, 800, 700, 600, 500, 400, 300, 200, 150, 100, 50, 50, 50]), 10);
  });
});

/** How many steps of 10 requests a warm-up of at least 80 takes. */
async function stepsOf(cpuTimes: number[]): Promise<number> {
  const jobs: Job[] = [];
  let cpuMs = 0;
  const load: LoadGenerator = {
    pid: 0,
    run: async (job) => {
      const requests = job.requests ?? 0;
      cpuMs += ((cpuTimes[jobs.length] ?? 100) * requests) / 1000;
      jobs.push(job);
      return { requests, seconds: 1, refused: 0, failed: 0, busy: 0 };
    },
    runPaced: () => Promise.reject(new Error('not used')),
    stop: () => {},
  };
  const server = {
    ...{ pid: 0, url: 'http://server', usage: async () => ({ cpuMs, rssMb: 0 }) },
    stop: async () => {},
  };
  const plan = { rounds: 1, seconds: 1, connections: 1, warmUp: { requests: 80, seconds: 1000 } };
  await warmUp(load, { name: 'server', server, requestsFile: 'checks' }, plan);
  assert.ok(jobs.every(({ requests }) => requests === 10));
  return jobs.length;
}
