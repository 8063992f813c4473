import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  assertNewer,
  readArguments,
  release,
  releaseChangelog,
  SOURCES,
  setSourceVersion,
  setVersion,
} from '../../scripts/release.ts';
import { VERSION } from '../../sdk/src/version.ts';

const CHANGELOG = '# Changelog\n\nWords.\n\n## Unreleased\n\n- A change.\n\n## 0.1.0\n\n- The first.\n';
const FILES = {
  'package.json':
    '{ "name": "votary", "version": "0.1.0", "private": true, "scripts": { "test:all": "node gate.js" } }',
  'gate.js': '// Every test passes.\n',
  'package-lock.json': '{ "name": "votary", "version": "0.1.0", "packages": { "": { "version": "0.1.0" } } }',
  'sdk/package.json': '{ "name": "@votary/sdk", "version": "0.1.0" }',
  'sdk/src/version.ts': "export const VERSION = '0.1.0';\n",
  'clients/python/votary.py': '__version__ = "0.1.0"\n',
  'clients/php/Votary.php': "<?php\n    public const VERSION = '0.1.0';\n",
  'clients/php/composer.json': '{\n  "name": "votary/client",\n  "version": "0.1.0"\n}\n',
  'clients/minecraft/src/io/github/votary/minecraft/Api.java': 'static final String VERSION = "0.1.0";\n',
  'clients/minecraft/resources/plugin.yml': "name: Votary\nversion: '0.1.0'\n",
  'CHANGELOG.md': CHANGELOG,
  'sdk/CHANGELOG.md': CHANGELOG,
  '.gitignore': 'node_modules\n/release/\n',
};

function makeRepository(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'votary-release-test-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'node_modules'));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const identity = ['-c', 'user.name=Tests', '-c', 'user.email=tests@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Tests');
  git('config', 'user.email', 'tests@example.org');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  const said: string[] = [];
  const options = { root, version: '0.2.0', day: '2026-11-15', say: (line: string) => void said.push(line) };
  return { root, git, said, options };
}

test('unreleased changes move under the version, below a new empty section', () => {
  assert.equal(
    releaseChangelog(CHANGELOG, '0.2.0', '2026-11-15'),
    '# Changelog\n\nWords.\n\n## Unreleased\n\n## 0.2.0 (2026-11-15)\n\n- A change.\n\n## 0.1.0\n\n- The first.\n',
  );
  const only = '# Changelog\n\n## Unreleased\n\n- A change.\n';
  assert.match(
    releaseChangelog(only, '0.1.0', '2026-11-15'),
    /## Unreleased\n\n## 0\.1\.0 \(2026-11-15\)\n\n- A change\.\n$/,
  );
});

test('a release needs an unreleased section with changes, and a version that the changelog does not have', () => {
  const empty = '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- The first.\n';
  assert.throws(() => releaseChangelog(empty, '0.2.0', '2026-11-15'), /nothing is listed/);
  assert.throws(() => releaseChangelog('# Changelog\n', '0.2.0', '2026-11-15'), /no "## Unreleased"/);
  assert.throws(() => releaseChangelog(CHANGELOG, '0.1.0', '2026-11-15'), /already has a section 0\.1\.0/);
});

test('wrong arguments are answered with the usage', () => {
  assert.deepEqual(readArguments(['1.2.3', '--dry-run']), { version: '1.2.3', isDryRun: true });
  for (const args of [[], ['--help'], ['1.2.3', '--push'], ['1.2.3', '1.2.4']])
    assert.throws(() => readArguments(args), /usage: npm run release/);
});

test('a release needs a version of three numbers that is newer than the current one', () => {
  assertNewer('0.10.0', '0.9.9');
  for (const version of ['0.1.0', '0.0.9']) assert.throws(() => assertNewer(version, '0.1.0'), /not newer/);
  for (const version of ['1.0', 'v1.0.0', '1.0.0-rc.1', ''])
    assert.throws(() => assertNewer(version, '0.1.0'), /not a version/);
});

test('the version is set in both places of the lock file', () => {
  const { version, packages } = JSON.parse(setVersion(FILES['package-lock.json'], '0.2.0'));
  assert.deepEqual([version, packages[''].version], ['0.2.0', '0.2.0']);
});

test('all clients report the version of the release', () => {
  const root = join(import.meta.dirname, '../..');
  for (const name of SOURCES) {
    const text = readFileSync(join(root, name), 'utf8');
    assert.equal(setSourceVersion(text, VERSION), text, name);
    assert.notEqual(setSourceVersion(text, '99.0.0'), text);
  }
  assert.throws(() => setSourceVersion('const version = 1;', '0.2.0'), /does not tell its version/);
});

test('a dry run packs both packages, prints what it would do and changes nothing', (t) => {
  const { root, git, said, options } = makeRepository(t);
  release({ ...options, isDryRun: true });
  assert.match(said.join('\n'), /packed votary-0\.2\.0\.tgz .*\npacked votary-sdk-0\.2\.0\.tgz /);
  assert.match(
    said.join('\n'),
    /would run npm run test:all\n[\s\S]*would change sdk\/CHANGELOG\.md\nwould commit "release: 0\.2\.0" and tag it v0\.2\.0$/,
  );
  assert.deepEqual([git('status', '--porcelain'), git('tag')], ['', '']);
  assert.ok(!readdirSync(root).includes('release'));
});

