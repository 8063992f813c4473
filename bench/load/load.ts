import { fork } from 'node:child_process';
import { join } from 'node:path';

export type Job = {
  url: string;
  requestsFile: string;
  connections: number;
  seconds: number;
  /** Whether responses other than 200 are expected, as with real rate limits. */
  mayBeRefused?: boolean;
};

/** `refused` counts responses other than 200, `failed` requests without a response. */
export type JobResult = { requests: number; seconds: number; refused: number; failed: number };

export type LoadGenerator = { run(job: Job): Promise<JobResult>; stop(): void };

const MAX_SECONDS = 60;

export function startLoadGenerator(): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'generator.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });

  async function attempt(job: Job): Promise<JobResult> {
    const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
    const onExit = (code: number | null, signal: string | null) =>
      reject(new Error(`the load generator ended with ${signal ?? code}`));
    child.once('message', (message) => resolve(Object(message))).once('exit', onExit);
    child.send(job);
    return promise.finally(() => child.off('exit', onExit));
  }

  return {
    async run(job) {
      const result = await attempt(job);
      const isFaultless = result.failed === 0 && (job.mayBeRefused || result.refused === 0);
      if (isFaultless && result.requests > 0) return result;
      // A machine too busy to answer even once in the given time gets more time.
      if (isFaultless && job.seconds < MAX_SECONDS) return this.run({ ...job, seconds: job.seconds * 4 });
      throw new Error(`a load on ${job.url} failed, so it measures nothing: ${JSON.stringify(result)}`);
    },
    stop: () => child.disconnect(),
  };
}
