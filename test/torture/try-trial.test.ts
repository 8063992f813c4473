import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { QUICK, type Trial } from '../../torture/lib/promise.ts';
import { type Report, tryTrial } from '../../torture/lib/try-trial.ts';

type Run = Trial['run'];

async function report(run: Run, { seconds = 60, strayErrors = new EventEmitter() } = {}): Promise<Report> {
  const trial: Trial = { name: 'a fake', promise: 'Nothing much.', run };
  return tryTrial(trial, { scale: { ...QUICK, trialSeconds: seconds }, say: () => {}, strayErrors });
}

function firstBroken({ broken }: Report): string {
  return Array.isArray(broken) ? String(broken[0]) : '';
}

describe('a trial of the torture campaign', () => {
  it('passes if it finds nothing, and reports its counts', async () => {
    const { seconds, ...rest } = await report(async () => ({ broken: [], counts: { rounds: 3 } }));
    assert.deepEqual(rest, { name: 'a fake', held: true, rounds: 3, faults: 0 });
    assert.equal(typeof seconds, 'number');
  });

  it('fails if it does not end in time', async () => {
    const result = await report(() => new Promise(() => {}), { seconds: 0.01 });
    assert.deepEqual([result.held, result.faults], [false, 1]);
    assert.match(firstBroken(result), /it was not over after 0\.01 seconds/);
  });

  it('can take longer than the common limit if it declares so', async () => {
    const run: Run = () => new Promise(() => {});
    const trial: Trial = { name: 'a fake', promise: 'Nothing.', run, extraSeconds: () => 0.02 };
    const options = { say: () => {}, strayErrors: new EventEmitter() };
    const result = await tryTrial(trial, { scale: { ...QUICK, trialSeconds: 0.01 }, ...options });
    assert.match(firstBroken(result), /it was not over after 0\.03 seconds/);
  });

  it('fails if it throws, before or after its first step', async () => {
    const atOnce: Run = () => {
      throw new Error('a bad start');
    };
    const later: Run = () => Promise.reject(new Error('a bad end'));
    for (const [run, words] of [
      [atOnce, /a bad start/],
      [later, /a bad end/],
    ] as const) {
      const result = await report(run);
      assert.deepEqual([result.held, result.faults], [false, 1]);
      assert.match(firstBroken(result), words);
    }
  });

  it('fails on an unhandled error, and does not listen for errors afterwards', async () => {
    const strayErrors = new EventEmitter();
    const run: Run = () => {
      queueMicrotask(() => strayErrors.emit('uncaughtException', new Error('a stray')));
      return new Promise(() => {});
    };
    const result = await report(run, { strayErrors });
    assert.equal(result.held, false);
    assert.match(firstBroken(result), /a stray/);
    assert.equal(strayErrors.listenerCount('uncaughtException'), 0);
  });

  it('counts every error and lists the first twenty', async () => {
    const broken = Array.from({ length: 30 }, (_, i) => `fault ${i}`);
    // Even if a trial counts something with this name: in the report it means errors.
    const result = await report(async () => ({ broken, counts: { faults: 4 } }));
    assert.deepEqual([result.held, result.faults, result.broken], [false, 30, broken.slice(0, 20)]);
  });
});
