/**
 * Makes a release: versions, changelog sections, the packed server and SDK, a commit and a tag. Pushes nothing. Refuses a
 * working tree with changes, a branch other than main, and a commit that does not pass every test.
 *
 *   npm run release -- 0.2.0 --dry-run    prints what it would do; packs in a temporary folder, and runs no tests
 *   npm run release -- 0.2.0              runs every test, then writes the tarballs to release/
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const CHANGELOGS = ['CHANGELOG.md', 'sdk/CHANGELOG.md'];
const MANIFESTS = ['package.json', 'package-lock.json', 'sdk/package.json'];
/** Where clients define their version; `package.json` of the SDK is a manifest. */
export const SOURCES = [
  'sdk/src/version.ts',
  'clients/python/votary.py',
  'clients/php/Votary.php',
  'clients/php/composer.json',
  'clients/minecraft/src/io/github/votary/minecraft/Api.java',
  'clients/minecraft/resources/plugin.yml',
];
const OUTPUT = 'release';
const BRANCH = 'main';
/** The script of package.json that runs every test. */
const GATE = 'test:all';

/** The reason why a release is not possible; printed as one line. */
export class ReleaseError extends Error {}

/** Moves the "Unreleased" section under the version, and adds an empty one above it. */
export function releaseChangelog(text: string, version: string, day: string): string {
  const [, before, section, after] =
    /^([\s\S]*?^## Unreleased\n)([\s\S]*?)((?=^## )[\s\S]*|$(?![\s\S]))/m.exec(text) ?? [];
  if (before === undefined || section === undefined)
    throw new ReleaseError('a changelog has no "## Unreleased"');
  if (section.trim() === '') throw new ReleaseError('nothing is listed under "## Unreleased" in a changelog');
  if (text.includes(`\n## ${version}`))
    throw new ReleaseError(`a changelog already has a section ${version}`);
  return `${before}\n## ${version} (${day})\n\n${section.trim()}\n${after ? `\n${after}` : ''}`;
}

/** Sets the version in the text of a package.json or lock file. */
export function setVersion(text: string, version: string): string {
  const manifest = JSON.parse(text);
  manifest.version = version;
  if (manifest.packages?.['']) manifest.packages[''].version = version;
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Sets the version in the source of a client: the line that defines the constant. */
export function setSourceVersion(text: string, version: string): string {
  const line = /^(.*\b(?:VERSION = |__version__ = |version": |^version: ))(['"])\d+\.\d+\.\d+\2/m;
  if (!line.test(text)) throw new ReleaseError('the source of a client does not tell its version');
  return text.replace(line, `$1$2${version}$2`);
}

export function assertNewer(version: string, current: string): void {
  const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(version);
  if (!parts) throw new ReleaseError(`${version} is not a version like 1.2.3`);
  const isNewer = version.localeCompare(current, 'en', { numeric: true }) > 0;
  if (!isNewer) throw new ReleaseError(`${version} is not newer than the current version ${current}`);
}

export type ReleaseOptions = {
  root: string;
  version: string;
  day: string;
  isDryRun: boolean;
  say: (line: string) => void;
};

export function release({ root, version, day, isDryRun, say }: ReleaseOptions): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  assertUnchanged(git('status', '--porcelain'));
  assertBranch(git('branch', '--show-current'));
  if (git('tag', '--list', `v${version}`) !== '')
    throw new ReleaseError(`the tag v${version} exists already`);
  assertNewer(version, JSON.parse(read('package.json')).version);
  const changed = new Map([
    ...MANIFESTS.map((name) => [name, setVersion(read(name), version)] as const),
    ...SOURCES.map((name) => [name, setSourceVersion(read(name), version)] as const),
    ...CHANGELOGS.map((name) => [name, releaseChangelog(read(name), version, day)] as const),
  ]);

  const folder = mkdtempSync(join(tmpdir(), 'votary-release-'));
  try {
    const tarballs = pack(root, folder, changed);
    for (const tarball of tarballs)
      say(`packed ${tarball} (${statSync(join(folder, OUTPUT, tarball)).size} bytes)`);
    if (isDryRun) {
      say(`would run npm run ${GATE}`);
      for (const name of changed.keys()) say(`would change ${name}`);
      say(`would commit "release: ${version}" and tag it v${version}`);
      return;
    }
    const commit = git('rev-parse', 'HEAD');
    runGate(root);
    // The tests take minutes, in which somebody may have gone on working.
    assertUnchanged(git('status', '--porcelain'));
    if (git('rev-parse', 'HEAD') !== commit)
      throw new ReleaseError('another commit was made during the tests');
    cpSync(join(folder, OUTPUT), join(root, OUTPUT), { recursive: true });
    for (const [name, text] of changed) writeFileSync(join(root, name), text);
    git('commit', '--quiet', '--message', `release: ${version}`, '--', ...changed.keys());
    git('tag', '--annotate', '--message', `Votary ${version}`, `v${version}`);
    say(`committed and tagged v${version}; tarballs are in ${OUTPUT}/`);
    say(`Next: git push --follow-tags, then npm publish ${OUTPUT}/<sdk tarball> --access public`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function assertUnchanged(status: string): void {
  if (status !== '') throw new ReleaseError('the working tree has uncommitted changes');
}

function assertBranch(branch: string): void {
  const current = branch === '' ? 'a commit without a branch' : branch;
  if (branch !== BRANCH) throw new ReleaseError(`releases are made on ${BRANCH}, and this is ${current}`);
}

function runGate(root: string): void {
  const { status } = spawnSync('npm', ['run', '--silent', GATE], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new ReleaseError(`npm run ${GATE} failed, so nothing was released`);
}

/** Packs the committed tree with the changed files, so that nothing else of the working copy is included. */
function pack(root: string, folder: string, changed: ReadonlyMap<string, string>): string[] {
  const tree = join(folder, 'tree');
  const output = join(folder, OUTPUT);
  mkdirSync(tree);
  mkdirSync(output);
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  for (const [name, text] of changed) writeFileSync(join(tree, name), text);
  // The SDK is compiled when it is packed.
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  for (const part of ['.', 'sdk']) {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', output], {
      cwd: join(tree, part),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return readdirSync(output).toSorted();
}

const USAGE = 'usage: npm run release -- <version> [--dry-run]';

export function readArguments(args: string[]): { version: string; isDryRun: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean', default: false } },
    });
    const [version, ...others] = positionals;
    if (version !== undefined && others.length === 0) return { version, isDryRun: values['dry-run'] };
  } catch {
    // An unknown option is answered with the usage, too.
  }
  throw new ReleaseError(USAGE);
}

if (import.meta.main) {
  try {
    release({
      ...readArguments(process.argv.slice(2)),
      root: join(import.meta.dirname, '..'),
      day: new Date().toISOString().slice(0, 10),
      say: (line) => void process.stdout.write(`${line}\n`),
    });
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error;
    process.stderr.write(`release: ${error.message}\n`);
    process.exitCode = 1;
  }
}
