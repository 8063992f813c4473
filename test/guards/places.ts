import { type SourceFiles, withoutComments } from './source-files.ts';

/** Something that may be written in a few places only. */
type PlaceRule = { name: string; only: RegExp; patterns: readonly RegExp[] };

const ERROR_STATUS = '[45][0-9]{2}\\b';

export const PLACE_RULES: readonly PlaceRule[] = [
  {
    name: 'the environment is read in src/config.ts only',
    only: /^src\/config\.ts$/,
    patterns: [/\bprocess\s*\??\.\s*env\b/, /\bprocess\[/, /\bimport\b[^;]*\benv\b[^;]*from 'node:process'/],
  },
  {
    name: 'SQL is written under src/store only',
    only: /^src\/store\//,
    patterns: [
      /\b(?:SELECT|PRAGMA|RETURNING|ON CONFLICT|ROLLBACK)\b/,
      /\b(?:insert\s+into|delete\s+from|(?:create|alter|drop)\s+(?:unlogged\s+|unique\s+)?(?:table|index))\b/i,
      /\bupdate\s+\w+\s+set\b/i,
      /`\s*select\s/i,
    ],
  },
  {
    name: 'HTTP statuses of errors are named, never written in place',
    only: /^src\/api\/error-status\.ts$/,
    patterns: [
      new RegExp(`\\.\\s*(?:code|status|writeHead|sendStatus)\\(\\s*${ERROR_STATUS}`),
      new RegExp(`\\b(?:status|statusCode)['"]?\\s*(?:=(?!=)|:)\\s*${ERROR_STATUS}`),
      new RegExp(`HTTP/1\\.[01] ${ERROR_STATUS}`),
    ],
  },
  {
    name: 'time and chance come in where the process is put together only',
    // Scripts for the browser are a process of their own.
    only: /^src\/(?:service\.ts$|cli\/|site\/public\/)/,
    patterns: [
      /\bDate\s*\.\s*now\b/,
      /\bnew Date\s*(?:\(\s*\)|(?!\s*\()\b)/,
      /(?<!new )\bDate\(\s*\)/,
      /\bMath\s*\.\s*random\b/,
    ],
  },
];

/** Where a rule is broken, as `path:line`. */
export function findMisplaced(rule: PlaceRule, files: SourceFiles): string[] {
  return [...files]
    .filter(([path]) => !rule.only.test(path))
    .flatMap(([path, source]) => {
      const code = withoutComments(source);
      const places = rule.patterns.map((pattern) => code.search(pattern)).filter((index) => index >= 0);
      return places.map((index) => `${path}:${code.slice(0, index).split('\n').length}`);
    });
}

export const MAX_LINES = 300;

export function findLongFiles(files: SourceFiles): string[] {
  return [...files]
    .map(([path, source]) => ({ path, lines: source.replace(/\n$/, '').split('\n').length }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}
