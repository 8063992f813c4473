/** The published command on the largest database: time to the first response, and memory after a load. */
import type { Bench } from '../bench.ts';
import { type CommandServer, startCommand } from '../servers/command.ts';
import { buildPackage } from '../servers/package.ts';
import { captureAnswer, firstRequest } from './answer-bytes.ts';
import { median } from './statistics.ts';

export type ProcessFigures = { startMs: number; rssMb: number };

export async function measureRealProcess(bench: Bench): Promise<ProcessFigures> {
  const { data, plan } = bench;
  const options = {
    folder: data.folder,
    logName: 'serve',
    script: buildPackage(data.folder),
    scheme: 'https',
    env: { VOTARY_DATABASE_URL: `sqlite:${await data.listsFile()}` },
    // Read before the start: the file is large, and this process shares the cores with the one it measures.
    first: firstRequest(data.requests.checks),
  } as const;
  // The first start fills the compile cache of the package.
  await (await startCommand(options)).stop();
  const starts: number[] = [];
  const memories: number[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    const server = await startCommand(options);
    starts.push(server.startMs);
    if (round < 3) memories.push(await rssAfterLoad(bench, server));
    await server.stop();
  }
  return { startMs: median(starts), rssMb: median(memories) };
}

/**
 * Uses the production limits: every guild sends a few requests, and the longest list is read with the thirty
 * requests of its key.
 */
async function rssAfterLoad({ data, load, plan }: Bench, { url, usage }: CommandServer): Promise<number> {
  const job = { url, connections: plan.connections, seconds: plan.seconds * 3, mayBeRefused: true };
  await load.run({ ...job, requestsFile: data.requests.checks });
  for (let page = 0; page < 20; page += 1) await captureAnswer(url, data.requests.thousands);
  return (await usage()).rssMb;
}
