/**
 * The checks that a change must pass.
 *
 *   npm test            lint, types, unit and integration tests
 *   npm run test:ci     the tests that only CI runs, after `npm test`
 *   npm run test:all    both
 */
import { spawnSync } from 'node:child_process';
import { type Requirement, skippedForMissingPrograms } from '../test/support/requirement.ts';

type Step = { name: string; command: string; args: string[] };

const FOR_PEOPLE: Step[] = [
  { name: 'lint, types and tests', command: 'node', args: ['scripts/run-tests.ts'] },
];
const FOR_CI: Step[] = [{ name: 'CI tests', command: 'node', args: ['scripts/run-tests.ts', '--ci'] }];

/** The only program besides Node that tests for people use. */
const PROGRAMS_FOR_PEOPLE: Requirement[] = ['browser'];

const [tier] = process.argv.slice(2);
const steps = tier === '--ci' ? FOR_CI : tier === '--all' ? [...FOR_PEOPLE, ...FOR_CI] : FOR_PEOPLE;

// Checked first, so that a missing required program is reported before anything runs.
const skipped = skippedForMissingPrograms(steps === FOR_PEOPLE ? PROGRAMS_FOR_PEOPLE : undefined);

for (const { name, command, args } of steps) {
  process.stdout.write(`\n▶ ${name}\n`);
  // npm puts node_modules/.bin first on PATH, so these are the pinned versions, including Node.
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) {
    process.stdout.write(`\n✖ ${name} failed. Run this step alone with: npx ${command} ${args.join(' ')}\n`);
    process.exit(1);
  }
}
const summary =
  skipped.length === 0 ? 'All checks passed.' : `All checks passed. Skipped: ${skipped.join('; ')}.`;
process.stdout.write(`\n✔ ${summary}\n`);
