/**
 * A machine whose name server never answers, for the processes that are started on it; all others keep theirs.
 *
 *   const names = await openSlowNames();
 *   const server = await startServer(env, { through: names.through });
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NameServer, startNameServer } from '../../../test/support/name-server.ts';

export type SlowNames = {
  /** The wrapper command that starts a process in that environment. */
  through: readonly string[];
  /** The number of queries. */
  asked: NameServer['asked'];
  untilAsked: NameServer['untilAsked'];
  close(): Promise<void>;
};

/** The system queries name servers on this port only. */
const DNS_PORT = 53;
const HOST = '127.0.0.77';

/** The system's resolver gives up after ten seconds: twice the default, but with one server instead of three. */
const RESOLV_CONF = `nameserver ${HOST}\noptions timeout:5 attempts:2\n`;

const WITH_RESOLV_CONF = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';

/** `undefined` if it is not possible: it requires root and Linux. */
export async function openSlowNames(): Promise<SlowNames | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-names-'));
  const file = join(folder, 'resolv.conf');
  await writeFile(file, RESOLV_CONF);
  const through = ['unshare', '--mount', 'sh', '-c', WITH_RESOLV_CONF, file];
  try {
    execFileSync('unshare', [...through.slice(1), 'true'], { stdio: 'ignore' });
    const { close, asked, untilAsked } = await startNameServer({}, { port: DNS_PORT, host: HOST });
    return {
      through,
      asked,
      untilAsked,
      close: async () => {
        close();
        await rm(folder, { recursive: true });
      },
    };
  } catch {
    await rm(folder, { recursive: true });
    return undefined;
  }
}
