import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Task } from './tasks.ts';

/** Runs each task in a separate process. All start at the same moment, when all are ready. */
export async function runInProcesses(...tasks: Task[]): Promise<number[]> {
  // In the environment, because a test searches the arguments in the process list for the password of the database.
  const workers = tasks.map((task) =>
    fork(new URL('./worker.ts', import.meta.url), {
      env: { ...process.env, TASK: JSON.stringify(task) },
      // Not the options of the test runner.
      execArgv: [],
    }),
  );
  await Promise.all(workers.map(nextMessage));
  const answers = workers.map(nextMessage);
  for (const worker of workers) worker.send('go');
  const results = await Promise.all(answers);
  await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')));
  return results.map(Number);
}

/** Rejects if the worker exits before it responds. The channel closes after its last message, unlike its exit. */
async function nextMessage(worker: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const lost = () => reject(new Error('a worker ended before it answered'));
  worker.once('message', resolve).once('disconnect', lost);
  try {
    return await promise;
  } finally {
    worker.off('message', resolve).off('disconnect', lost);
  }
}
