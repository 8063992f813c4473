/**
 * The programs in docs/guides, written out as files and run as a reader would.
 *
 *   const folder = await unpackGuide(t, 'curl');
 *   const { code, stdout } = await run('sh', ['one-call.sh'], { folder, env });
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { finish, type Outcome } from '../cli/votary.ts';
import { temporaryFolder } from '../ops/support.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A block that names a file: "```js bot.js". */
const FILE = /^```\w+ (?<name>[\w.-]+)\n(?<text>[\s\S]*?)^```$/gm;

export type Place = { folder: string; env: Record<string, string> };

/** Every file of a guide in a folder of its own, with the SDK installed beside them. */
export async function unpackGuide(t: TestContext, guide: string): Promise<string> {
  const folder = await temporaryFolder(t);
  const text = await readFile(join(ROOT, 'docs/guides', `${guide}.md`), 'utf8');
  for (const { groups } of text.matchAll(FILE)) await write(folder, groups?.name ?? '', groups?.text ?? '');
  await write(folder, 'package.json', '{ "type": "module" }');
  await installSdk(folder);
  return folder;
}

async function installSdk(folder: string): Promise<void> {
  const sdk = join(folder, 'node_modules/@votary/sdk');
  await write(sdk, 'package.json', '{ "type": "module", "exports": "./index.js" }');
  await write(sdk, 'index.js', `export * from ${JSON.stringify(join(ROOT, 'sdk/src/index.ts'))};`);
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

/** Whether this machine can run the programs of a guide; if not, the test says so and shows nothing else. */
export function isAtHand(t: TestContext, command: string, versionFlag = '--version'): boolean {
  const isThere = spawnSync(command, [versionFlag]).status === 0;
  if (!isThere) t.diagnostic(`${command} is not on this machine: its guide was not run here`);
  return isThere;
}
