/** Latency of single requests at a high load that the service can sustain. */
import type { Bench } from '../bench.ts';
import type { PacedResult } from '../load/load.ts';
import { type Contender, sample } from './sample.ts';
import { median } from './statistics.ts';

/** `perSecond`: the median of the rates at which requests were sent. */
export type LatencyFigures = { perSecond: number; results: Map<string, PacedResult[]> };

/** Milliseconds. The percentiles are medians of the rounds. */
export type Times = { p50: number; p99: number; max: number };

/** The share of the highest load. */
const LOAD = 0.8;

/** More and shorter rounds than those of other measures: a pause of some milliseconds spoils the p99 of a whole round. */
const MORE_ROUNDS = 4;
const SHORTER = 3;
/** The highest load takes a round to measure. */
const ROUNDS_PER_RATE = 3;

/**
 * The servers are warm, and take turns at the same rate. The highest load of the first one is measured again every few rounds:
 * on a machine that became slower since, 80 % of an earlier one is more than any of them can answer.
 */
export async function measureLatency(
  { load, plan }: Bench,
  contenders: [Contender, ...Contender[]],
): Promise<LatencyFigures> {
  const results = new Map<string, PacedResult[]>(contenders.map(({ name }) => [name, []]));
  const { connections } = plan;
  const seconds = plan.seconds / SHORTER;
  const rates: number[] = [];
  let perSecond = 0;
  for (let round = 0; round < plan.rounds * MORE_ROUNDS; round += 1) {
    if (round % ROUNDS_PER_RATE === 0) {
      const { requestsPerSecond } = await sample(load, contenders[0], { connections, seconds });
      perSecond = requestsPerSecond * LOAD;
      rates.push(perSecond);
    }
    for (const { name, server, requestsFile } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const job = { url: server.url, requestsFile, connections, seconds, perSecond };
      results.get(name)?.push(await load.runPaced(job));
    }
  }
  return { perSecond: median(rates), results };
}

/** Of the medians, not the median of the ratios: a pause of the machine affects one server of a round, not both. */
export function p99Ratio({ results }: LatencyFigures, name: string, other: string): number {
  const p99 = (of: string) => median((results.get(of) ?? []).map((round) => round.p99));
  return p99(name) / p99(other);
}

export function timesOf(results: PacedResult[]): Times {
  return {
    p50: median(results.map(({ p50 }) => p50)),
    p99: median(results.map(({ p99 }) => p99)),
    max: Math.max(...results.map(({ max }) => max)),
  };
}
