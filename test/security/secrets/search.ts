/**
 * Searches for secrets where unauthorized users could read them.
 *
 *   const { result, processes } = await watchProcesses(home.votary('secret', 'rotate'));
 *   assertNowhere({ 'the key': key }, { 'what a command prints': result.stderr, 'the list of processes': processes });
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

type Texts = Readonly<Record<string, string>>;

export function assertNowhere(secrets: Texts, places: Texts): void {
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length >= 8, `${name} is too short to be searched for`);
    for (const [place, text] of Object.entries(places))
      assert.ok(!text.includes(secret), `${name} stands in ${place}`);
  }
}

/** What every user of the machine can see of every process, including ours. */
export async function commandLines(): Promise<string> {
  if (!existsSync('/proc')) return '';
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.join('\n').replaceAll('\0', ' ');
}

/** The process lists from the start of some work to its end. */
export async function watchProcesses<T>(work: Promise<T>): Promise<{ result: T; processes: string }> {
  let isOver = false;
  const end = work.finally(() => {
    isOver = true;
  });
  const seen: string[] = [];
  do seen.push(await commandLines());
  while (!isOver);
  return { result: await end, processes: seen.join('\n') };
}

/** A list proves something only if it contains the process in question. */
export function assertListed(processes: string, command: RegExp): void {
  if (existsSync('/proc')) assert.match(processes, command);
}
