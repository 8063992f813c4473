/**
 * How steady the machine is. The same commit can have figures on both sides of a limit while other programs, or other
 * virtual machines on the same host, take a part of its speed.
 */
import { readFileSync } from 'node:fs';
import { setImmediate as yieldToMessages } from 'node:timers/promises';

/** Between two measures, the same work is done this many times: a few milliseconds each. */
const TIMES = 25;
const STEPS = 2_000_000;

/** The share of the times that is compared with the shortest one; the others may be chance. */
const MOST = 0.9;

/** Above this slowdown the figures of a run say little. */
export const STEADY = 1.2;

/** Above this share of stolen time, too. */
export const UNSHARED = 0.02;

export type Machine = {
  slowdown: number;
  /** The share of the CPU time of this virtual machine that its host gave to others. `null` where that is not known. */
  stolen: number | null;
};

export class MachineSpeed {
  readonly #times: number[] = [];
  readonly #statAtStart = readStat();

  async measure(): Promise<void> {
    for (let i = 0; i < TIMES; i += 1) {
      const start = performance.now();
      work();
      this.#times.push(performance.now() - start);
      await yieldToMessages();
    }
  }

  get machine(): Machine {
    return { slowdown: slowdownOf(this.#times), stolen: stolenShare(this.#statAtStart, readStat()) };
  }
}

/** Only Linux has it. */
function readStat(): string {
  try {
    return readFileSync('/proc/stat', 'utf8');
  } catch {
    return '';
  }
}

/** Of the time in which something was to be done, so idle time does not count. */
export function stolenShare(statBefore: string, statAfter: string): number | null {
  const [before, after] = [cpuTimes(statBefore), cpuTimes(statAfter)];
  if (!before || !after) return null;
  const wanted = after.wanted - before.wanted;
  return wanted === 0 ? 0 : (after.stolen - before.stolen) / wanted;
}

function cpuTimes(stat: string): { wanted: number; stolen: number } | undefined {
  const times = /^cpu +([\d ]+)$/m.exec(stat)?.[1]?.split(' ').map(Number);
  if (!times) return undefined;
  const [user = 0, nice = 0, system = 0, _idle, _waiting, interrupts = 0, softInterrupts = 0, stolen = 0] =
    times;
  return { wanted: user + nice + system + interrupts + softInterrupts + stolen, stolen };
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
