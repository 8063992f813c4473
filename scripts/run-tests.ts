/**
 * Runs tests with one PostgreSQL server for all files, which starts only if a test asks for a database.
 *
 *   npm run t -- test/api/v7/rate-limit.test.ts    the given files or patterns; options of `node --test` work too
 *   node scripts/run-tests.ts                      all tests
 */
import { spawnSync } from 'node:child_process';

const given = process.argv.slice(2);
const files = given.some((argument) => !argument.startsWith('-')) ? [] : ['test/**/*.test.ts'];

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    // More files at once than cores: tests also wait for databases, browsers and processes of their own.
    '--test-concurrency=3',
    '--test-global-setup=test/support/global-setup.ts',
    ...given,
    ...files,
  ],
  {
    stdio: 'inherit',
    // Every test file is a process that loads the same modules: compiled once, they load in half the time.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/tests', ...process.env },
  },
);
process.exit(status ?? 1);
