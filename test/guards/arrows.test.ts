import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findWrongArrows } from './arrows.ts';
import { findCycles } from './imports.ts';
import { readSourceFiles } from './source-files.ts';

describe('this project', () => {
  const files = readSourceFiles(['src', 'sdk']);

  it('was found', () => assert.ok(files.has('src/domain/errors.ts') && files.has('src/store/open.ts')));
  it('imports one way, along the arrows', () => assert.deepEqual(findWrongArrows(files), []));
  it('has no files that import one another in a ring', () => assert.deepEqual(findCycles(files), []));
});

describe('the guard of the arrows refuses', () => {
  const wrong: [name: string, path: string, source: string][] = [
    ['the rules importing a store', 'src/domain/a.ts', `import { x } from '../store/store.ts';`],
    ['the rules importing the settings', 'src/domain/a.ts', `import type { Config } from '../config.ts';`],
    ['the rules importing the web framework', 'src/domain/a.ts', `import fastify from 'fastify';`],
    ['a store importing the api', 'src/store/a.ts', `import { x } from '../api/error-body.ts';`],
    [
      'a store importing more than types of the settings',
      'src/store/a.ts',
      `import { readConfig } from '../config.ts';`,
    ],
    ['one backend importing the other', 'src/store/sqlite/a.ts', `import { x } from '../postgres/cast.ts';`],
    ['a store naming a backend', 'src/store/keys.ts', `import { x } from './sqlite/index.ts';`],
    ['the api naming a backend', 'src/api/v7/a.ts', `import { x } from '../../store/sqlite/index.ts';`],
    ['the command line naming a backend', 'src/cli/a.ts', `import { x } from '../store/postgres/index.ts';`],
    ['the api opening a store itself', 'src/api/a.ts', `import { openStore } from '../store/open.ts';`],
    ['a database driver outside its backend', 'src/store/a.ts', `import pg from 'pg';`],
    ['a database driver’s types outside its backend', 'src/api/a.ts', `import type { Pool } from 'pg';`],
    ['the api importing operation', 'src/api/a.ts', `import { x } from '../ops/listen.ts';`],
    ['operation importing the api', 'src/ops/a.ts', `import { x } from '../api/error-body.ts';`],
    ['the site importing the api', 'src/site/a.ts', `import { x } from '../api/error-body.ts';`],
    ['webhooks importing the site', 'src/webhooks/a.ts', `import { x } from '../site/index.ts';`],
    ['the api importing the server', 'src/api/a.ts', `import { x } from '../server.ts';`],
    ['the server importing the command line', 'src/server.ts', `import { x } from './cli/main.ts';`],
    [
      'the client importing the server’s code',
      'sdk/src/a.ts',
      `import type { X } from '../../src/domain/errors.ts';`,
    ],
    ['the server importing the client', 'src/api/a.ts', `import { x } from '../../sdk/src/index.ts';`],
    ['an import of a test', 'src/api/a.ts', `import { x } from '../../test/support/clock.ts';`],
    [
      'an import over several lines',
      'src/domain/a.ts',
      `import {\n  x,\n  type Y,\n} from '../store/store.ts';`,
    ],
    ['an import for its effects', 'src/domain/a.ts', `import '../store/store.ts';`],
    ['a whole module under one name', 'src/domain/a.ts', `import * as store from "../store/store.ts";`],
    ['a re-export', 'src/domain/a.ts', `export * from '../store/store.ts';`],
    ['a re-export of types', 'src/domain/a.ts', `export type { Store } from '../store/store.ts';`],
    ['an import at run time', 'src/domain/a.ts', `const s = await import('../store/store.ts');`],
    ['the type of an import', 'src/domain/a.ts', `type S = import('../store/store.ts').Store;`],
    ['an import worked out at run time', 'src/cli/a.ts', 'const s = await import(`../` + name);'],
    ['a require', 'src/domain/a.ts', `const s = require('../store/store.ts');`],
    [
      'the second of two imports',
      'src/domain/a.ts',
      `import { y } from './b.ts';\nimport { x } from '../config.ts';`,
    ],
    ['a folder that has no line in the table', 'src/helpers/a.ts', ''],
  ];
  for (const [name, path, source] of wrong) {
    it(name, () => assert.equal(findWrongArrows(new Map([[path, source]])).length, 1));
  }
});

describe('the guard of the arrows lets through', () => {
  const right: [name: string, path: string, source: string][] = [
    ['an import of the same part', 'src/domain/a.ts', `import { x } from './b.ts';`],
    ['a package that is free to all', 'src/domain/a.ts', `import { hash } from 'node:crypto';`],
    [
      'types of the settings in a store',
      'src/store/a.ts',
      `import type { DatabaseUrl } from '../config.ts';`,
    ],
    [
      'both backends where the store is opened',
      'src/store/open.ts',
      `import { x } from './sqlite/index.ts';`,
    ],
    [
      'a method that is named import',
      'src/ops/a.ts',
      `store.votes.import(batches);\n  import(batches: Vote[]): void;`,
    ],
    [
      'an import that a comment shows',
      'src/domain/a.ts',
      `/**\n * import { x } from '../store/store.ts';\n */`,
    ],
  ];
  for (const [name, path, source] of right) {
    it(name, () => assert.deepEqual(findWrongArrows(new Map([[path, source]])), []));
  }
});

describe('the guard of rings', () => {
  const link = (target: string) => `import type { X } from '${target}';`;

  it('finds two files that import each other', () => {
    const files = new Map([
      ['src/api/a.ts', link('./b.ts')],
      ['src/api/b.ts', link('./a.ts')],
    ]);
    assert.deepEqual(findCycles(files), ['src/api/a.ts -> src/api/b.ts -> src/api/a.ts']);
  });

  it('finds a ring of three behind a file that is not in it', () => {
    const files = new Map([
      ['src/a.ts', link('./b.ts')],
      ['src/b.ts', link('./c.ts')],
      ['src/c.ts', link('./d.ts')],
      ['src/d.ts', link('./b.ts')],
    ]);
    assert.deepEqual(findCycles(files), ['src/b.ts -> src/c.ts -> src/d.ts -> src/b.ts']);
  });

  it('finds a file that imports itself', () => {
    assert.equal(findCycles(new Map([['src/a.ts', link('./a.ts')]])).length, 1);
  });

  it('lets two files import the same third one', () => {
    const files = new Map([
      ['src/a.ts', `${link('./b.ts')}\n${link('./c.ts')}`],
      ['src/b.ts', link('./c.ts')],
      ['src/c.ts', ''],
    ]);
    assert.deepEqual(findCycles(files), []);
  });
});
