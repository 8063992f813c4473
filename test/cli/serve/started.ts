/** A `votary serve` process, for tests of what it prints and how it ends. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export const ANY_PORT = { VOTARY_PORT: '0' };

/** The output of the process once it matches. */
export async function untilPrinted(child: ChildProcess, pattern: RegExp): Promise<string> {
  assert.ok(child.stdout && child.stderr);
  const { stdout, stderr } = child;
  return new Promise((resolve, reject) => {
    let printed = '';
    const onData = (chunk: Buffer) => {
      printed += chunk;
      if (pattern.test(printed)) resolve(printed);
    };
    stdout.on('data', onData);
    stderr.on('data', onData);
    child.once('exit', () => reject(new Error(`ended after printing: ${printed}`)));
  });
}

export async function stopWith(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = await exit;
  return code;
}

export function field(value: unknown, name: string): unknown {
  assert.ok(value && typeof value === 'object');
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
