/** Rules about the sources that the linter cannot express. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

type Rule = { name: string; allowed: RegExp; forbidden: RegExp; examples: readonly string[] };

const RULES: readonly Rule[] = [
  {
    name: 'SQL is written under src/store only',
    allowed: /^src\/store\//,
    forbidden:
      /\b(?:SELECT|PRAGMA|RETURNING|ON CONFLICT|ROLLBACK)\b|(?i:`\s*select\s|\binsert\s+into\b|\bdelete\s+from\b|\bupdate\s+\w+\s+set\b|\b(?:create|alter|drop)\s+(?:unlogged\s|unique\s)?(?:table|index)\b)/,
    examples: [
      "db.query('SELECT 1')",
      'sql`select * from votes`',
      "db.exec('insert into votes values (1)')",
      "db.exec('UPDATE guilds SET name = 1')",
      "db.exec('delete from votes')",
      "db.exec('CREATE UNIQUE INDEX i ON t (a)')",
    ],
  },
  {
    // SQLite plans such a statement again at every execution (25 µs), because the plan may depend on the value.
    name: 'a bound limit of a SQLite statement is an expression, as in LIMIT ? + 0',
    allowed: /^(?!src\/store\/(?!postgres\/))/,
    forbidden: /\bLIMIT\s+[?@:]\w*(?!\w| \+ 0)/,
    examples: ['ORDER BY at LIMIT ?', 'LIMIT @limit)'],
  },
  {
    // An import writes on a connection of its own, which the cache notices.
    name: 'votes are added to a SQLite database in one place, which adds them to the cache',
    allowed: /^(?!src\/store\/(?!postgres\/))|^src\/store\/sqlite\/votes\/(?:insert-vote|import)\.ts$/,
    forbidden: /\bINTO\s+votes\b/,
    examples: ['INSERT INTO votes (guild_id) VALUES (?)', 'INSERT OR IGNORE INTO votes'],
  },
  {
    // These add rows after the guilds are locked: by the same file, or by claim-votes.ts, whose statements the others are.
    name: 'rows without a foreign key to their guild on PostgreSQL are added where the guild is locked first',
    allowed:
      /^(?!src\/store\/(?!sqlite\/))|^src\/store\/postgres\/(?:votes\/(?:cast-statements|import|idempotency-keys|add-claims)|moderation\/voiding)\.ts$/,
    forbidden: /\bINTO\s+(?:votes|cooldowns|vote_claims|consumer_claims|idempotency_keys|\$\{claims\})(?!\w)/,
    examples: ['INSERT INTO cooldowns (guild_id)', `INSERT INTO $\{claims}\n  (guild_id)`],
  },
  {
    name: 'the status of an error is a named constant',
    allowed: /^$/,
    forbidden:
      /\.\s*(?:code|status|writeHead)\(\s*[45]\d\d\b|\bstatusCode\s*[:=]\s*[45]\d\d\b|HTTP\/1\.[01] [45]\d\d/,
    examples: [
      'reply.code(401)',
      'reply\n  .code(\n    404\n  )',
      'response.writeHead(403)',
      "'HTTP/1.1 400 Bad'",
    ],
  },
  {
    name: 'the current time is read from an injected clock',
    allowed: /^src\/(?:service\.ts|cli\/|site\/public\/)/,
    forbidden: /\bnew Date\b(?!\s*\(\s*[^)\s])|(?<!new )\bDate\(\s*\)/,
    examples: ['new Date()', 'new Date;', 'Date()'],
  },
  {
    // The command line, service.ts and store/open.ts import at start. The icon of a site with its own color is loaded, and the script
    // of the API reference and the libraries of cards and banners are searched for and opened, when the service starts. The
    // Markdown parser, which the documentation imports, is a part of the bundle.
    name: 'nothing is loaded from the files of the program while it serves, because an upgrade replaces them',
    allowed:
      /^src\/(?:cli\/|service\.ts|store\/open\.ts|site\/layout\/brand\.ts|site\/docs\/(?:scalar|index|guide-view)\.ts|site\/(?:sharing\/card|banner\/banner)-files\.ts)/,
    forbidden:
      /\bimport\(\s*['"`]|\breadFile\(\s*(?:new URL|join\(import)|\bcreateRequire\b|\bexecFile|\bspawn/,
    examples: ["await import('pg')", 'await readFile(new URL(name, import.meta.url))'],
  },
  {
    name: 'the environment is read in src/config.ts only',
    allowed: /^src\/config\.ts$/,
    forbidden: /\benv\b[^;]*from 'node:process'|\{[^}]*\benv\b[^}]*\} = process\b/,
    examples: ["import { env } from 'node:process';", 'const { env } = process;'],
  },
];

const files = new Map(
  globSync('src/**/*.{ts,js}', { cwd: ROOT }).map((path) => [
    path,
    readFileSync(join(ROOT, path), 'utf8').replace(/^\s*(?:\/\*|\*|\/\/).*$|\s\/\/\s.*$/gm, ''),
  ]),
);

for (const { name, allowed, forbidden, examples } of RULES) {
  test(name, () => {
    for (const example of examples) assert.match(example, forbidden);
    const broken = [...files].filter(([path, source]) => !allowed.test(path) && forbidden.test(source));
    assert.deepEqual(
      broken.map(([path, source]) => `${path}: ${forbidden.exec(source)?.[0]}`),
      [],
    );
  });
}

/** Message catalogues have a `fr` entry or constant. */
const catalogues = [...files].filter(([, source]) => /\bfr(?:: | = )/.test(source));
const LITERAL = /'(?:[^'\\\n]|\\.)*'|`[^`]*`/g;
const PLAIN_SPACE = /[\p{L}\d»)’…] [:;?!»](?:\s|'|`|$)|« /u;

test('French punctuation is preceded by a no-break space', () => {
  const broken = catalogues.flatMap(([path, source]) =>
    (source.match(LITERAL) ?? [])
      .map((literal) => literal.replace(/\$\{[^{}]*\}/g, 'x'))
      .filter((literal) => !literal.includes('${') && PLAIN_SPACE.test(literal))
      .map((literal) => `${path}: ${literal}`),
  );
  assert.deepEqual(broken, []);
  assert.match("'Vraiment ?'", PLAIN_SPACE);
  assert.ok(catalogues.length > 10);
});
