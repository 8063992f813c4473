/**
 * Runs tests with one PostgreSQL server for all files, which starts only if a test asks for a database.
 *
 *   npm run t -- test/api/v7/rate-limit.test.ts    the given files or patterns; options of `node --test` work too
 *   npm run test:unit                              everything that runs inside the test process, on SQLite
 *   node scripts/run-tests.ts                      all tests
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, statfsSync } from 'node:fs';
import { NO_SERVER, SERVER_URL_VARIABLE } from '../test/support/postgres.ts';
import { offerPostgres } from '../test/support/shared-postgres.ts';

const ALL = 'test/**/*.test.ts';

/**
 * Tests that need PostgreSQL alone or a browser, or that start programs: servers, guides in other languages, torture.
 * Each of these files is a process.
 */
const NOT_UNIT = [
  'test/{bench,browser,guides,package,scripts,service,torture}/**',
  'test/cli/{backup,config,doctor,launcher,progress,secret,serve,votes-export,votes-import,workers}.test.ts',
  'test/discord/crash.test.ts',
  'test/guards/lint-rules.test.ts',
  'test/observability/{live-metrics,log-output,request-log}.test.ts',
  'test/openapi/{document,reference}.test.ts',
  'test/sdk/packed.test.ts',
  'test/secrets/master-secret.test.ts',
  'test/security/{file-modes,hostile,leaks}.test.ts',
  'test/site/sign-in/limits.test.ts',
  'test/store/{claim-plans,count-plans,operator-plans,pgbouncer,postgres*,rollback,sqlite}.test.ts',
  'test/webhooks/{crash,shared-queue,slow-dns}.test.ts',
];

/** Started first, in parallel with the others: the runner sorts files by name, and these would end last. */
const LONG = ['test/{bench,package,torture}/**/*.test.ts', 'test/guides/{java,minecraft}*.test.ts'];

/** More than the number of cores, because tests also wait for databases, browsers and child processes. */
const FILES_AT_ONCE = 3;

/**
 * Hundreds of servers are created in one process; with the default young generation, a tenth of the time is spent on
 * garbage collection.
 */
const ONE_PROCESS = ['--max-semi-space-size=64', '--test-isolation=none'];

const ENOUGH_MEMORY_BYTES = 2 * 1024 ** 3;

type Variables = Record<string, string>;

const env = {
  // Every process loads the same modules: compiled once, they load in half the time.
  NODE_COMPILE_CACHE: 'node_modules/.cache/tests',
  ...temporaryFolder(),
  ...process.env,
};

const given = process.argv.slice(2);
if (given.includes('--unit')) {
  process.exitCode = await runUnitTests({
    VOTARY_TEST_DATABASES: 'sqlite',
    [SERVER_URL_VARIABLE]: NO_SERVER,
  });
} else {
  const postgres = await offerPostgres();
  const variables = { [SERVER_URL_VARIABLE]: process.env[SERVER_URL_VARIABLE] ?? postgres.url };
  process.exitCode = await (given.length > 0 ? runFiles(given, variables) : runAll(variables));
  await postgres.close();
}

async function runAll(variables: Variables): Promise<number> {
  const unit = await runUnitTests(variables);
  const done = new Set([...unitFiles(), ...globSync(LONG)]);
  const others = globSync(ALL).filter((file) => !done.has(file));
  const codes = await Promise.all([runFiles(globSync(LONG), variables, 1), runFiles(others, variables)]);
  return Math.max(unit, ...codes);
}

function runFiles(args: string[], variables: Variables, atOnce = FILES_AT_ONCE): Promise<number> {
  return run([`--test-concurrency=${atOnce}`, ...args], variables);
}

function unitFiles(): string[] {
  return globSync(ALL, { exclude: NOT_UNIT }).toSorted();
}

/** All files of a shard in one process, because loading the server takes longer than most tests of a file. */
async function runUnitTests(variables: Variables): Promise<number> {
  const files = unitFiles();
  const shards = ['1/2', '2/2'].map((shard) =>
    run([...ONE_PROCESS, `--test-shard=${shard}`, '--test-reporter=dot', ...files], variables),
  );
  return Math.max(...(await Promise.all(shards)));
}

async function run(args: string[], variables: Variables): Promise<number> {
  const child = spawn(process.execPath, ['--test', ...args], {
    stdio: 'inherit',
    env: { ...env, ...variables },
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** Tests do not need durable commits, so databases are in memory if there is enough of it. */
function temporaryFolder(): { TMPDIR?: string } {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= ENOUGH_MEMORY_BYTES ? { TMPDIR: '/dev/shm' } : {};
  } catch {
    return {};
  }
}
