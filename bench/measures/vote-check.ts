/** The vote check compared with servers that do less, or the same with common libraries. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSets } from '../data-sets/ensure.ts';
import type { LoadGenerator } from '../load/load.ts';
import { type ServerProcess, startServer } from '../servers/start.ts';
import type { Transport } from '../servers/votary.ts';
import { captureAnswer } from './answer-bytes.ts';
import { type Comparison, compare, type Plan } from './compare.ts';

export const VOTARY = 'Votary';
export const BARE = 'bare node:http';
export const BARE_TLS = 'bare node:https';
export const EXPRESS = 'Express 5';
export const ONE_READ = 'node:http, one read';

/** The target, generator and duration of a measurement. */
export type Bench = { data: DataSets; load: LoadGenerator; plan: Plan };

export function startVotary(
  { folder }: DataSets,
  name: string,
  database: string,
  transport: Transport,
): Promise<ServerProcess> {
  const dataDir = join(folder, 'votary');
  return startServer('servers/votary.ts', { database, transport, dataDir }, join(folder, `${name}.log`));
}

export async function compareOnHttp({ data, load, plan }: Bench): Promise<Comparison> {
  const requestsFile = data.requests.checks;
  const [votary, express] = await Promise.all([
    startVotary(data, 'votary-http', `sqlite:${data.spreadPath}`, 'http'),
    startServer('peers/express.ts', { path: data.spreadPath }, join(data.folder, 'express.log')),
  ]);
  const bytes = await captureAnswer(votary.url, requestsFile);
  const bare = await startServer('peers/bare.ts', { ...bytes, tls: null }, join(data.folder, 'bare.log'));
  const contenders = [
    { name: VOTARY, server: votary, requestsFile },
    { name: BARE, server: bare, requestsFile },
    { name: EXPRESS, server: express, requestsFile },
  ];
  return compareAndStop(load, contenders, plan);
}

export async function compareOnTls({ data, load, plan }: Bench): Promise<Comparison> {
  const requestsFile = data.requests.checks;
  const votary = await startVotary(data, 'votary-tls', `sqlite:${data.spreadPath}`, 'tls');
  const bytes = await captureAnswer(votary.url, requestsFile);
  const pem = (name: string) => readFileSync(join(data.folder, 'votary', 'tls', name), 'utf8');
  const tls = { cert: pem('cert.pem'), key: pem('key.pem') };
  const bare = await startServer('peers/bare.ts', { ...bytes, tls }, join(data.folder, 'bare-tls.log'));
  const contenders = [
    { name: VOTARY, server: votary, requestsFile },
    { name: BARE_TLS, server: bare, requestsFile },
  ];
  return compareAndStop(load, contenders, warmedUp(plan, 1.4));
}

export async function compareOnPostgres({ data, load, plan }: Bench): Promise<Comparison> {
  const requestsFile = data.requests.plainChecks;
  const { spreadUrl } = data.postgres;
  const votary = await startVotary(data, 'votary-postgres', spreadUrl, 'http');
  const { headers } = await captureAnswer(votary.url, requestsFile);
  const oneRead = await startServer(
    'peers/one-read.ts',
    { url: spreadUrl, guilds: data.shape.guilds, headers },
    join(data.folder, 'one-read.log'),
  );
  const contenders = [
    { name: VOTARY, server: votary, requestsFile },
    { name: ONE_READ, server: oneRead, requestsFile },
  ];
  return compareAndStop(load, contenders, warmedUp(plan, 0.6));
}

/** Warm-up time depends on how much of the server's own code each request runs. */
function warmedUp(plan: Plan, times: number): Plan {
  return { ...plan, warmUp: { ...plan.warmUp, seconds: plan.warmUp.seconds * times } };
}

async function compareAndStop(...given: Parameters<typeof compare>): Promise<Comparison> {
  try {
    return await compare(...given);
  } finally {
    await Promise.all(given[1].map(({ server }) => server.stop()));
  }
}
