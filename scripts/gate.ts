/** The whole gate: everything that must hold before a change lands. `npm test` runs it, and so does CI. */
import { spawnSync } from 'node:child_process';

type Step = { name: string; command: string; args: string[] };

const STEPS: Step[] = [
  { name: 'lint', command: 'biome', args: ['check', '.', '--error-on-warnings'] },
  { name: 'types', command: 'tsc', args: ['--noEmit'] },
  {
    name: 'tests',
    command: 'node',
    args: [
      '--test',
      '--test-concurrency=3',
      // One PostgreSQL server for all test files; each makes databases of its own on it.
      '--test-global-setup=test/support/global-setup.ts',
      'test/**/*.test.ts',
    ],
  },
];

for (const { name, command, args } of STEPS) {
  process.stdout.write(`\n▶ ${name}\n`);
  // npm puts node_modules/.bin first on PATH, so these are the pinned versions, Node's own included.
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) {
    process.stdout.write(`\n✖ ${name} failed; the rest was not run. Alone: ${command} ${args.join(' ')}\n`);
    process.exit(1);
  }
}
process.stdout.write('\n✔ everything holds\n');
