/**
 * A real Chromium for tests. On x64 Linux it is installed by npm (@sparticuz/chromium); elsewhere an installed one is
 * used. CHROMIUM_PATH overrides both.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import packageJson from '../../../package.json' with { type: 'json' };
import { findChromium, PACKAGED_CHROMIUM } from '../requirement.ts';

type Executable = { executablePath: string; env?: Record<string, string> };

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

/** Containers run as root, where Chromium's sandbox does not work; and only our own pages are opened. */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--in-process-gpu'];

let shared: { browser: Promise<Browser>; users: number } | undefined;

/** The one browser of this process: starting it takes longer than most tests. Closed with its last user. */
export async function shareChromium(): Promise<{ browser: Browser; release(): Promise<void> }> {
  shared ??= { browser: launchChromium(), users: 0 };
  const current = shared;
  current.users += 1;
  const browser = await current.browser;
  return {
    browser,
    release: async () => {
      current.users -= 1;
      if (current.users > 0) return;
      shared = undefined;
      await browser.close();
    },
  };
}

async function launchChromium(): Promise<Browser> {
  const found = findChromium();
  if (found === undefined) throw new Error('Chromium is missing: install it, or set CHROMIUM_PATH');
  const { executablePath, env } =
    found === PACKAGED_CHROMIUM ? await packagedChromium() : { executablePath: found };
  return chromium.launch({ executablePath, args: ARGUMENTS, ...(env ? { env } : {}) });
}

/**
 * The package unpacks into the temporary directory, and mistakes an existing file for a complete one. Test files run
 * at the same time, so each unpacks into its own directory, and the first to finish renames it.
 */
async function packagedChromium(): Promise<Executable> {
  const version = packageJson.devDependencies['@sparticuz/chromium'].replace(/[^0-9.]/g, '');
  const home = join(CACHE, `chromium-${version}`);
  if (!existsSync(home)) await unpack(home);
  return {
    executablePath: join(home, 'chromium'),
    env: {
      ...definedOnly(process.env),
      // The libraries of the system first; a slim container has none of them.
      LD_LIBRARY_PATH: `/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/usr/lib64:${join(home, 'al2023/lib')}`,
      ...(existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(home, 'fonts') }),
    },
  };
}

async function unpack(home: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const staging = await mkdtemp(`${home}-`);
  const script = `import Chromium, { inflate } from '@sparticuz/chromium';
    await Chromium.executablePath();
    await inflate(process.argv[1]);`;
  const libraries = join(import.meta.dirname, '../../../node_modules/@sparticuz/chromium/bin/al2023.tar.br');
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, libraries], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: staging },
  });
  await rename(staging, home).catch(() => rm(staging, { recursive: true }));
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
