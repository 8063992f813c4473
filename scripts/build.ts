/**
 * Compiles src/ into dist/, or the given folder, for the published package: npm run build. Node refuses to strip types under node_modules, so the
 * package contains JavaScript. A file keeps its path and its lines; everything that is not TypeScript is copied. The script of the API
 * reference and the client libraries that a site offers for download are added.
 *
 *   node scripts/build.ts [<output folder> [<packed SDK> <node_modules>]]
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BUILT_SCRIPT, extractScript, SCALAR_PACKAGE } from '../src/site/docs/scalar.ts';

/** `from './x.ts'`, `import('./x.ts')`, `import './x.ts'` */
const RELATIVE_IMPORT = /(\b(?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"\n]+)\.ts(['"])/g;

export function compile(source: string): string {
  const code = stripTypeScriptTypes(source, { mode: 'strip' });
  // Removes the white space that the types left behind.
  return code.replace(RELATIVE_IMPORT, '$1.js$2').replace(/[ \t]+$/gm, '');
}

export function build(root: string, output: string): void {
  rmSync(output, { recursive: true, force: true });
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const to = join(output, from.slice(join(root, 'src').length));
    mkdirSync(dirname(to), { recursive: true });
    if (!from.endsWith('.ts')) copyFileSync(from, to);
    else writeFileSync(to.replace(/\.ts$/, '.js'), compile(readFileSync(from, 'utf8')));
  }
}

/** The file that src/site/docs/scalar.ts reads, with its license. */
export function addReference(modules: string, output: string): void {
  const from = join(modules, SCALAR_PACKAGE);
  const to = join(output, BUILT_SCRIPT);
  writeFileSync(to, extractScript(readFileSync(join(from, 'dist/index.js'), 'utf8')));
  copyFileSync(join(from, 'LICENSE'), `${to}.LICENSE`);
}

/** The files that src/site/docs/downloads.ts reads. */
export function addClients(root: string, output: string, packedSdk?: string): void {
  const folder = join(output, 'clients');
  mkdirSync(folder);
  copyFileSync(join(root, 'clients/python/votary.py'), join(folder, 'votary.py'));
  copyFileSync(join(root, 'clients/php/Votary.php'), join(folder, 'Votary.php'));
  if (packedSdk) copyFileSync(packedSdk, join(folder, SDK));
  else packSdk(root, join(folder, SDK));
}

const SDK = 'votary-sdk.tgz';

/** Packs a copy, because packing compiles into the folder of the SDK, which others may pack at the same time. */
function packSdk(root: string, target: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'votary-build-'));
  try {
    const isSource = (path: string) => path !== join(root, 'sdk/dist') && !path.endsWith('.tgz');
    cpSync(join(root, 'sdk'), join(folder, 'sdk'), { recursive: true, filter: isSource });
    copyFileSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    // Options of an outer npm command, such as --dry-run, are not for this one.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('npm_config_')),
    );
    const options = { cwd: join(folder, 'sdk'), env, encoding: 'utf8' } as const;
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], options);
    const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    copyFileSync(join(folder, packed ?? SDK), target);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const [output = join(root, 'dist'), packedSdk, modules = join(root, 'node_modules')] =
    process.argv.slice(2);
  build(root, output);
  addReference(modules, output);
  addClients(root, output, packedSdk);
}
