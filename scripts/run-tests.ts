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
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { NO_SERVER, SERVER_URL_VARIABLE } from '../test/support/postgres/postgres.ts';
import { offerPostgres } from '../test/support/postgres/shared-postgres.ts';

const ALL = 'test/**/*.test.ts';

/** Tests that need PostgreSQL or a browser, or that start programs: servers, guides in other languages, torture. */
const NOT_UNIT = [
  'test/{bench,browser,guides,package,scripts,service,torture}/**',
  'test/cli/{backup,config,doctor,launcher,secret}.test.ts',
  'test/cli/serve/{serve,workers}.test.ts',
  'test/cli/votes/**',
  'test/discord/crash.test.ts',
  'test/guards/{lint-rules,regular-expressions}.test.ts',
  'test/observability/{live-metrics,log-output,request-log}.test.ts',
  'test/openapi/{document,reference}.test.ts',
  'test/sdk/packed.test.ts',
  'test/secrets/{master-secret,previous-secret}.test.ts',
  'test/security/{requests/hostile,secrets/file-modes,secrets/leaks}.test.ts',
  'test/site/sign-in/limits.test.ts',
  'test/store/{plans,postgres}/**',
  'test/store/{rollback,sqlite/sqlite,write-probe}.test.ts',
  'test/webhooks/delivery/{crash,shared-queue,slow-dns}.test.ts',
];

/** Each of these files runs in its own process. They take longest, so they start first. */
const ALONE = [
  'test/package/*.test.ts',
  'test/torture/*.test.ts',
  'test/bench/*.test.ts',
  'test/guides/minecraft/{java,minecraft}*.test.ts',
  'test/cli/serve/{workers,serve}.test.ts',
  'test/sdk/packed.test.ts',
];

/** More than the number of cores, because tests also wait for databases, browsers and child processes. */
const JOBS_AT_ONCE = availableParallelism() + 1;
const FILES_PER_PROCESS = 6;

/**
 * Hundreds of servers are created in one process; with the default young generation, a tenth of the time is spent on
 * garbage collection. A failed test can leave a server running, which must not keep the process alive.
 */
const ONE_PROCESS = [
  '--max-semi-space-size=64',
  '--test-isolation=none',
  '--test-force-exit',
  '--test-reporter=spec',
];

const ENOUGH_MEMORY_BYTES = 2 * 1024 ** 3;

type Variables = Record<string, string>;

const env = {
  // Every process loads the same modules: compiled once, they load in half the time.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/tests'),
  ...temporaryFolder(),
  ...process.env,
};

/** Tests that run in one process. */
type Job = { name: string; args: string[] };
type Result = { isPassed: boolean; tests: number; skipped: number };

const given = process.argv.slice(2);
if (given.includes('--unit')) {
  const variables = { VOTARY_TEST_DATABASES: 'sqlite', [SERVER_URL_VARIABLE]: NO_SERVER };
  process.exitCode = await runJobs(unitJobs(), variables);
} else {
  const postgres = await offerPostgres();
  const variables = { [SERVER_URL_VARIABLE]: process.env[SERVER_URL_VARIABLE] ?? postgres.url };
  process.exitCode = await (given.length > 0 ? runGiven(given, variables) : runJobs(allJobs(), variables));
  await postgres.close();
}

function allJobs(): Job[] {
  const alone = ALONE.flatMap((pattern) => globSync(pattern).toSorted());
  const done = new Set([...alone, ...unitFiles()]);
  const others = globSync(ALL)
    .filter((file) => !done.has(file))
    .toSorted();
  const folders = Object.entries(Object.groupBy(others, (file) => file.split('/', 2).join('/')));
  return [
    ...alone.map((file) => ({ name: file, args: [file] })),
    ...unitJobs(),
    ...folders.flatMap(([folder, files = []]) => folderJobs(folder, files)),
  ];
}

/** Files of a folder share processes, because loading the server takes longer than most test files. */
function folderJobs(folder: string, files: string[]): Job[] {
  const count = Math.ceil(files.length / FILES_PER_PROCESS);
  return Array.from({ length: count }, (_, index) => ({
    name: count === 1 ? folder : `${folder} ${index + 1}/${count}`,
    args: files.filter((_file, at) => at % count === index),
  }));
}

function unitFiles(): string[] {
  return globSync(ALL, { exclude: NOT_UNIT }).toSorted();
}

function unitJobs(): Job[] {
  return Array.from({ length: JOBS_AT_ONCE }, (_, index) => {
    const shard = `${index + 1}/${JOBS_AT_ONCE}`;
    return { name: `unit tests ${shard}`, args: [`--test-shard=${shard}`, ...unitFiles()] };
  });
}

/** Starts the jobs in this order, several in parallel. Prints one line per job, and the output of those that fail. */
async function runJobs(jobs: Job[], variables: Variables): Promise<number> {
  const waiting = jobs.values();
  const results: Result[] = [];
  const lane = async () => {
    for (const job of waiting) results.push(await runJob(job, variables));
  };
  await Promise.all(Array.from({ length: JOBS_AT_ONCE }, lane));
  const [tests, skipped] = [sum(results.map((one) => one.tests)), sum(results.map((one) => one.skipped))];
  const failed = results.filter(({ isPassed }) => !isPassed).length;
  process.stdout.write(
    `\n${tests} tests, ${skipped} skipped, ${failed} of ${jobs.length} processes failed\n`,
  );
  return failed > 0 ? 1 : 0;
}

async function runJob({ name, args }: Job, variables: Variables): Promise<Result> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--test', ...ONE_PROCESS, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, ...variables },
  });
  const exit = once(child, 'exit');
  const output = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
  const isPassed = (await exit)[0] === 0;
  // The summary comes last; tests of tests print one of their own before it.
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^ℹ ${word} (\\d+)`, 'gm'))].at(-1)?.[1] ?? 0);
  const result = { isPassed, tests: count('tests'), skipped: count('skipped') };
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${isPassed ? '✔' : '✖'} ${name}: ${result.tests} tests, ${seconds} s\n`);
  // A process that crashed prints no summary: show its whole output.
  if (!isPassed) process.stdout.write(`${output.slice(Math.max(0, output.indexOf('✖ failing tests:')))}\n`);
  return result;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function runGiven(args: string[], variables: Variables): Promise<number> {
  const child = spawn(process.execPath, ['--test', `--test-concurrency=${JOBS_AT_ONCE}`, ...args], {
    stdio: 'inherit',
    env: { ...env, ...variables },
  });
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
