/**
 * The package as it is published: compiled code without sources. Its dependencies are those of this clone, so that
 * nothing is downloaded.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** `files` of package.json, except for what is built. */
const COPIED = ['bin', 'docs', 'deploy', 'package.json', 'CHANGELOG.md', 'SECURITY.md'];

const built = new Map<string, string>();

/** Returns the script of its command line. It is built once per run. */
export function buildPackage(folder: string): string {
  const script = built.get(folder) ?? build(folder);
  built.set(folder, script);
  return script;
}

function build(folder: string): string {
  const target = join(folder, 'package');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const name of COPIED) cpSync(join(ROOT, name), join(target, name), { recursive: true });
  // The packed SDK is only a download, and takes seconds to create.
  const sdk = join(target, 'no-sdk.tgz');
  writeFileSync(sdk, '');
  const command = ['--disable-warning=ExperimentalWarning', join(ROOT, 'scripts/build.ts')];
  execFileSync(process.execPath, [...command, join(target, 'dist'), sdk], { stdio: ['ignore', 2, 2] });
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'));
  return join(target, 'bin/votary.js');
}
