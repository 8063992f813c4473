#!/bin/sh
true /*; exec node -- "$0" "$@" # */;

// Starts the command line. May be run by a Node that is too old for the rest: plain JavaScript, no dependencies.
// The shell runs the second line; Node reads it as `true` and a comment. Without the `--`, Node would look for the file
// of --env-file, and exit with a message of its own if it is missing. `env -S` could pass it, but BusyBox lacks that.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// A clone runs its TypeScript; the package has compiled code instead.
const isClone = existsSync(fileURLToPath(new URL('../src/cli/main.ts', import.meta.url)));
const executable = process.platform === 'win32' ? 'node.exe' : 'node';
const installed = fileURLToPath(new URL('../node_modules', import.meta.url));
const pinnedNode = join(installed, 'node', 'bin', executable);

if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) {
  await runHere();
} else if (existsSync(pinnedNode)) {
  runUnder(pinnedNode);
} else {
  // Without its development dependencies a clone has no Node of its own.
  const omitted = existsSync(installed) ? ' without --omit=dev' : '';
  const advice = isClone
    ? `run "npm ci"${omitted} in its folder, which installs one`
    : 'install a newer Node';
  fail(`Votary needs Node ${OLDEST_NODE} or newer and this is ${process.versions.node}: ${advice}`);
}

async function runHere() {
  if (process.env.npm_lifecycle_event) stopWithParent();
  if (process.channel) stopWithLauncher();
  // Halves the time until a command begins. Kept beside the packages, where no other user can write.
  if (existsSync(installed)) module.enableCompileCache?.(join(installed, '.cache', 'votary'));
  const main = await import(isClone ? '../src/cli/main.ts' : '../dist/cli/main.js').catch((error) => {
    // A package that is missing, and not a file of our own: that is an installation to be made.
    if (error.code === 'ERR_MODULE_NOT_FOUND' && error.message.startsWith('Cannot find package'))
      return undefined;
    throw error;
  });
  if (!main) return fail('the dependencies of Votary are not installed: run "npm ci" in its folder');
  process.exitCode = await main.runCommandLine(process.argv.slice(2));
}

/**
 * Told to stop, npm ends the shell between it and us, and shells hand no signal on: the service would run on with
 * nobody to stop it. A parent that is gone is the same wish.
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

/** The channel closes when the launcher is gone, however it ended. */
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
    // Ending by the same signal tells our caller the truth; the handlers would swallow it.
    for (const forwarded of FORWARDED_SIGNALS) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
  });
}

function fail(line) {
  process.stderr.write(`votary: ${line}\n`);
  process.exitCode = 1;
}
