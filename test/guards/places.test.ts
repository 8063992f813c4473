import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findLongFiles, findMisplaced, MAX_LINES, PLACE_RULES } from './places.ts';
import { readSourceFiles } from './source-files.ts';

describe('in this project', () => {
  const files = readSourceFiles(['src']);
  for (const rule of PLACE_RULES) it(rule.name, () => assert.deepEqual(findMisplaced(rule, files), []));

  it('no file is over 300 lines', () => {
    const all = readSourceFiles(
      ['bin', 'src', 'test', 'bench', 'scripts', 'sdk'],
      '{ts,js,mjs,sql,css,html}',
    );
    assert.ok(all.size > files.size);
    assert.deepEqual(findLongFiles(all), []);
  });
});

/** The places that each guard must find in a file of the api. */
const WRONG: Record<string, readonly string[]> = {
  environment: [
    'const port = process.env.PORT;',
    'const { PORT } = process.env;',
    "const all = process['env'];",
    "import { env } from 'node:process';",
  ],
  SQL: [
    "db.query('SELECT 1');",
    'sql`select * from votes`;',
    "db.exec('insert into votes values (1)');",
    "db.exec('UPDATE guilds SET name = 1');",
    "db.exec('delete from votes');",
    "db.exec('CREATE UNIQUE INDEX i ON t (a)');",
    "db.exec('create table t (a int)');",
    "db.exec('PRAGMA journal_mode');",
  ],
  statuses: [
    'reply.code(401).send();',
    'reply\n  .code(\n    404\n  );',
    'reply.status(503);',
    'response.writeHead(403, headers);',
    'response.statusCode = 500;',
    'throw Object.assign(new Error(), { statusCode: 400 });',
    "socket.end('HTTP/1.1 400 Bad Request');",
  ],
  time: [
    'const now = Date.now();',
    'const clock = Date.now;',
    'const now = new Date();',
    'const now = new Date;',
    'const text = Date();',
    'const chance = Math.random();',
  ],
};

/** Code that looks alike and is right. */
const RIGHT = [
  '// process.env is read elsewhere, SELECT too, and Date.now() as well',
  '/**\n * reply.code(401), new Date()\n */',
  'const year = new Date(instant).getUTCFullYear();',
  'const at = Date.parse(text);',
  'reply.code(ERROR_STATUS[code]).send(body);',
  'if (reply.statusCode >= 500) log(reply.statusCode);',
  'const status: number = statusOf(code);',
  "const help = 'select a guild, then update its name';",
  'const next = 1; // as Math.random() would',
];

describe('the guards of places', () => {
  for (const [word, sources] of Object.entries(WRONG)) {
    const rule = PLACE_RULES.find(({ name }) => name.includes(word.replace('time', 'time and chance')));
    assert.ok(rule, word);
    for (const source of sources) {
      it(`refuse ${JSON.stringify(source)}`, () => {
        assert.notDeepEqual(findMisplaced(rule, new Map([['src/api/a.ts', source]])), []);
      });
    }
  }

  for (const source of RIGHT) {
    it(`let through ${JSON.stringify(source)}`, () => {
      for (const rule of PLACE_RULES)
        assert.deepEqual(findMisplaced(rule, new Map([['src/api/a.ts', source]])), []);
    });
  }

  it('tell the line', () => {
    const rule = PLACE_RULES[0];
    assert.ok(rule);
    const source = '/**\n * Why.\n */\nconst port = process.env.PORT;\n';
    assert.deepEqual(findMisplaced(rule, new Map([['src/api/a.ts', source]])), ['src/api/a.ts:4']);
  });

  it('let each thing stand in its own place', () => {
    const inPlace = new Map([
      ['src/config.ts', 'process.env'],
      ['src/store/sqlite/votes.ts', 'SELECT 1'],
      ['src/api/error-status.ts', 'const x = { status: 404 };'],
      ['src/cli/main.ts', 'Date.now()'],
      ['src/service.ts', 'Date.now()'],
    ]);
    for (const rule of PLACE_RULES) assert.deepEqual(findMisplaced(rule, inPlace), []);
  });

  it('refuse a file of 301 lines and let one of 300 through', () => {
    const lines = (count: number) => 'x\n'.repeat(count);
    assert.deepEqual(findLongFiles(new Map([['src/a.ts', lines(MAX_LINES)]])), []);
    assert.deepEqual(findLongFiles(new Map([['src/a.ts', lines(MAX_LINES + 1)]])), [
      'src/a.ts has 301 lines',
    ]);
  });
});
