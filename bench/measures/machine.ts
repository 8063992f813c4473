/**
 * How steady the machine is. The same commit can have figures on both sides of a limit while other programs, or other
 * virtual machines on the same host, take a part of its speed.
 */
import { setImmediate as yieldToMessages } from 'node:timers/promises';

/** Between two measures, the same work is done this many times: a few milliseconds each. */
const TIMES = 25;
const STEPS = 2_000_000;

/** The share of the times that is compared with the shortest one; the others may be chance. */
const MOST = 0.9;

/** Above this slowdown the figures of a run say little. */
export const STEADY = 1.2;

export class MachineSpeed {
  readonly #times: number[] = [];

  async measure(): Promise<void> {
    for (let i = 0; i < TIMES; i += 1) {
      const start = performance.now();
      work();
      this.#times.push(performance.now() - start);
      await yieldToMessages();
    }
  }

  get slowdown(): number {
    return slowdownOf(this.#times);
  }
}

/** Nine of ten took at most this many times as long as the fastest. 1 is a machine that always has the same speed. */
export function slowdownOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const [fastest = Number.NaN] = sorted;
  return (sorted[Math.ceil(sorted.length * MOST) - 1] ?? Number.NaN) / fastest;
}

function work(): number {
  let sum = 0;
  for (let step = 0; step < STEPS; step += 1) sum = (sum + step * 31) % 65_521;
  return sum;
}
