import type { LoadGenerator } from '../load/load.ts';
import type { ServerProcess } from '../servers/start.ts';

export type Contender = { name: string; server: ServerProcess; requestsFile: string };

/** One round of one server. CPU time excludes the database. `generatorBusy` is a share of one core. */
export type Sample = { requestsPerSecond: number; cpuMicroseconds: number; generatorBusy: number };

/** `requests`: ends it earlier. */
type SampleOptions = { connections: number; seconds: number; requests?: number };

export async function sample(
  load: LoadGenerator,
  { server, requestsFile }: Omit<Contender, 'name'>,
  options: SampleOptions,
): Promise<Sample & { requests: number }> {
  const before = await server.usage();
  const result = await load.run({ url: server.url, requestsFile, ...options });
  const after = await server.usage();
  return {
    requests: result.requests,
    requestsPerSecond: result.requests / result.seconds,
    cpuMicroseconds: ((after.cpuMs - before.cpuMs) * 1000) / result.requests,
    generatorBusy: result.busy,
  };
}
