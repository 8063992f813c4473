import type { LoadGenerator } from '../load/load.ts';
import type { ServerProcess } from '../servers/start.ts';

export type Contender = { name: string; server: ServerProcess; requestsFile: string };

/** One round of one server. CPU time excludes the database. */
export type Sample = { requestsPerSecond: number; cpuMicroseconds: number };

export type Comparison = Map<string, Sample[]>;

export type Plan = {
  rounds: number;
  seconds: number;
  /** Warm-up ends after this many requests or this long: V8 compiles during the first tens of thousands. */
  warmUp: { requests: number; seconds: number };
  connections: number;
};

/**
 * Loads the servers alternately, in rounds, so that other activity on the machine affects all of them. Every
 * second round runs in reverse order, so no server always follows the same other one.
 */
export async function compare(load: LoadGenerator, contenders: Contender[], plan: Plan): Promise<Comparison> {
  const samples: Comparison = new Map(contenders.map(({ name }) => [name, []]));
  for (const contender of contenders) await warmUp(load, contender, plan);
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      samples.get(contender.name)?.push(await sample(load, contender, plan.connections, plan.seconds));
    }
  }
  return samples;
}

async function warmUp(
  load: LoadGenerator,
  contender: Contender,
  { warmUp, connections }: Plan,
): Promise<void> {
  const { server, requestsFile } = contender;
  const step = warmUp.seconds / WARM_UP_STEPS;
  let requests = 0;
  for (let i = 0; i < WARM_UP_STEPS && requests < warmUp.requests; i += 1) {
    requests += (await load.run({ url: server.url, requestsFile, connections, seconds: step })).requests;
  }
}

async function sample(
  load: LoadGenerator,
  { server, requestsFile }: Contender,
  connections: number,
  seconds: number,
): Promise<Sample> {
  const before = await server.usage();
  const result = await load.run({ url: server.url, requestsFile, connections, seconds });
  const after = await server.usage();
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuMicroseconds: ((after.cpuMs - before.cpuMs) * 1000) / result.requests,
  };
}

const WARM_UP_STEPS = 3;

/** The throughput of `name` relative to `other`: the median of the rounds. */
export function ratio(comparison: Comparison, name: string, other: string): number {
  const [ours = [], theirs = []] = [comparison.get(name), comparison.get(other)];
  return median(
    ours.map(({ requestsPerSecond }, round) => requestsPerSecond / (theirs[round]?.requestsPerSecond ?? 0)),
  );
}

export function medianSample(samples: Sample[]): Sample {
  return {
    requestsPerSecond: median(samples.map((sample) => sample.requestsPerSecond)),
    cpuMicroseconds: median(samples.map((sample) => sample.cpuMicroseconds)),
  };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}
