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

const ALL = 'test/**/*.test.ts';

/** Tests that need PostgreSQL or a browser, or that start programs: servers, guides in other languages, torture. */
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
  'test/store/{count-plans,pgbouncer,postgres,postgres-outage,sqlite}.test.ts',
  'test/webhooks/{crash,shared-queue}.test.ts',
];

const ENOUGH_MEMORY_BYTES = 2 * 1024 ** 3;

const env = {
  // Every test file is a process that loads the same modules: compiled once, they load in half the time.
  NODE_COMPILE_CACHE: 'node_modules/.cache/tests',
  ...temporaryFolder(),
  ...process.env,
};

process.exitCode = process.argv.includes('--unit') ? await runUnitTests() : await runGiven();

function runGiven(): Promise<number> {
  const given = process.argv.slice(2);
  const files = given.some((argument) => !argument.startsWith('-')) ? [] : [ALL];
  // More files than cores run at once: tests also wait for databases, browsers and child processes.
  return run(['--test-concurrency=3', ...given, ...files]);
}

/** All files of a shard in one process, because loading the server takes longer than most tests of a file. */
async function runUnitTests(): Promise<number> {
  const files = globSync(ALL, { exclude: NOT_UNIT }).toSorted();
  const shards = ['1/2', '2/2'].map((shard) =>
    run(['--test-isolation=none', `--test-shard=${shard}`, '--test-reporter=dot', ...files], {
      VOTARY_TEST_DATABASES: 'sqlite',
    }),
  );
  return Math.max(...(await Promise.all(shards)));
}

async function run(args: string[], variables: Record<string, string> = {}): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--test', '--test-global-setup=test/support/global-setup.ts', ...args],
    { stdio: 'inherit', env: { ...env, ...variables } },
  );
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** Nothing that a test commits has to survive a power cut, so databases are in memory where there is enough of it. */
function temporaryFolder(): { TMPDIR?: string } {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= ENOUGH_MEMORY_BYTES ? { TMPDIR: '/dev/shm' } : {};
  } catch {
    return {};
  }
}
