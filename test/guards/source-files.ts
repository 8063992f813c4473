import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Path from the project's root -> text. Guards take this and not a folder, so that a test can show them a fault. */
export type SourceFiles = ReadonlyMap<string, string>;

const ROOT = join(import.meta.dirname, '../..');

/** Every file with one of these endings in these folders of the project; a folder that is not there yet is empty. */
export function readSourceFiles(folders: readonly string[], endings = '{ts,js}'): SourceFiles {
  const patterns = folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .map((folder) => `${folder}/**/*.${endings}`);
  const paths = globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] });
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

/** The text with its comments blanked, lines kept. Whole-line comments and those after code, as our formatter writes them. */
export function withoutComments(source: string): string {
  return source.replace(/^\s*(?:\/\*|\*|\/\/).*$|\s\/\/\s.*$/gm, '');
}
