import { fork } from 'node:child_process';
import { join } from 'node:path';

export type Job = {
  url: string;
  requestsFile: string;
  connections: number;
  seconds: number;
  /** Whether answers other than 200 are part of the load, as where real limits are in force. */
  mayBeRefused?: boolean;
};

/** `refused` counts answers that are not 200, `failed` requests without an answer. */
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
      // A machine that is too busy to answer once in the time it was given is given more.
      if (isFaultless && job.seconds < MAX_SECONDS) return this.run({ ...job, seconds: job.seconds * 4 });
      throw new Error(`a load on ${job.url} failed, so it measures nothing: ${JSON.stringify(result)}`);
    },
    stop: () => child.disconnect(),
  };
}
