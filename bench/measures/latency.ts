/** Latency of single requests at a high load that the service can sustain. */
import type { Bench } from '../bench.ts';
import type { PacedResult } from '../load/load.ts';
import type { Contender } from './sample.ts';
import { median } from './statistics.ts';

export type LatencyFigures = { perSecond: number; results: Map<string, PacedResult[]> };

/** Milliseconds. The percentiles are medians of the rounds. */
export type Times = { p50: number; p99: number; max: number };

/** The share of the highest load. */
const LOAD = 0.8;

/** A percentile needs more requests than a throughput. */
const LONGER = 4;

/** The servers are warm, and take turns at the same rate. */
export async function measureLatency(
  { load, plan }: Bench,
  contenders: Contender[],
  highestPerSecond: number,
): Promise<LatencyFigures> {
  const perSecond = highestPerSecond * LOAD;
  const results = new Map<string, PacedResult[]>(contenders.map(({ name }) => [name, []]));
  const { connections } = plan;
  const seconds = plan.seconds * LONGER;
  for (let round = 0; round < Math.ceil(plan.rounds / 3); round += 1) {
    for (const { name, server, requestsFile } of contenders) {
      const job = { url: server.url, requestsFile, connections, seconds, perSecond };
      results.get(name)?.push(await load.runPaced(job));
    }
  }
  return { perSecond, results };
}

export function p99Ratio({ results }: LatencyFigures, name: string, other: string): number {
  const [ours = [], theirs = []] = [results.get(name), results.get(other)];
  return median(ours.flatMap(({ p99 }, round) => (theirs[round] ? [p99 / theirs[round].p99] : [])));
}

export function timesOf(results: PacedResult[]): Times {
  return {
    p50: median(results.map(({ p50 }) => p50)),
    p99: median(results.map(({ p99 }) => p99)),
    max: Math.max(...results.map(({ max }) => max)),
  };
}
