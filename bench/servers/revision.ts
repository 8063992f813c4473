/** Another commit of this repository to compare with: `--against REF`. */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Shape } from '../data-sets/shape.ts';

export type Revision = {
  /** As given, for example `main` or `HEAD~3`. */
  ref: string;
  commit: string;
  /** The script that starts its server, with the same protocol as the one of this clone. */
  script: string;
  /** Whether it can use the data sets of this commit: its database schema is the same. */
  hasSameSchema: boolean;
  /** The data set for vote checks on SQLite, made by the other commit itself. Returns the path. */
  ensureSpreadFile(folder: string, shape: Shape): string;
  remove(): void;
};

const ROOT = join(import.meta.dirname, '..', '..');

/** A worktree in a temporary folder. It shares the installed packages if the commit has the same ones. */
export function checkOut(ref: string, root: string = ROOT): Revision {
  const commit = git(root, ['rev-parse', '--short', '--verify', `${ref}^{commit}`]);
  const folder = mkdtempSync(join(tmpdir(), 'votary-bench-'));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    git(root, ['worktree', 'prune']);
  };
  try {
    git(root, ['worktree', 'add', '--detach', folder, commit]);
    const script = join(folder, 'bench/servers/votary.ts');
    if (!existsSync(script))
      throw new Error(`${ref} has no bench/servers/votary.ts to start its server with`);
    if (hasSamePackages(root, folder)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 2, 2] });
    const ensureSpreadFile = (data: string, shape: Shape) => {
      const path = join(data, `spread-${commit}.db`);
      const source = pathToFileURL(join(folder, 'bench/data-sets/sqlite.ts'));
      const program = `const { ensureSpreadFile } = await import('${source.href}');
        await ensureSpreadFile(${JSON.stringify(path)}, ${JSON.stringify(shape)});`;
      const options = { cwd: folder, stdio: ['ignore', 2, 2] } satisfies ExecFileSyncOptions;
      execFileSync(process.execPath, ['--input-type=module', '--eval', program], options);
      return path;
    };
    const hasSameSchema = schemaOf(root) === schemaOf(folder);
    return { ref, commit, script, hasSameSchema, ensureSpreadFile, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The commit that is measured, with a `+` when files were changed since. */
export function currentCommit(root: string = ROOT): string {
  try {
    const isChanged = git(root, ['status', '--porcelain', '--untracked-files=no']) !== '';
    return git(root, ['rev-parse', '--short', 'HEAD']) + (isChanged ? '+' : '');
  } catch {
    // Not a clone.
    return 'unknown';
  }
}

function schemaOf(folder: string): string {
  const files = globSync('src/store/*/migrations/*.sql', { cwd: folder }).sort();
  return files.map((file) => `${file}\n${readFileSync(join(folder, file), 'utf8')}`).join('\n');
}

/** The version of the project itself does not matter. */
function hasSamePackages(root: string, other: string): boolean {
  const packages = (folder: string) => {
    const { '': _project, ...listed } = JSON.parse(
      readFileSync(join(folder, 'package-lock.json'), 'utf8'),
    ).packages;
    return JSON.stringify(listed);
  };
  return packages(root) === packages(other);
}

function git(root: string, args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