test('a dry run leaves node_modules alone, although the package is built when it is packed', (t) => {
  const { root, git, said, options } = makeRepository(t);
  const scripts = {
    prebuild: 'node scripts/ensure-installed.js',
    build: 'node --eval "0"',
    prepack: 'npm run --silent build',
  };
  const manifest = { name: 'votary', version: '0.1.0', type: 'module', private: true, scripts };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  mkdirSync(join(root, 'scripts'));
  copyFileSync(
    join(import.meta.dirname, '../../scripts/ensure-installed.js'),
    join(root, 'scripts/ensure-installed.js'),
  );
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{ "packages": {} }');
  mkdirSync(join(root, 'node_modules/fastify'));
  // The installation is older than the lock file that the release writes, as it always is.
  utimesSync(join(root, 'node_modules/.package-lock.json'), new Date(0), new Date(0));
  git('add', '.');
  git('commit', '--quiet', '--message', 'scripts');
  release({ ...options, isDryRun: true });
  assert.match(said.join('\n'), /packed votary-0\.2\.0\.tgz/);
  assert.deepEqual(readdirSync(join(root, 'node_modules')).toSorted(), ['.package-lock.json', 'fastify']);
});

test('a release commits, tags and keeps the tarballs; repeating it is rejected', (t) => {
  const { root, git, options } = makeRepository(t);
  release({ ...options, isDryRun: false });
  assert.deepEqual([git('tag').trim(), git('log', '-1', '--format=%s').trim()], ['v0.2.0', 'release: 0.2.0']);
  assert.equal(git('status', '--porcelain'), '');
  assert.deepEqual(readdirSync(join(root, 'release')).toSorted(), [
    'votary-0.2.0.tgz',
    'votary-sdk-0.2.0.tgz',
  ]);
  assert.equal(JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8')).version, '0.2.0');
  for (const name of ['sdk/src/version.ts', 'clients/python/votary.py', 'clients/php/Votary.php'] as const)
    assert.equal(readFileSync(join(root, name), 'utf8'), FILES[name].replace('0.1.0', '0.2.0'));
  assert.throws(() => release({ ...options, isDryRun: false }), /v0\.2\.0 exists already/);
});

/** Nothing of a release is left: no file, commit, tag or tarball. */
function assertNothingReleased({ root, git }: Pick<ReturnType<typeof makeRepository>, 'root' | 'git'>): void {
  assert.equal(git('tag'), '');
  assert.doesNotMatch(git('log', '--format=%s'), /release:/);
  assert.ok(!readdirSync(root).includes('release'));
  assert.equal(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), CHANGELOG);
}

test('a release is refused if the working tree has changed or untracked files', (t) => {
  const { root, git, options } = makeRepository(t);
  for (const name of ['new.txt', 'sdk/src/version.ts']) {
    writeFileSync(join(root, name), 'a change');
    for (const isDryRun of [true, false])
      assert.throws(() => release({ ...options, isDryRun }), /uncommitted changes/, name);
    git('stash', '--quiet', '--include-untracked');
  }
  assertNothingReleased({ root, git });
});

test('a release is refused on another branch, and on a commit without a branch', (t) => {
  const { root, git, options } = makeRepository(t);
  git('switch', '--quiet', '--create', 'feature');
  for (const isDryRun of [true, false])
    assert.throws(() => release({ ...options, isDryRun }), /made on main, and this is feature/);
  git('switch', '--quiet', '--detach');
  assert.throws(() => release({ ...options, isDryRun: false }), /this is a commit without a branch/);
  assertNothingReleased({ root, git });
});

/** A repository whose tests are this program. */
function makeGated(t: TestContext, program: string) {
  const repository = makeRepository(t);
  writeFileSync(join(repository.root, 'gate.js'), program);
  repository.git('commit', '--quiet', '--all', '--message', 'tests');
  return repository;
}

test('a release is refused if a test fails', (t) => {
  const { root, git, options } = makeGated(t, 'process.exit(1);');
  assert.throws(() => release({ ...options, isDryRun: false }), /npm run test:all failed/);
  assert.equal(git('status', '--porcelain'), '');
  assertNothingReleased({ root, git });
});

test('a release is refused if a file was changed or a commit was made while the tests ran', (t) => {
  const change = "require('node:fs').writeFileSync('new.txt', '');";
  const commit =
    "require('node:child_process').execSync('git commit --quiet --allow-empty --message other');";
  for (const [program, reason] of [
    [change, /uncommitted changes/],
    [commit, /another commit was made during the tests/],
  ] as const) {
    const { root, git, options } = makeGated(t, program);
    assert.throws(() => release({ ...options, isDryRun: false }), reason);
    assertNothingReleased({ root, git });
  }
});

test('a dry run does not run the tests', (t) => {
  const { said, options } = makeGated(t, 'process.exit(1);');
  release({ ...options, isDryRun: true });
  assert.match(said.join('\n'), /would run npm run test:all/);
});
