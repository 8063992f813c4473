/** Every check that a change must pass. `npm test` runs it, and so does CI. */
import { spawnSync } from 'node:child_process';
import { skippedForMissingPrograms } from '../test/support/requirement.ts';

type Step = { name: string; command: string; args: string[] };

const STEPS: Step[] = [
  { name: 'lint', command: 'biome', args: ['check', '.', '--error-on-warnings'] },
  { name: 'types', command: 'tsc', args: ['--noEmit'] },
  { name: 'tests', command: 'node', args: ['scripts/run-tests.ts'] },
];

// Checked first, so that a missing required program is reported before anything runs.
const skipped = skippedForMissingPrograms();

for (const { name, command, args } of STEPS) {
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
