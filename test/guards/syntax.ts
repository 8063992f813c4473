/** The syntax trees of the sources, for rules that need more than their text. */
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parse } from 'acorn';

export const ROOT = join(import.meta.dirname, '../..');

export type SyntaxNode = { type: string; start: number; end: number; [part: string]: unknown };

export type SourceFile = { path: string; text: string; nodes: readonly SyntaxNode[] };

/** All files of the service and the SDK. Removed types leave spaces, so lines and columns stay those of the file. */
export function readSources(): SourceFile[] {
  return globSync('{src,sdk/src}/**/*.{ts,js}', { cwd: ROOT }).map((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8');
    return parseSource(path, path.endsWith('.ts') ? stripTypeScriptTypes(source) : source);
  });
}

export function parseSource(path: string, text: string): SourceFile {
  const program = parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  return { path, text, nodes: [...nodesIn(program)] };
}

/** Where a node is, as in an error message. */
export function placeOf({ path, text }: SourceFile, { start }: SyntaxNode): string {
  return `${path}:${text.slice(0, start).split('\n').length}`;
}

function* nodesIn(value: unknown): Generator<SyntaxNode> {
  if (isNode(value)) yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) yield* nodesIn(part);
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
