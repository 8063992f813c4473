/** A process that does the same work whenever the bench asks for it, over the IPC channel. */
import type { DatabaseUrl } from '../../src/config.ts';
import type { Sample } from '../measures/sample.ts';
import { forkScript, stopProcess } from './fork.ts';

export type Task = {
  pid: number;
  /** Completes this number of operations. */
  run(count: number): Promise<Sample>;
  stop(): Promise<void>;
};

/** `run` rejects if the process ends. */
export async function startTask(script: string, options: object, logFile: string): Promise<Task> {
  const child = forkScript(script, options, logFile);
  return {
    pid: child.pid ?? 0,
    run(count) {
      const { promise, resolve, reject } = Promise.withResolvers<Sample>();
      const onExit = () => reject(new Error(`${script} ended; what it printed is in ${logFile}`));
      child.once('message', (sample) => resolve(Object(sample))).once('exit', onExit);
      child.send(count);
      return promise.finally(() => child.off('exit', onExit));
    },
    stop: () => stopProcess(child),
  };
}

/** Called in the process. Only `work` is timed, not `prepare`. */
export function offerTask(
  work: (count: number) => Promise<void>,
  prepare: (count: number) => Promise<void> = async () => {},
): void {
  process.on('message', async (count: number) => {
    await prepare(count);
    const [start, before] = [performance.now(), process.cpuUsage()];
    await work(count);
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(before);
    const sample: Sample = {
      requestsPerSecond: count / seconds,
      cpuMicroseconds: (user + system) / count,
      // The process gives itself the work.
      generatorBusy: 0,
    };
    process.send?.(sample);
  });
  process.on('disconnect', () => process.exit());
}

/** `limit`: how many writes there are at most, in all runs. A claim needs a vote that was cast before. */
export type WritesOptions = { database: DatabaseUrl; guilds: number; limit: number };

export const WRITES_AT_ONCE = 64;

/** `write` is called with 0, 1, 2 and so on, in all runs. */
export function offerWrites(write: (i: number) => Promise<unknown>): void {
  let next = 0;
  offerTask(async (count) => {
    const end = next + count;
    const writer = async () => {
      while (next < end) {
        next += 1;
        await write(next - 1);
      }
    };
    await Promise.all(Array.from({ length: WRITES_AT_ONCE }, writer));
  });
}
