#!/bin/sh
true /*; exec node -- "$0" "$@" # */;

// Starts the command line. This file may run on a Node that is too old for the rest, so it is plain JavaScript without
// dependencies. The shell runs the second line; Node parses it as `true` and a comment. Without the `--`, Node would
// read --env-file itself, and exit with its own message if it is missing. BusyBox has no `env -S` to pass the `--`.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// A clone runs its TypeScript sources; the package contains a bundle of them.
const isClone = existsSync(fileURLToPath(new URL('../src/cli/main.ts', import.meta.url)));
const executable = process.platform === 'win32' ? 'node.exe' : 'node';
const installed = fileURLToPath(new URL('../node_modules', import.meta.url));
const pinnedNode = join(installed, 'node', 'bin', executable);

if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) {
  await runHere();
} else if (existsSync(pinnedNode)) {
  runUnder(pinnedNode);
} else {
  // A clone without its development dependencies does not have the pinned Node.
  const omitted = existsSync(installed) ? ' without --omit=dev' : '';
  const advice = isClone
    ? `run "npm ci"${omitted} in its folder, which installs one`
    : 'install a newer Node';
  fail(`Votary needs Node ${OLDEST_NODE} or newer and this is ${process.versions.node}: ${advice}`);
}

async function runHere() {
  if (process.env.npm_lifecycle_event) stopWithParent();
  if (process.channel) stopWithLauncher();
  // Halves the start time of a command. No other user can write to this folder. It may be read-only: then there is no cache.
  const cache = isClone
    ? join(installed, '.cache', 'votary')
    : fileURLToPath(new URL('../.cache', import.meta.url));
  if (!isClone || existsSync(installed)) module.enableCompileCache?.(cache);
  const args = process.argv.slice(2);
  if (!isClone) {
    const { loadBundle } = await import('./bundle.js');
    const file = fileURLToPath(new URL('../dist/votary.cjs', import.meta.url));
    const { program, storeCode } = loadBundle(file, { canStore: args.includes('serve') });
    process.exitCode = await program.runCommandLine(args, { storeCode });
    return;
  }
  const program = await loadSources();
  if (!program) return fail('the dependencies of Votary are not installed: run "npm ci" in its folder');
  process.exitCode = await program.runCommandLine(args);
}

async function loadSources() {
  return import('../src/cli/main.ts').catch((error) => {
    // A missing package, as opposed to one of our own files, means that the dependencies are not installed.
    if (error.code === 'ERR_MODULE_NOT_FOUND' && error.message.startsWith('Cannot find package'))
      return undefined;
    throw error;
  });
}

/**
 * When npm is stopped, it ends the shell between npm and this process, and shells do not forward signals: the service
 * would keep running. So it also stops when its parent process has exited.
 */
function stopWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}

/** The channel closes when the launcher exits for any reason. */
function stopWithLauncher() {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

function runUnder(node) {
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(node, ['--', fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio });
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', () => fail(`${node} cannot be run: run "npm ci" in the folder of Votary`));
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    // Exit with the same signal, so that the caller sees the real reason. The handlers would swallow it.
    for (const forwarded of FORWARDED_SIGNALS) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
  });
}

function fail(line) {
  process.stderr.write(`votary: ${line}\n`);
  process.exitCode = 1;
}
