/**
 * Loads a server until its CPU time per request stands still. V8 is still optimizing at 20,000 requests, where a
 * vote check takes up to twice as long for a while, so a fixed number near it measures the compiler.
 */
import type { LoadGenerator } from '../load/load.ts';
import type { Plan } from '../plan.ts';
import type { Task } from '../servers/task.ts';
import { type Contender, type Sample, sample } from './sample.ts';
import { median } from './statistics.ts';

/** The least number of requests is sent in this many steps. */
const STEPS = 8;

/** A figure that does not stand still ends the warm-up after this many times the least number of requests. */
const LONGEST = 1.25;

/** The figure of the last steps is compared with that of as many before. */
const WINDOW = 3;

/** The figure stands still when it changed by less than this share, or by less than single steps do on a noisy machine. */
const TOLERANCE = 0.05;

export function warmUp(
  load: LoadGenerator,
  contender: Contender,
  { warmUp: limits, connections }: Plan,
): Promise<void> {
  return repeatUntilStill(contender.name, limits, (requests, seconds) =>
    sample(load, contender, { connections, seconds, requests }),
  );
}

/** How many requests a warm-up sends at most. */
export function mostRequests({ requests }: Limits): number {
  return requests * LONGEST;
}

export function warmUpTask(name: string, task: Task, limits: Limits): Promise<void> {
  return repeatUntilStill(name, limits, async (requests) => ({ ...(await task.run(requests)), requests }));
}

type Limits = Plan['warmUp'];

type Step = (requests: number, seconds: number) => Promise<Sample & { requests: number }>;

async function repeatUntilStill(name: string, limits: Limits, step: Step): Promise<void> {
  const { requests: least, seconds: longest } = limits;
  const end = performance.now() + longest * 1000;
  const size = Math.ceil(least / STEPS);
  const times: number[] = [];
  let sent = 0;
  while (sent < least || !standsStill(times)) {
    const seconds = (end - performance.now()) / 1000;
    if (seconds <= 0 || sent + size > mostRequests(limits)) {
      process.stderr.write(`  ${name}: still warming up after ${sent} requests\n`);
      return;
    }
    const { cpuMicroseconds, requests } = await step(size, seconds);
    times.push(cpuMicroseconds);
    sent += requests;
  }
}

/** Whether the CPU time per request, of equal steps, no longer changes. */
export function standsStill(times: readonly number[]): boolean {
  if (times.length < 2 * WINDOW) return false;
  const recent = times.slice(-2 * WINDOW);
  const change = median(recent.slice(WINDOW)) / median(recent.slice(0, WINDOW)) - 1;
  return Math.abs(change) < Math.max(TOLERANCE, noiseOf(recent));
}

/** How far a step is from the middle between its neighbours: a figure that only falls has little of it. */
function noiseOf(times: readonly number[]): number {
  const inner = times.slice(1, -1).map((time, i) => {
    const [before = time, after = time] = [times[i], times[i + 2]];
    return Math.abs(time - (before + after) / 2) / time;
  });
  return median(inner);
}
