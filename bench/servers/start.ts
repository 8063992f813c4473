import { join } from 'node:path';
import { forkScript, stopProcess } from './fork.ts';
import type { Announcement, Usage } from './protocol.ts';
import type { VotaryOptions } from './votary.ts';

export type ServerProcess = {
  pid: number;
  url: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
};

/** Starts a server in its own process. */
export async function startServer(script: string, options: object, logFile: string): Promise<ServerProcess> {
  const child = forkScript(script, options, logFile);

  async function next(): Promise<Announcement> {
    const announcement = Promise.withResolvers<Announcement>();
    const onExit = () => announcement.reject(new Error(`${script} ended; what it printed is in ${logFile}`));
    child.once('message', (message) => announcement.resolve(Object(message))).once('exit', onExit);
    try {
      return await announcement.promise;
    } finally {
      child.off('exit', onExit);
    }
  }

  const first = await next();
  if (first.kind !== 'listening') throw new Error(`${script} did not say where it listens`);
  return {
    pid: child.pid ?? 0,
    url: first.url,
    async usage() {
      const answer = next();
      child.send('usage');
      const message = await answer;
      if (message.kind !== 'usage') throw new Error(`${script} did not say what it used`);
      return message.usage;
    },
    stop: () => stopProcess(child),
  };
}

/** `folder`: of the data sets. `script`: that of another commit. */
export function startVotary(
  folder: string,
  logName: string,
  options: Omit<VotaryOptions, 'dataDir'>,
  script = 'servers/votary.ts',
): Promise<ServerProcess> {
  const dataDir = join(folder, 'votary');
  return startServer(script, { ...options, dataDir }, join(folder, `${logName}.log`));
}
