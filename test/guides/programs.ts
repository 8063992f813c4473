/**
 * The programs in docs/guides, written to files and run as a reader would run them.
 *
 *   const demo = await startDemo();
 *   const place = await unpackGuide(t, 'curl', demo.env);
 *   const { code, stdout } = await run('sh', ['one-call.sh'], place);
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { assertDone, finish, GUILD, LAUNCHER, makeHome, type Outcome } from '../cli/votary.ts';
import { temporaryFolder } from '../http/support.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** A block with a file name: "```js bot.mjs". */
const FILE = /^```\w+ (?<name>[\w./-]+)\n(?<text>[\s\S]*?)^```$/gm;

export type Place = { folder: string; env: Record<string, string> };

/** Every file of a guide in a temporary folder. */
export async function unpackGuide(
  t: TestContext,
  guide: string,
  env: Record<string, string> = {},
): Promise<Place> {
  const folder = await temporaryFolder(t);
  for (const { name, text } of await filesOf(guide)) await write(folder, name, text);
  return { folder, env };
}

/** The same for operators: with a `votary` command on its own database, which contains `GUILD`. */
export async function unpackWithVotary(
  t: TestContext,
  guide: string,
  env: Record<string, string>,
): Promise<Place> {
  const home = await makeHome();
  assertDone(await home.votary('guild', 'add', GUILD));
  const { folder } = await unpackGuide(t, guide);
  await write(folder, 'bin/votary', `#!/bin/sh\nexec "${process.execPath}" "${LAUNCHER}" "$@"\n`);
  await chmod(join(folder, 'bin/votary'), 0o755);
  const path = [join(folder, 'bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  return { folder, env: { PATH: path, VOTARY_DATA_DIR: home.dataDir, ...env } };
}

export async function filesOf(guide: string): Promise<{ name: string; text: string }[]> {
  const text = await readFile(join(ROOT, 'docs/guides', `${guide}.md`), 'utf8');
  return [...text.matchAll(FILE)].map(({ groups }) => ({
    name: groups?.name ?? '',
    text: groups?.text ?? '',
  }));
}

/** A package that a guide installs, replaced by a local module. */
export async function addPackage(folder: string, name: string, source: string): Promise<void> {
  const home = join(folder, 'node_modules', name);
  await write(home, 'package.json', '{ "type": "module", "exports": "./index.js" }');
  await write(home, 'index.js', source);
}

/** The SDK from its sources. install-sdk.ci.test.ts tests once that the packed one can be installed as described. */
export function addSdk(folder: string): Promise<void> {
  return addPackage(folder, '@votary/sdk', reExport('sdk/src/index.ts'));
}

export function reExport(path: string): string {
  return `export * from ${JSON.stringify(join(ROOT, path))};`;
}

export async function write(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

export function start(command: string, args: string[], { folder, env }: Place): ChildProcess {
  return spawn(command, args, { cwd: folder, env: { ...process.env, ...env } });
}

export function run(command: string, args: string[], place: Place): Promise<Outcome> {
  return finish(start(command, args, place));
}

/** Options with which Java starts faster; it is started many times, and never runs long. */
export const QUICK_JAVA = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

/** The same options for `javac` and `keytool`. */
export const QUICK_JAVA_TOOL = QUICK_JAVA.map((option) => `-J${option}`);

export function compileJava(place: Place, files: string): Promise<Outcome> {
  return run('sh', ['-c', `javac ${QUICK_JAVA_TOOL.join(' ')} ${files}`], place);
}
