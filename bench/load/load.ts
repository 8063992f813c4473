import { fork } from 'node:child_process';
import { join } from 'node:path';

export type Job = { url: string; requestsFile: string; connections: number; seconds: number };

export type JobResult = { requests: number; seconds: number; failed: number };

export type LoadGenerator = { run(job: Job): Promise<JobResult>; stop(): void };

const MAX_SECONDS = 60;

export function startLoadGenerator(): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'generator.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });

  async function attempt(job: Job): Promise<JobResult> {
    const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
    const onExit = () => reject(new Error('the load generator ended'));
    child.once('message', (message) => resolve(Object(message))).once('exit', onExit);
    child.send(job);
    return promise.finally(() => child.off('exit', onExit));
  }

  return {
    async run(job) {
      const result = await attempt(job);
      if (result.failed === 0 && result.requests > 0) return result;
      // A machine that is too busy to answer once in the time it was given is given more.
      if (result.failed === 0 && job.seconds < MAX_SECONDS)
        return this.run({ ...job, seconds: job.seconds * 4 });
      throw new Error(`a load on ${job.url} failed, so it measures nothing: ${JSON.stringify(result)}`);
    },
    stop: () => child.disconnect(),
  };
}
