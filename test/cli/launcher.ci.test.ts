import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { environment } from '../../src/config.ts';
import { assertBadUsage, assertFailed, finish, LAUNCHER } from './votary.ts';

/** An installed Node that is too old to run Votary, if there is one. */
function findOldNode(): string | undefined {
  const folders = (environment().PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, 'node')).find((node) => existsSync(node) && majorOf(node) < 24);
}

function majorOf(node: string): number {
  return Number.parseInt(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10);
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already exited, as it should.
  }
}

const oldNode = findOldNode();
const skip = oldNode === undefined && 'no Node older than 24 on this machine';

describe('bin/votary.js', { concurrency: 2, timeout: 60_000 }, () => {
  const folders: string[] = [];
  const started: ChildProcess[] = [];
  after(async () => {
    for (const child of started) endGroup(child);
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  });

  /** In its own process group, so that a failed test can end launcher and child together. */
  function start(
    node: string | undefined,
    launcher: string,
    args: string[],
    env: Record<string, string> = {},
  ) {
    const child = spawn(String(node), [launcher, ...args], { env, detached: true });
    started.push(child);
    return child;
  }

  async function makeFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'votary-launcher-'));
    folders.push(folder);
    return folder;
  }

  /** The launcher as in a clone where `npm ci` never ran. */
  async function copyWithoutPackages(): Promise<string> {
    const folder = await makeFolder();
    await mkdir(join(folder, 'bin'));
    await copyFile(LAUNCHER, join(folder, 'bin', 'votary.js'));
    const root = dirname(dirname(LAUNCHER));
    await cp(join(root, 'src'), join(folder, 'src'), { recursive: true });
    await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
    return join(folder, 'bin', 'votary.js');
  }

  /** Commands that print, fail or are rejected, each in its own process. */
  async function assertRunsCommands(node: string | undefined): Promise<void> {
    const env = { VOTARY_DATA_DIR: await makeFolder() };
    const run = (...args: string[]) => finish(start(node, LAUNCHER, args, env));
    assert.deepEqual(await run('guild', 'list', '--json'), { code: 0, stdout: '[]\n', stderr: '' });
    assertFailed(await run('guild', 'show', '123456789012345678'), /is not listed/);
    assert.equal((await run('guild', 'show', 'x')).code, 2);
  }

  it('runs a command and exits with its exit code', () => assertRunsCommands(process.execPath));

  it('names a missing --env-file itself, run as a command or by npm', async () => {
    const path = `${dirname(process.execPath)}${delimiter}${environment().PATH}`;
    const env = { PATH: path, VOTARY_DATA_DIR: await makeFolder() };
    const args = ['config', '--env-file', '/nowhere/env'];
    const expected =
      /^votary: --env-file names a file that cannot be read: \/nowhere\/env: no such file or directory\n$/;
    const link = join(await makeFolder(), 'votary');
    await symlink(LAUNCHER, link);
    assertBadUsage(await finish(spawn(link, args, { env })), expected);
    const cwd = dirname(dirname(LAUNCHER));
    assertBadUsage(
      await finish(spawn('npm', ['run', '-s', 'votary', '--', ...args], { env, cwd })),
      expected,
    );
    if (oldNode !== undefined)
      assertBadUsage(await finish(start(oldNode, '--', [LAUNCHER, ...args], env)), expected);
  });

  it('runs under the pinned Node when started by an old one', { skip }, () => assertRunsCommands(oldNode));

  it('forwards signals from the old Node, and exits like its child process', { skip }, async () => {
    const env = { VOTARY_DATA_DIR: await makeFolder(), VOTARY_PORT: '0' };
    const graceful = start(oldNode, LAUNCHER, ['serve', '--json'], env);
    await once(graceful.stdout, 'data');
    graceful.kill('SIGTERM');
    assert.deepEqual(await once(graceful, 'exit'), [0, null]);

    const killed = start(oldNode, LAUNCHER, ['serve', '--json'], env);
    await once(killed.stdout, 'data');
    killed.kill('SIGINT');
    assert.deepEqual(await once(killed, 'exit'), [0, null]);
  });

  it('leaves no service running when the launcher is killed', { skip }, async () => {
    const env = { VOTARY_DATA_DIR: await makeFolder(), VOTARY_PORT: '0' };
    const launcher = start(oldNode, LAUNCHER, ['serve'], env);
    let printed = '';
    launcher.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    while (!printed.includes('listening')) await once(launcher.stdout, 'data');
    launcher.kill('SIGKILL');
    // The service keeps the other end of this pipe open until it exits.
    await once(launcher.stdout, 'close');
    assert.match(printed, /"stopped"/);
  });

  it('says to run npm ci when the packages are missing', async () => {
    const copy = await copyWithoutPackages();
    assertFailed(await finish(start(process.execPath, copy, ['guild', 'list'])), /run "npm ci"/);
    assert.equal(existsSync(join(dirname(dirname(copy)), 'node_modules')), false);
  });

  it('says to run npm ci when started by an old Node without the pinned one', { skip }, async () => {
    const copy = await copyWithoutPackages();
    assertFailed(
      await finish(start(oldNode, copy, ['guild', 'list'])),
      /needs Node 24 or newer.*run "npm ci"/,
    );
  });

  it('stops the service when its npm script is stopped, although shells do not forward signals', async () => {
    const env = { npm_lifecycle_event: 'start', VOTARY_PORT: '0', VOTARY_DATA_DIR: await makeFolder() };
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${LAUNCHER}" serve; true`], {
      env,
      detached: true,
    });
    started.push(shell);
    let printed = '';
    shell.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    while (!printed.includes('listening')) await once(shell.stdout, 'data');
    shell.kill('SIGTERM');
    // The service keeps the other end of this pipe open until it exits.
    await once(shell.stdout, 'close');
    assert.match(printed, /"stopped"/);
  });
});
