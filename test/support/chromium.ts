/**
 * A real Chromium for tests. On x64 Linux it comes with `npm install` (@sparticuz/chromium); elsewhere an installed
 * one is used. CHROMIUM_PATH names another one anywhere.
 */
import { execFile } from 'node:child_process';
import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import packageJson from '../../package.json' with { type: 'json' };

type Executable = { executablePath: string; env?: Record<string, string> };

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Containers run as root, where Chromium's sandbox cannot; and only our own pages are opened. */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];

export async function launchChromium(): Promise<Browser> {
  const { executablePath, env } = await findExecutable();
  return chromium.launch({ executablePath, args: ARGUMENTS, ...(env ? { env } : {}) });
}

async function findExecutable(): Promise<Executable> {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) return { executablePath: chosen };
  if (process.platform === 'linux' && process.arch === 'x64') return packagedChromium();
  for (const path of INSTALLED) if (await exists(path)) return { executablePath: path };
  throw new Error(
    `The browser tests need Chromium or Chrome, and none was found on this ${process.platform} ${process.arch} machine. ` +
      'Install one, or set CHROMIUM_PATH to its program file.',
  );
}

/**
 * The package unpacks into the temporary directory, and takes a file that is there for a finished one. Test files
 * run at the same time, so each unpacks into a directory of its own, and the first one to finish gives it its name.
 */
async function packagedChromium(): Promise<Executable> {
  const version = packageJson.devDependencies['@sparticuz/chromium'].replace(/[^0-9.]/g, '');
  const home = join(tmpdir(), `votary-chromium-${version}`);
  if (!(await exists(home))) await unpack(home);
  return {
    executablePath: join(home, 'chromium'),
    env: {
      ...definedOnly(process.env),
      // The system's own libraries first; a slim container has none of them.
      LD_LIBRARY_PATH: `/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/usr/lib64:${join(home, 'al2023/lib')}`,
      ...((await exists('/etc/fonts')) ? {} : { FONTCONFIG_PATH: join(home, 'fonts') }),
    },
  };
}

async function unpack(home: string): Promise<void> {
  const staging = await mkdtemp(`${home}-`);
  const script = `import Chromium, { inflate } from '@sparticuz/chromium';
    await Chromium.executablePath();
    await inflate(process.argv[1]);`;
  const libraries = join(import.meta.dirname, '../../node_modules/@sparticuz/chromium/bin/al2023.tar.br');
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, libraries], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: staging },
  });
  await rename(staging, home).catch(() => rm(staging, { recursive: true }));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
