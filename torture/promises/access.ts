import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Trial } from '../lib/promise.ts';

const TESTS = ['access-table', 'csrf', 'redirects', 'keys', 'leaks'];

export const accessTrial: Trial = {
  name: 'access',
  promise: 'Nobody gets in who may not, by any route; and no secret gets out.',
  async run() {
    const files = TESTS.map((name) =>
      fileURLToPath(new URL(`../../test/security/${name}.test.ts`, import.meta.url)),
    );
    const child = spawn(process.execPath, ['--test', '--test-reporter=tap', ...files], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const report = await text(child.stdout);
    const count = (name: string) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(report)?.[1] ?? 0);
    const failed = [...report.matchAll(/^\s*not ok \d+ - (.*)$/gm)].map(([, name]) => `failed: ${name}`);
    const broken = count('pass') === 0 ? ['no test was run', ...failed] : failed;
    return { broken, counts: { checks: count('tests'), held_checks: count('pass'), let_in: count('fail') } };
  },
};
