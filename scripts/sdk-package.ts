/**
 * Compiles the SDK and packs it as `npm pack` does, without npm: for the build of the server, and for a clone that serves it.
 *
 *   node scripts/sdk-package.ts [<file>]      votary-sdk.tgz by default
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { tar } from './tar.ts';
import type { ZipEntry } from './zip.ts';

export const SDK = 'votary-sdk.tgz';

const COMPILED = 'dist';
/** npm always includes these. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

export async function packSdk(root: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-sdk-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const project = ['--project', join(root, 'sdk/tsconfig.json'), '--outDir', folder];
    await promisify(execFile)(process.execPath, [compiler, ...project]);
    const { files }: { files: string[] } = JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8'));
    const others = [...ALWAYS, ...files.filter((name) => name !== COMPILED)];
    const entries = [
      ...others.map((name) => ({ name, body: readFileSync(join(root, 'sdk', name)) })),
      ...(await readCompiled(folder)),
    ];
    return gzipSync(tar(entries.map(({ name, body }) => ({ name: `package/${name}`, body }))), { level: 9 });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readCompiled(folder: string): Promise<ZipEntry[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths.toSorted().map(async (path) => ({
      name: COMPILED + path.slice(folder.length).replaceAll('\\', '/'),
      body: await readFile(path),
    })),
  );
}

if (import.meta.main) {
  const [target = SDK] = process.argv.slice(2);
  writeFileSync(target, await packSdk(join(import.meta.dirname, '..')));
}
