/** `--against REF`: another commit in a worktree. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SMOKE } from '../../bench/data-sets/shape.ts';
import { checkOut, currentCommit } from '../../bench/servers/revision.ts';

describe('another commit to compare with', () => {
  const root = mkdtempSync(join(tmpdir(), 'votary-revision-'));
  const git = (...args: string[]) => {
    const identity = [
      '-c',
      'user.name=Test',
      '-c',
      'user.email=test@example.com',
      '-c',
      'commit.gpgsign=false',
    ];
    return execFileSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' }).trim();
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const lock = (version: string) =>
    JSON.stringify({ packages: { '': { version }, 'node_modules/pg': { version: '1.0.0' } } });

  before(() => {
    git('init', '--quiet');
    write('README.md', 'empty');
    git('add', '.');
    git('commit', '--quiet', '--message', 'without a bench');
    git('tag', 'empty');
    write('bench/servers/votary.ts', 'old');
    write('src/store/sqlite/migrations/0001-schema.sql', 'CREATE TABLE votes (id)');
    write(
      'bench/data-sets/sqlite.ts',
      `import { writeFileSync } from 'node:fs';
       export const ensureSpreadFile = (path, shape) => writeFileSync(path, 'old data of ' + shape.guilds);`,
    );
    write('package-lock.json', lock('1.0.0'));
    git('add', '.');
    git('commit', '--quiet', '--message', 'old');
    git('tag', 'old');
    write('bench/servers/votary.ts', 'new');
    write('package-lock.json', lock('2.0.0'));
    git('commit', '--quiet', '--all', '--message', 'new');
    write('src/store/sqlite/migrations/0002-claims.sql', 'CREATE TABLE claims (id)');
    git('add', '.');
    git('commit', '--quiet', '--message', 'newest');
    mkdirSync(join(root, 'node_modules'));
  });
  after(() => rmSync(root, { recursive: true }));

  it('is checked out in a folder of its own, with the packages of this clone', () => {
    const revision = checkOut('old', root);
    assert.equal(revision.commit, git('rev-parse', '--short', 'old'));
    assert.equal(readFileSync(revision.script, 'utf8'), 'old');
    const folder = dirname(dirname(dirname(revision.script)));
    assert.equal(realpathSync(join(folder, 'node_modules')), realpathSync(join(root, 'node_modules')));
    revision.remove();
    assert.ok(!existsSync(folder));
    assert.ok(existsSync(join(root, 'node_modules')));
    assert.equal(git('worktree', 'list').split('\n').length, 1);
  });

  it('makes a data set of its own if its schema is another one', () => {
    const old = checkOut('old', root);
    assert.equal(old.hasSameSchema, false);
    const path = old.ensureSpreadFile(root, SMOKE);
    assert.equal(readFileSync(path, 'utf8'), `old data of ${SMOKE.guilds}`);
    old.remove();
    const same = checkOut('HEAD', root);
    assert.equal(same.hasSameSchema, true);
    same.remove();
  });

  it('is refused if it does not exist or has no server to measure, and leaves nothing behind', () => {
    assert.throws(() => checkOut('missing', root), /missing/);
    assert.throws(() => checkOut('empty', root), /empty has no bench\/servers\/votary.ts/);
    assert.equal(git('worktree', 'list').split('\n').length, 1);
  });

  it('tells a changed clone from its commit', () => {
    const commit = git('rev-parse', '--short', 'HEAD');
    assert.equal(currentCommit(root), commit);
    write('README.md', 'changed');
    assert.equal(currentCommit(root), `${commit}+`);
    git('checkout', '--quiet', 'README.md');
  });
});
