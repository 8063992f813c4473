import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OnResponse } from '../../bench/load/connection.ts';
import { runPaced } from '../../bench/load/paced.ts';

/** Runs 500 ms of requests, of which the first 100 ms are not timed, on a server that answers from `answersFrom` on. */
async function run(answersFrom: number) {
  let [time, isRunning] = [0, true];
  let tick = () => {};
  const waiting: OnResponse[] = [];
  const connection = {
    isOpen: true,
    send: (_request: Uint8Array, onResponse: OnResponse) => void waiting.push(onResponse),
  };
  const result = runPaced(
    { connections: [connection], requests: [Buffer.from('request')], perSecond: 100, seconds: 0.4 },
    {
      now: () => time,
      onTick: (run) => {
        tick = run;
        return () => {
          isRunning = false;
        };
      },
    },
  ).finally(() => {
    isRunning = false;
  });
  for (; isRunning && time < 5000; time += 1) {
    tick();
    while (time >= answersFrom && waiting.length > 0) waiting.shift()?.('ok');
    await Promise.resolve();
  }
  return result;
}

describe('a load at a constant rate', () => {
  it('sends each request when it is due', async () => {
    const { requests, failed, p50, max } = await run(0);
    assert.deepEqual({ requests, failed, p50, max }, { requests: 50, failed: 0, p50: 0, max: 0 });
  });

  it('charges a stalled server for every request that was due in the meantime', async () => {
    const { requests, max, p99 } = await run(300);
    assert.equal(requests, 50);
    // Of the 40 timed requests, due from 100 ms on, the first 20 waited until 300 ms.
    assert.deepEqual({ p99, max }, { p99: 200, max: 200 });
  });
});
