// Runs before `npm start` and `npm test`, possibly on an old Node and before anything is installed:
// plain JavaScript, no dependencies. Installs when node_modules is missing or older than the lock file.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const STAMP = 'node_modules/.package-lock.json';

function isInstalled() {
  return existsSync(STAMP) && statSync(STAMP).mtimeMs >= statSync('package-lock.json').mtimeMs;
}

if (!isInstalled()) {
  process.stderr.write('Installing dependencies (npm ci), about half a minute the first time.\n');
  // Everything goes to stderr, so that stdout contains only the output of the actual command.
  const { status } = spawnSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}
