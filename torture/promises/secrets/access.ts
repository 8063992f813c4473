import { globSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { SERVER_URL_VARIABLE } from '../../../test/support/postgres/postgres.ts';
import type { Trial } from '../../lib/promise.ts';
import { sharedPostgres } from '../../lib/site.ts';

/**
 * The access table; forms of other sites; return addresses; keys (timing, guessing, cursors); leaked secrets;
 * regressions of hostile requests; sessions (fixation, tampering); access to the dashboard.
 */
const TESTS = [
  'security/access/access-table',
  'security/access/demo-access-table',
  'security/requests/csrf',
  'security/requests/redirects',
  'security/secrets/keys',
  'security/secrets/leaks',
  'security/requests/refusals',
  'site/sign-in/session',
  'site/sign-in/back',
  'site/dashboard/access',
];

const TEST_FOLDER = join(import.meta.dirname, '../../../test');

/** The part of the runner's event that is read here. */
type Passed = { details: { type?: string | undefined }; skip?: string | boolean | undefined };

export const accessTrial: Trial = {
  name: 'access',
  promise: 'No route gives unauthorized access, and no secret leaks.',
  async run() {
    const held: Record<string, number> = Object.fromEntries(TESTS.map((name) => [name, 0]));
    const failed: string[] = [];
    // Some of them need PostgreSQL, which `npm test` would start for them.
    process.env[SERVER_URL_VARIABLE] = (await sharedPostgres()).url;
    // One run for each file: events name the file that defines a test, which several test files can share.
    for (const name of TESTS)
      for await (const { type, data } of run({ files: [pathTo(name)] })) {
        if (type === 'test:pass') {
          if (isCheck(data)) held[name] = (held[name] ?? 0) + 1;
        } else if (type === 'test:fail' && !isOnlyOfItsTests(data.details.error))
          failed.push(`failed: ${name}: ${data.name}: ${data.details.error.message}`);
      }
    const idle = TESTS.filter((name) => held[name] === 0).map((name) => `no test of ${name} held`);
    const heldChecks = Object.values(held).reduce((a, b) => a + b, 0);
    return {
      broken: [...failed, ...idle],
      counts: {
        checks: heldChecks + failed.length,
        held_checks: heldChecks,
        let_in: failed.length,
        held_by_file: held,
      },
    };
  },
};

/** Suites are not counted, because their tests are counted already. */
function isCheck({ details, skip }: Passed): boolean {
  return details.type !== 'suite' && !skip;
}

function isOnlyOfItsTests(error: Error): boolean {
  return 'failureType' in error && error.failureType === 'subtestsFailed';
}

/** The suffix says when a test runs, which may change. */
function pathTo(name: string): string {
  const [file] = globSync(`${name}{,.integration,.ci}.test.ts`, { cwd: TEST_FOLDER });
  if (file === undefined) throw new Error(`there is no test file ${name}`);
  return join(TEST_FOLDER, file);
}
