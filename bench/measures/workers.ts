/**
 * `serve --workers 2` of the built package compared with one worker. The workers, PostgreSQL and the load generator would
 * compete for the cores of a small machine, so the rate of the load is limited, and what counts is the CPU time of the
 * process that needs the most of it: a worker, or the primary, which accepts connections and writes the log.
 */
import type { Bench } from '../bench.ts';
import { type CommandServer, startCommand } from '../servers/command.ts';
import { buildPackage } from '../servers/package.ts';
import { firstRequest } from './answer-bytes.ts';
import { sample } from './sample.ts';
import { median } from './statistics.ts';
import { warmUp } from './warm-up.ts';

export type WorkersFigures = {
  /** How many times the requests of one worker two of them can answer, if each process has a core. */
  scaling: number;
  /** The rate for each worker. */
  perSecond: number;
  /** CPU microseconds per request of the busiest process. */
  one: number;
  two: number;
};

/**
 * The rate for each worker, as a share of the highest load of one: the requests of one tick share a statement, so
 * workers are only comparable at the same rate.
 */
const LOAD = 0.3;
const LONGER = 2;

export async function measureWorkers(bench: Bench): Promise<WorkersFigures> {
  const { load, plan, data } = bench;
  const requestsFile = data.requests.plainChecks;
  const started = await Promise.all([startWorkers(bench, 1), startWorkers(bench, 2)]);
  const [one, two] = started;
  try {
    // Each of two workers gets half of the requests, so they are the colder ones: their figure can only be too low.
    await Promise.all(
      started.map((server, i) => warmUp(load, { name: `${i + 1} workers`, server, requestsFile }, plan)),
    );
    const { connections, seconds } = plan;
    const highest = await sample(load, { server: one, requestsFile }, { connections, seconds: 2 * seconds });
    const perSecond = highest.requestsPerSecond * LOAD;
    const busiest = async (server: CommandServer, workers: number): Promise<number> => {
      const before = server.cpuOfEach();
      const job = {
        url: server.url,
        requestsFile,
        connections,
        seconds: seconds * LONGER,
        perSecond: perSecond * workers,
      };
      const { requests } = await load.runPaced(job);
      const used = server.cpuOfEach().map((cpuMs, i) => cpuMs - (before[i] ?? 0));
      return (Math.max(...used) * 1000) / requests;
    };
    const rounds: { one: number; two: number }[] = [];
    for (let round = 0; round < Math.ceil(plan.rounds / 2); round += 1) {
      rounds.push({ one: await busiest(one, 1), two: await busiest(two, 2) });
    }
    return {
      scaling: median(rounds.map((round) => round.one / round.two)),
      perSecond,
      one: median(rounds.map((round) => round.one)),
      two: median(rounds.map((round) => round.two)),
    };
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}

async function startWorkers({ data }: Bench, workers: number): Promise<CommandServer> {
  return startCommand({
    folder: data.folder,
    logName: `workers-${workers}`,
    script: buildPackage(data.folder),
    args: ['--workers', String(workers)],
    scheme: 'http',
    env: {
      VOTARY_DATABASE_URL: await data.spreadDatabase(),
      VOTARY_RATE_LIMIT: '1000000',
      // No proxy has to notice that it stops.
      VOTARY_DRAIN_SECONDS: '0',
    },
    first: firstRequest(data.requests.plainChecks),
  });
}
