import { posix } from 'node:path';
import { type SourceFiles, withoutComments } from './source-files.ts';

/** `target` is a path of the project for an import of our own file, and a package's name for any other. */
export type Import = { target: string; isOurs: boolean; isTypeOnly: boolean };

const QUOTED = `(?<quote>['"])(?<specifier>[^'"]+)\\k<quote>`;

/** `import … from 'x'`, `import type … from 'x'`, `export … from 'x'` and the bare `import 'x'`. */
const STATEMENT = new RegExp(
  `^\\s*(?:import|export)\\s+(?<type>type\\s+(?!from\\b))?(?:[^'";]*?\\sfrom\\s*)?${QUOTED}`,
  'gm',
);
/** `await import('x')`, the type `import('x').Y`, and `require('x')`. A method named `import` is none of these. */
const CALL = new RegExp(`(?<![.\\w])(?:import|require)\\(\\s*${QUOTED}`, 'g');
/** An import whose target is worked out at run time: nobody can follow its arrow. */
const COMPUTED = /(?:\bawait|\breturn|\btypeof|=>|[=(,?:])\s*(?:import|require)\(\s*(?!['"\s])/;

export function importsOf(path: string, source: string): Import[] {
  const code = withoutComments(source);
  return [...code.matchAll(STATEMENT), ...code.matchAll(CALL)].map((match) => {
    const specifier = match.groups?.specifier ?? '';
    const isOurs = specifier.startsWith('.');
    const target = isOurs ? posix.join(posix.dirname(path), specifier) : packageName(specifier);
    return { target, isOurs, isTypeOnly: match.groups?.type !== undefined };
  });
}

export function hasComputedImport(source: string): boolean {
  return COMPUTED.test(withoutComments(source));
}

/** `@scope/name/sub` -> `@scope/name`, `name/sub` -> `name`. */
function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Each ring of files that import one another, written `a -> b -> a`. Imports of types count: they tie files together too. */
export function findCycles(files: SourceFiles): string[] {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(' -> '));
    if (start >= 0 || finished.has(path)) return;
    for (const { target } of importsOf(path, files.get(path) ?? '')) {
      if (files.has(target)) visit(target, [...trail, path]);
    }
    finished.add(path);
  };
  for (const path of files.keys()) visit(path, []);
  return cycles;
}
