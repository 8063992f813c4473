// Runs before `npm start` and `npm test`, possibly on an old Node and before anything is installed, so it is plain
// JavaScript without dependencies. Installs when node_modules does not contain what the lock file lists.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';

const FOLDER = 'node_modules';
/** What npm has installed, in the format of the lock file. npm writes it at the end of an installation. */
const INSTALLED = `${FOLDER}/.package-lock.json`;

/**
 * Compares contents, not modification times: Git sets a new time when it writes the same file again, and a release only
 * changes the project's own version.
 */
function isInstalled() {
  if (!existsSync(INSTALLED)) return false;
  try {
    const { '': _project, ...wanted } = readPackages('package-lock.json');
    const installed = readPackages(INSTALLED);
    return (
      Object.keys(wanted).every((path) => isSame(wanted[path], installed[path])) &&
      Object.keys(installed).every((path) => path in wanted || !isInside(path, wanted))
    );
  } catch {
    // A file that cannot be read is replaced by an installation, or reported by it.
    return false;
  }
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/**
 * Optional packages, such as those for other platforms, may be absent. `resolved` is not compared: npm can be configured
 * to leave it out.
 */
function isSame(wanted, installed) {
  if (!installed) return wanted.optional === true || wanted.devOptional === true;
  return ['version', 'integrity'].every((field) => wanted[field] === installed[field]);
}

/**
 * A package that is no longer listed does no harm, unless it is inside one that is: there, it takes the place of the
 * listed version of the same package.
 */
function isInside(path, wanted) {
  const [, outer] = /^(.+)\/node_modules\//.exec(path) ?? [];
  return outer !== undefined && outer in wanted;
}

/** `npm ci` would delete the packages of the checkout that the link leads to. */
function isLink() {
  return existsSync(FOLDER) && lstatSync(FOLDER).isSymbolicLink();
}

function install() {
  process.stderr.write('Installing dependencies (npm ci), about a minute the first time.\n');
  // Everything goes to stderr, so that stdout contains only the output of the actual command.
  const { status } = spawnSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  return status ?? 1;
}

if (!isInstalled()) {
  if (isLink()) {
    process.stderr.write(
      'node_modules is a link, and differs from package-lock.json: run npm ci where it leads to.\n',
    );
    process.exitCode = 1;
  } else {
    process.exitCode = install();
  }
}
