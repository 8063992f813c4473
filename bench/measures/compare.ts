import type { LoadGenerator } from '../load/load.ts';
import type { Plan } from '../plan.ts';
import { onSameCore } from './cores.ts';
import { type Contender, type Sample, sample } from './sample.ts';
import { median } from './statistics.ts';
import { warmUp } from './warm-up.ts';

export type Comparison = Map<string, Sample[]>;

/** A machine can change its speed within less than a second: more rounds are shorter by as much. */
const SHORTER = 8;

/**
 * Warms up the servers, all at once to save time, then compares them. `usesCores`: servers with a database share all cores
 * with it.
 */
export async function compare(
  load: LoadGenerator,
  contenders: Contender[],
  plan: Plan,
  usesCores: 'one' | 'all' = 'one',
): Promise<Comparison> {
  await Promise.all(contenders.map((contender) => warmUp(load, contender, plan)));
  const compareNow = () => compareWarm(load, contenders, shortRounds(plan));
  const servers = contenders.map(({ server }) => server);
  return usesCores === 'one' ? onSameCore(servers, [load], compareNow) : compareNow();
}

export function shortRounds(plan: Plan): Plan {
  return { ...plan, rounds: plan.rounds * SHORTER, seconds: plan.seconds / SHORTER };
}

/**
 * Loads the servers alternately, in rounds, so that other activity on the machine affects all of them. Connections
 * stay open.
 */
export async function compareWarm(
  load: LoadGenerator,
  contenders: Contender[],
  { rounds, seconds, connections }: Omit<Plan, 'warmUp'>,
): Promise<Comparison> {
  const runs = contenders.map((contender): [string, () => Promise<Sample>] => [
    contender.name,
    () => sample(load, contender, { connections, seconds }),
  ]);
  return takeTurns(new Map(runs), rounds);
}

/** Every second round runs in reverse order, so none always follows the same other one. */
export async function takeTurns(
  runs: Map<string, () => Promise<Sample>>,
  rounds: number,
): Promise<Comparison> {
  const samples: Comparison = new Map([...runs.keys()].map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of round % 2 === 0 ? runs : [...runs].toReversed())
      samples.get(name)?.push(await run());
  }
  return samples;
}

/** The throughput of `name` relative to `other`: the median of the rounds. */
export function ratio(comparison: Comparison, name: string, other: string): number {
  return ratioOf(comparison, name, other, ({ requestsPerSecond }) => requestsPerSecond);
}

/** How many requests `name` answers in the CPU time that `other` needs for one: the median of the rounds. */
export function cpuRatio(comparison: Comparison, name: string, other: string): number {
  return ratioOf(comparison, name, other, ({ cpuMicroseconds }) => 1 / cpuMicroseconds);
}

function ratioOf(
  comparison: Comparison,
  name: string,
  other: string,
  figure: (sample: Sample) => number,
): number {
  const [ours = [], theirs = []] = [comparison.get(name), comparison.get(other)];
  return median(
    ours.flatMap((sample, round) => {
      const peer = theirs[round];
      return peer ? [figure(sample) / figure(peer)] : [];
    }),
  );
}

export function medianSample(samples: Sample[]): Sample {
  return {
    requestsPerSecond: median(samples.map((sample) => sample.requestsPerSecond)),
    cpuMicroseconds: median(samples.map((sample) => sample.cpuMicroseconds)),
    generatorBusy: median(samples.map((sample) => sample.generatorBusy)),
  };
}
