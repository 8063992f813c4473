/** The package as users install it: packed, and installed in an otherwise empty project. */
import assert from 'node:assert/strict';
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
export const CONSUMER_FILES = ['smoke.mjs', 'manage.mjs', 'types.ts', 'manage-types.ts', 'node-types.ts'];

export type Packed = { project: string; tarballBytes: number; files: string[] };

export function packAndInstall(): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'votary-sdk-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const packed = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(ROOT, 'sdk') }),
  );
  const { filename, files } = Object.values<{ filename: string; files: { path: string }[] }>(packed)[0] ?? {};
  assert.ok(filename && files);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
  const tarball = join(folder, filename);
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
  for (const file of CONSUMER_FILES)
    copyFileSync(join(import.meta.dirname, 'consumer', file), join(project, file));
  return { project, tarballBytes: statSync(tarball).size, files: files.map(({ path }) => path) };
}

/** The output of a command, which must succeed. */
export function run(command: string, args: string[], options: SpawnSyncOptions): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...options, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? ''}\n${stdout}\n${stderr}`);
  return stdout;
}

/** The Node of the machine: the first on PATH that is not from an npm package. */
export function ownNode(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .find((node) => existsSync(node));
}
