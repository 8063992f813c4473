/**
 * The load generator: one process for the whole bench. Measured jobs run one after another; those of a warm-up may run
 * at the same time, on different servers. Connections stay open between jobs, and each server gets the requests of a
 * file in the same order.
 */
import { readFileSync } from 'node:fs';
import { Connection } from './connection.ts';
import type { Finished, Job, JobResult, Ordered, PacedJob, PacedResult } from './load.ts';
import { runPaced } from './paced.ts';
import type { PreparedRequest } from './requests.ts';

/** Requests without a response this long after the end of a job have failed. */
const PATIENCE_MS = 10_000;

const files = new Map<string, Uint8Array[]>();
const pools = new Map<string, Connection[]>();
const positions = new Map<string, number>();

process.on('message', async ({ id, job }: Ordered) => {
  const result = 'perSecond' in job ? runAtRate(job) : runAtFullSpeed(job);
  const answer: Finished = {
    id,
    result: await result.catch((error: unknown) => ({ failure: String(error) })),
  };
  process.send?.(answer);
});
process.on('disconnect', () => process.exit());

/** Every connection sends its next request when it has its response. */
async function runAtFullSpeed(job: Job): Promise<JobResult> {
  const requests = readRequests(job.requestsFile);
  const connections = await connectionsTo(job.url, job.connections);
  const positionKey = `${job.url} ${job.requestsFile}`;
  let position = positions.get(positionKey) ?? 0;
  const most = job.requests ?? Number.POSITIVE_INFINITY;
  const counts = { ok: 0, refused: 0, failed: 0 };
  let [sent, open] = [0, connections.length];
  let isOver = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const next = (connection: Connection): void => {
    const request = isOver || sent >= most ? undefined : requests[position % requests.length];
    if (request === undefined) {
      open -= 1;
      if (open === 0) resolve();
      return;
    }
    sent += 1;
    position += 1;
    connection.send(request, (status) => {
      counts[status] += 1;
      if (status === 'failed') isOver = true;
      next(connection);
    });
  };
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = setTimeout(() => {
    isOver = true;
  }, job.seconds * 1000);
  const deadline = setTimeout(() => closeAll(connections), job.seconds * 1000 + PATIENCE_MS);
  for (const connection of connections) next(connection);
  await promise;
  clearTimeout(end);
  clearTimeout(deadline);
  positions.set(positionKey, position);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const { ok, refused, failed } = counts;
  return { requests: ok + refused, seconds, refused, failed, busy: (user + system) / 1e6 / seconds };
}

async function runAtRate(job: PacedJob): Promise<PacedResult> {
  const connections = await connectionsTo(job.url, job.connections);
  return runPaced({ ...job, connections, requests: readRequests(job.requestsFile) });
}

async function connectionsTo(url: string, count: number): Promise<Connection[]> {
  const kept = (pools.get(url) ?? []).filter(({ isOpen }) => isOpen);
  const missing = Math.max(0, count - kept.length);
  const added = await Promise.all(Array.from({ length: missing }, () => Connection.open(url)));
  const pool = [...kept, ...added];
  pools.set(url, pool);
  return pool.slice(0, count);
}

function closeAll(connections: Connection[]): void {
  for (const connection of connections) connection.close();
}

function readRequests(path: string): Uint8Array[] {
  const prepared: PreparedRequest[] = files.has(path) ? [] : JSON.parse(readFileSync(path, 'utf8'));
  const requests = files.get(path) ?? prepared.map((request) => Buffer.from(requestText(request), 'latin1'));
  files.set(path, requests);
  return requests;
}

function requestText({ path, headers }: PreparedRequest): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}
