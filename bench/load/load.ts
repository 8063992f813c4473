import { fork } from 'node:child_process';
import { join } from 'node:path';

export type Job = {
  url: string;
  requestsFile: string;
  connections: number;
  seconds: number;
  /** Ends the job earlier. Default: no limit. */
  requests?: number;
  /** Whether responses other than 200 are expected, as with real rate limits. */
  mayBeRefused?: boolean;
};

/**
 * `refused` counts responses other than 200, `failed` requests without a response. `busy` is the share of one core
 * that the generator used: near 1, it measures itself.
 */
export type JobResult = { requests: number; seconds: number; refused: number; failed: number; busy: number };

/** A constant rate: see paced.ts. */
export type PacedJob = {
  url: string;
  requestsFile: string;
  connections: number;
  seconds: number;
  perSecond: number;
};

/** Times in milliseconds. `requests` includes those that were not timed. */
export type PacedResult = {
  requests: number;
  perSecond: number;
  failed: number;
  p50: number;
  p99: number;
  max: number;
  busy: number;
};

export type LoadGenerator = {
  pid: number;
  run(job: Job): Promise<JobResult>;
  runPaced(job: PacedJob): Promise<PacedResult>;
  stop(): void;
};

/** What the generator process receives. */
export type Ordered = { id: number; job: Job | PacedJob };

/** What it sends back. */
export type Finished = { id: number; result: JobResult | PacedResult | { failure: string } };

const MAX_SECONDS = 60;

export function startLoadGenerator(): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'generator.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Options of a test process would make it a test process too.
    execArgv: [],
  });

  const running = new Map<number, PromiseWithResolvers<object>>();
  let jobs = 0;
  child.on('message', ({ id, result }: Finished) => running.get(id)?.resolve(result));
  child.once('exit', (code, signal) => {
    for (const { reject } of running.values()) {
      reject(new Error(`the load generator ended with ${signal ?? code}`));
    }
  });

  async function attempt<T extends object>(job: Job | PacedJob): Promise<T> {
    jobs += 1;
    const id = jobs;
    const answer = Promise.withResolvers<object>();
    running.set(id, answer);
    child.send({ id, job } satisfies Ordered);
    return answer.promise.then(Object).finally(() => running.delete(id));
  }

  return {
    pid: child.pid ?? 0,
    async run(job) {
      const result = await attempt<JobResult>(job);
      const isFaultless = result.failed === 0 && (job.mayBeRefused || result.refused === 0);
      if (isFaultless && result.requests > 0) return result;
      // A machine too busy to answer even once in the given time gets more time.
      if (isFaultless && job.seconds < MAX_SECONDS) return this.run({ ...job, seconds: job.seconds * 4 });
      throw new Error(`a load on ${job.url} failed, so it measures nothing: ${JSON.stringify(result)}`);
    },
    async runPaced(job) {
      const result = await attempt<PacedResult>(job);
      if (result.failed === 0) return result;
      throw new Error(`a load on ${job.url} failed, so it measures nothing: ${JSON.stringify(result)}`);
    },
    stop: () => child.disconnect(),
  };
}
