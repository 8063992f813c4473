/**
 * Programs that some tests need and that not every machine has. If its program is missing, a test is skipped, unless the
 * comma-separated list VOTARY_TEST_REQUIRE contains it: then the run fails. CI requires everything it installs.
 *
 *   test('nginx passes the address on', { skip: requirement('nginx') }, async () => { …
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

type Env = NodeJS.ProcessEnv;

const REQUIREMENTS = {
  browser: {
    isPresent: (env: Env) => findChromium(env) !== undefined,
    install: 'install chromium-headless-shell, Chromium or Chrome, or set CHROMIUM_PATH to its program file',
  },
  nginx: { isPresent: (env: Env) => isOnPath('nginx', env), install: 'install nginx' },
  caddy: { isPresent: (env: Env) => isOnPath('caddy', env), install: 'install Caddy' },
  pgbouncer: { isPresent: (env: Env) => isOnPath('pgbouncer', env), install: 'install PgBouncer' },
  systemd: { isPresent: (env: Env) => isOnPath('systemd-analyze', env), install: 'install systemd' },
  promtool: { isPresent: (env: Env) => isOnPath('promtool', env), install: 'install Prometheus' },
  curl: { isPresent: (env: Env) => isOnPath('curl', env), install: 'install curl' },
  php: { isPresent: hasPhp, install: 'install PHP with its curl and mbstring extensions' },
  python: { isPresent: (env: Env) => isOnPath('python3', env), install: 'install Python 3' },
  java: { isPresent: (env: Env) => isOnPath('javac', env), install: 'install a JDK' },
};

/** The one that npm installs (browser/chromium.ts). */
export const PACKAGED_CHROMIUM = 'packaged';

/** The shell without a user interface first: it opens a page in a third of the time. */
const CHROMIUM_PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

export type Requirement = keyof typeof REQUIREMENTS;

const ALL_PROGRAMS = Object.keys(REQUIREMENTS) as Requirement[];

/** The `skip` option of a test that needs this program: `false`, or the reason to skip it. */
export function requirement(name: Requirement, env: Env = process.env): string | false {
  const { isPresent, install } = REQUIREMENTS[name];
  if (isPresent(env)) return false;
  if (requiredNames(env).includes(name)) throw new Error(`VOTARY_TEST_REQUIRE names ${name}: ${install}`);
  return `${name} is missing: ${install}`;
}

/**
 * What this machine lacks of these programs, as `name tests (how to install it)`. Throws if a required program is
 * missing.
 */
export function skippedForMissingPrograms(
  programs: readonly Requirement[] = ALL_PROGRAMS,
  env: Env = process.env,
): string[] {
  const unknown = requiredNames(env).filter((name) => !Object.hasOwn(REQUIREMENTS, name));
  if (unknown.length > 0) throw new Error(`VOTARY_TEST_REQUIRE names an unknown program: ${unknown}`);
  return programs
    .filter((name) => requirement(name, env) !== false)
    .map((name) => `${name} tests (${REQUIREMENTS[name].install})`);
}

function requiredNames({ VOTARY_TEST_REQUIRE = '' }: Env): string[] {
  return VOTARY_TEST_REQUIRE.split(',').filter((name) => name !== '');
}

/** The path of a Chromium, or `PACKAGED_CHROMIUM`, or `undefined` if there is none. */
export function findChromium({ CHROMIUM_PATH }: Env = process.env): string | undefined {
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  if (process.platform === 'linux' && process.arch === 'x64') return PACKAGED_CHROMIUM;
  return CHROMIUM_PATHS.find((path) => existsSync(path));
}

function isOnPath(program: string, { PATH = '' }: Env): boolean {
  const file = process.platform === 'win32' ? `${program}.exe` : program;
  return PATH.split(delimiter).some((folder) => existsSync(join(folder, file)));
}

function hasPhp(env: Env): boolean {
  const program = 'exit(extension_loaded("curl") && extension_loaded("mbstring") ? 0 : 1);';
  return isOnPath('php', env) && spawnSync('php', ['-r', program]).status === 0;
}
