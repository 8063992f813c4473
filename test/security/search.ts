/**
 * Looks for secrets where somebody could read them who must not know them.
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

/** What every user of the machine can read of every process, ours among them. */
export async function commandLines(): Promise<string> {
  if (!existsSync('/proc')) return '';
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.join('\n').replaceAll('\0', ' ');
}

/** All that the list of processes says from the start of some work to its end. */
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

/** Only a list that has the process in question can prove anything of it. */
export function assertListed(processes: string, command: RegExp): void {
  if (existsSync('/proc')) assert.match(processes, command);
}
