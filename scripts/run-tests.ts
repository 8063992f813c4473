/**
 * Runs tests with one PostgreSQL server for all files, which starts only if a test asks for a database. The suffix of a
 * file says when it runs:
 *
 *   name.test.ts                in the test process, on SQLite or without a database
 *   name.integration.test.ts    renders pages, needs PostgreSQL or a browser, starts programs, or takes longer
 *   name.ci.test.ts             takes long, or needs programs that few machines have
 *
 *   npm run t -- test/api/v7/rate-limit.test.ts    the given files or patterns; options of `node --test` work too
 *   npm run test:unit                              the first kind
 *   node scripts/run-tests.ts                      lint, types, the first and the second kind, as `npm test` does
 *   npm run test:ci                                the third kind, and on PostgreSQL what used SQLite only because any database
 *                                                  will do (`onAnyDatabase`)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { NO_SERVER, SERVER_URL_VARIABLE } from '../test/support/postgres/postgres.ts';
import { offerPostgres } from '../test/support/postgres/shared-postgres.ts';

/** More than the number of cores, because tests also wait for databases, browsers and child processes. */
const JOBS_AT_ONCE = availableParallelism() + 1;
/** Loading the server takes longer than most test files, so many share a process. */
const FILES_PER_PROCESS = 30;
/** Unit tests wait for nothing, so one process per core loads the server least often. */
const UNIT_PROCESSES = availableParallelism();

/** A test that waits for something that never happens fails by name; a process that does not end fails a little later. */
const TEST_LIMIT_MS = 10 * 60_000;
const JOB_LIMIT_MS = 12 * 60_000;

/** Started first, so that no core is idle at the end: browsers and PostgreSQL are waited for most. */
const LONGEST: Record<string, number> = { 'test/store': 3, 'test/browser': 2 };

/**
 * Hundreds of servers are created in one process; with the default young generation, a tenth of the time is spent on
 * garbage collection. A failed test can leave a server running, which must not keep the process alive.
 */
const ONE_PROCESS = [
  '--max-semi-space-size=64',
  '--test-isolation=none',
  '--test-force-exit',
  `--test-timeout=${TEST_LIMIT_MS}`,
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
type TestJob = { name: string; args: string[]; variables?: Variables };
/** Or another check of the whole project. */
type Job = TestJob | { name: string; command: string; args: string[] };
type Result = { isPassed: boolean; tests: number; skipped: number };

const TYPES_CACHE = join(import.meta.dirname, '../node_modules/.cache/types.tsbuildinfo');

/** npm puts node_modules/.bin first on PATH, so these are the pinned versions. */
const CHECKS: Job[] = [
  { name: 'lint', command: 'biome', args: ['check', '.', '--error-on-warnings'] },
  {
    name: 'types',
    command: 'tsc',
    // Other jobs use the other cores. What did not change since the last run is not checked again.
    args: ['--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', TYPES_CACHE],
  },
];

const given = process.argv.slice(2);
if (given.includes('--unit')) {
  const variables = { VOTARY_TEST_DATABASES: 'sqlite', [SERVER_URL_VARIABLE]: NO_SERVER };
  process.exitCode = await runJobs(unitJobs(), variables);
} else {
  const postgres = await offerPostgres();
  const variables = { [SERVER_URL_VARIABLE]: process.env[SERVER_URL_VARIABLE] ?? postgres.url };
  if (given.includes('--ci')) process.exitCode = await runJobs(ciJobs(), variables);
  else if (given.length > 0) process.exitCode = await runGiven(given, variables);
  else process.exitCode = await runJobs([...integrationJobs(), ...CHECKS, ...unitJobs()], variables);
  await postgres.close();
}

function unitJobs(): Job[] {
  const files = globSync('test/**/*.test.ts', { exclude: ['test/**/*.{integration,ci}.test.ts'] }).toSorted();
  return split('unit tests', files, UNIT_PROCESSES);
}

/** The long folders by themselves, and then all other files together. */
function integrationJobs(): Job[] {
  const files = globSync('test/**/*.integration.test.ts').toSorted();
  const folderOf = (file: string) => file.split('/', 2).join('/');
  const long = Object.entries(LONGEST).flatMap(([folder, count]) =>
    split(
      folder,
      files.filter((file) => folderOf(file) === folder),
      count,
    ),
  );
  const others = files.filter((file) => !(folderOf(file) in LONGEST));
  return [...long, ...split('integration tests', others, Math.ceil(others.length / FILES_PER_PROCESS))];
}

/** Neighbours cost about the same, so each process gets a share of every folder. */
function split(name: string, files: string[], count: number): Job[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${name} ${index + 1}/${count}`,
    args: files.filter((_file, at) => at % count === index),
  }));
}

/** Each file in its own process, because most of them start many others. */
function ciJobs(): Job[] {
  const files = globSync('test/**/*.ci.test.ts').toSorted();
  const onAnyDatabase = globSync('test/**/*.test.ts')
    .filter((file) => readFileSync(file, 'utf8').includes('\nonAnyDatabase('))
    .toSorted();
  return [
    ...files.map((file) => ({ name: file, args: [file] })),
    { name: 'on PostgreSQL', args: onAnyDatabase, variables: { VOTARY_TEST_DATABASES: 'postgres' } },
  ];
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

async function runJob(job: Job, variables: Variables): Promise<Result> {
  const startedAt = performance.now();
  const { code, output } = await runToEnd(spawnJob(job, variables));
  const isPassed = code === 0;
  // The summary comes last; tests of tests print one of their own before it.
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^ℹ ${word} (\\d+)`, 'gm'))].at(-1)?.[1] ?? 0);
  const result = { isPassed, tests: count('tests'), skipped: count('skipped') };
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const tests = 'command' in job ? '' : `${result.tests} tests, `;
  process.stdout.write(`${isPassed ? '✔' : '✖'} ${job.name}: ${tests}${seconds} s\n`);
  // A check, or a process that crashed, prints no summary: show its whole output.
  if (!isPassed) process.stdout.write(`${output.slice(Math.max(0, output.indexOf('✖ failing tests:')))}\n`);
  return result;
}

/** Until its output ends too, which a program that a test left running can keep open. */
async function runToEnd(
  child: ReturnType<typeof spawnJob>,
): Promise<{ code: number | null; output: string }> {
  let output = '';
  let isStopped = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const limit = setTimeout(() => {
    output += `\nThis process did not end within ${JOB_LIMIT_MS / 60_000} minutes and was stopped.\n`;
    isStopped = true;
    child.kill('SIGKILL');
    child.stdout.destroy();
    child.stderr.destroy();
  }, JOB_LIMIT_MS);
  const [code] = await once(child, 'close');
  clearTimeout(limit);
  return { code: isStopped ? null : code, output };
}

function spawnJob(job: Job, variables: Variables) {
  if ('command' in job) {
    const shell = process.platform === 'win32';
    return spawn(job.command, job.args, { stdio: ['ignore', 'pipe', 'pipe'], shell });
  }
  return spawn(process.execPath, ['--test', ...ONE_PROCESS, ...job.args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, ...variables, ...job.variables },
  });
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
