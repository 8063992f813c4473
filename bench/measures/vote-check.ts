/** The vote check compared with servers that do less, or the same with common libraries. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { DataSets } from '../data-sets/ensure.ts';
import type { Revision } from '../servers/revision.ts';
import { startServer, startVotary } from '../servers/start.ts';
import type { Transport } from '../servers/votary.ts';
import { captureAnswer } from './answer-bytes.ts';
import { type Comparison, compare } from './compare.ts';
import { type LatencyFigures, measureLatency } from './latency.ts';
import type { Contender } from './sample.ts';

export const VOTARY = 'Votary';
export const AGAINST = 'Votary, other commit';
export const BARE = 'bare node:http';
export const BARE_TLS = 'bare node:https';
export const EXPRESS = 'Express 5';
export const ONE_READ = 'node:http, one read';

/** `latency` at 80 % of the highest load; a quick run only measures it over HTTP. */
export type CheckFigures = { comparison: Comparison; latency: LatencyFigures | undefined };
export type HttpFigures = { comparison: Comparison; latency: LatencyFigures };

export async function compareOnHttp(bench: Bench): Promise<HttpFigures> {
  const { data } = bench;
  const path = await data.spreadFile();
  const requestsFile = data.requests.checks;
  return withVotary(bench, { database: `sqlite:${path}`, transport: 'http', requestsFile }, async (ours) => {
    const bytes = await captureAnswer(ours[0].server.url, requestsFile);
    const [bare, express] = await Promise.all([
      startServer('peers/bare.ts', { ...bytes, tls: null }, join(data.folder, 'bare.log')),
      startServer('peers/express.ts', { path }, join(data.folder, 'express.log')),
    ]);
    const peer = { name: BARE, server: bare, requestsFile };
    const peers = [peer, { name: EXPRESS, server: express, requestsFile }];
    return compareAndStop(bench, ours, peers, () => measureLatency(bench, [ours[0], peer]));
  });
}

export async function compareOnTls(bench: Bench, withLatency: boolean): Promise<CheckFigures> {
  const { data } = bench;
  const database = `sqlite:${await data.spreadFile()}`;
  const requestsFile = data.requests.checks;
  return withVotary(bench, { database, transport: 'tls', requestsFile }, async (ours) => {
    const bytes = await captureAnswer(ours[0].server.url, requestsFile);
    const pem = (name: string) => readFileSync(join(data.folder, 'votary', 'tls', name), 'utf8');
    const tls = { cert: pem('cert.pem'), key: pem('key.pem') };
    const bare = await startServer('peers/bare.ts', { ...bytes, tls }, join(data.folder, 'bare-tls.log'));
    const peer = { name: BARE_TLS, server: bare, requestsFile };
    return compareAndStop(bench, ours, [peer], async () =>
      withLatency ? measureLatency(bench, [ours[0], peer]) : undefined,
    );
  });
}

export async function compareOnPostgres(bench: Bench, withLatency: boolean): Promise<CheckFigures> {
  const { data } = bench;
  const url = await data.spreadDatabase();
  const requestsFile = data.requests.plainChecks;
  return withVotary(bench, { database: url, transport: 'http', requestsFile }, async (ours) => {
    const { headers } = await captureAnswer(ours[0].server.url, requestsFile);
    const options = { url, guilds: data.shape.guilds, headers };
    const oneRead = await startServer('peers/one-read.ts', options, join(data.folder, 'one-read.log'));
    const peers = [{ name: ONE_READ, server: oneRead, requestsFile }];
    // Its highest load may be lower than that of Votary, and then it has no latency at this rate.
    const measure = async () => (withLatency ? measureLatency(bench, [ours[0]]) : undefined);
    return compareAndStop(bench, ours, peers, measure, 'all');
  });
}

type Ours = { database: string; transport: Transport; requestsFile: string };

/** Starts this service and, with `--against`, that of the other commit. Stops them if the work fails. */
async function withVotary<T>(
  { data, against }: Bench,
  { database, transport, requestsFile }: Ours,
  work: (ours: [Contender, ...Contender[]]) => Promise<T>,
): Promise<T> {
  const start = async (name: string, log: string, from: string, script?: string): Promise<Contender> => {
    const server = await startVotary(data.folder, log, { database: from, transport }, script);
    return { name, server, requestsFile };
  };
  const votary = await start(VOTARY, 'votary', database);
  const others: Contender[] = [];
  try {
    const other = against && databaseOf(against, data, database);
    if (against && other) others.push(await start(AGAINST, 'votary-against', other, against.script));
    return await work([votary, ...others]);
  } finally {
    await stopAll([votary, ...others]);
  }
}

/** `undefined` when the other commit has another schema on PostgreSQL, for which it would need a data set of its own. */
function databaseOf(against: Revision, { folder, shape }: DataSets, database: string): string | undefined {
  if (against.hasSameSchema) return database;
  if (database.startsWith('sqlite:')) return `sqlite:${against.ensureSpreadFile(folder, shape)}`;
  process.stderr.write(`  ${against.commit} is not measured on PostgreSQL: its schema is another one\n`);
  return undefined;
}

async function compareAndStop<L>(
  { load, plan }: Bench,
  ours: Contender[],
  peers: Contender[],
  measure: () => Promise<L>,
  usesCores: 'one' | 'all' = 'one',
): Promise<{ comparison: Comparison; latency: L }> {
  try {
    const comparison = await compare(load, [...ours, ...peers], plan, usesCores);
    return { comparison, latency: await measure() };
  } finally {
    await stopAll(peers);
  }
}

async function stopAll(contenders: Contender[]): Promise<void> {
  await Promise.all(contenders.map(({ server }) => server.stop()));
}
