/** Latency of single requests at a high load that the service can sustain. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Measured } from '../figures.ts';
import type { PacedResult } from '../load/paced.ts';
import { medianSample } from './compare.ts';
import { type Bench, startVotary, VOTARY } from './vote-check.ts';

export type Latency = PacedResult & { name: string };

const LOAD = 0.8;
const SECONDS = 10;

export async function measureLatency(bench: Bench, measured: Measured): Promise<Latency[]> {
  const { spreadPath, postgres } = bench.data;
  const sqlite = `sqlite:${spreadPath}`;
  return [
    await latencyOf(bench, 'SQLite, behind a proxy', sqlite, 'http', highest(measured.http)),
    await latencyOf(bench, 'SQLite, TLS', sqlite, 'tls', highest(measured.tls)),
    await latencyOf(
      bench,
      'PostgreSQL, behind a proxy',
      postgres.spreadUrl,
      'http',
      highest(measured.postgres),
    ),
  ];
}

function highest(comparison: Measured['http']): number {
  return medianSample(comparison.get(VOTARY) ?? []).requestsPerSecond;
}

async function latencyOf(
  { data, load, plan }: Bench,
  name: string,
  database: string,
  transport: 'http' | 'tls',
  highestPerSecond: number,
): Promise<Latency> {
  const server = await startVotary(data, 'votary-latency', database, transport);
  try {
    const { url } = server;
    const requestsFile = data.requests.plainChecks;
    await load.run({ url, requestsFile, connections: plan.connections, seconds: plan.warmUp.seconds });
    return {
      name,
      ...(await paced({ url, requestsFile, perSecond: highestPerSecond * LOAD, seconds: SECONDS })),
    };
  } finally {
    await server.stop();
  }
}

/** Runs in its own process, like all load. */
async function paced(job: object): Promise<PacedResult> {
  const { promise, resolve, reject } = Promise.withResolvers<PacedResult>();
  const child = fork(join(import.meta.dirname, '..', 'load', 'paced-process.ts'), [JSON.stringify(job)]);
  child.once('message', (message) => resolve(Object(message)));
  child.once('exit', () => reject(new Error('the paced load ended without a result')));
  return promise;
}
