import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { accepts } from '../accepts.ts';
import { freePort } from '../free-port.ts';

/** `url`: the address of the database behind it. */
export type PgBouncer = { url: string; stop(): Promise<void> };

/** A PgBouncer in transaction mode in front of the database, with this many connections to it. */
export async function startPgBouncer(url: string, poolSize: number): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-pgbouncer-'));
  await chmod(folder, 0o755);
  const { hostname, port: serverPort, username, password, pathname } = new URL(url);
  const port = await freePort();
  const server = `host=${hostname} port=${serverPort} user=${username} password='${decodeURIComponent(password)}'`;
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]\n${pathname.slice(1)} = ${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\n` +
      `auth_type = any\npool_mode = transaction\ndefault_pool_size = ${poolSize}\nignore_startup_parameters = extra_float_digits\n`,
  );
  // PgBouncer refuses to run as root.
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const owner = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  const bouncer = spawn('pgbouncer', ['-q', file], { ...owner, stdio: 'ignore' });
  const failed = once(bouncer, 'error').then(([error]) => Promise.reject(error));
  const stop = async () => {
    const exit = once(bouncer, 'exit');
    if (bouncer.kill('SIGKILL')) await exit;
    await rm(folder, { recursive: true });
  };
  await Promise.race([failed, untilAccepting(port, () => bouncer.exitCode)]);
  return { url: `postgres://${username}@127.0.0.1:${port}${pathname}`, stop };
}

async function untilAccepting(port: number, exitCode: () => number | null): Promise<void> {
  while (!(await accepts(port))) {
    if (exitCode() !== null) throw new Error(`PgBouncer ended with ${exitCode()}`);
    await pause(20);
  }
}
