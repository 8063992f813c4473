/**
 * Compiles src/ into dist/, or the given folder, for the published package: npm run build. Node refuses to strip types under node_modules, so the
 * package contains JavaScript. A file keeps its path and its lines; everything that is not TypeScript is copied.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

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

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  build(root, process.argv[2] ?? join(root, 'dist'));
}
