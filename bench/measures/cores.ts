/**
 * Cores of a virtual machine differ in speed, for seconds at a time, while others use the same cores of its host. Servers
 * that are compared therefore run on one core, and the load generator on another.
 */
import { spawnSync } from 'node:child_process';

type Pinned = { pid: number };

/** Only main threads: what V8 does in other threads can use any core. Without `taskset`, all of them can. */
export async function onSameCore<T>(
  compared: readonly Pinned[],
  others: readonly Pinned[],
  work: () => Promise<T>,
): Promise<T> {
  const all = affinityOf(process.pid);
  const [forOthers, forCompared] = coresIn(all);
  if (forOthers === undefined || forCompared === undefined) return work();
  for (const { pid } of others) setAffinity(pid, forOthers);
  for (const { pid } of compared) setAffinity(pid, forCompared);
  try {
    return await work();
  } finally {
    for (const { pid } of [...others, ...compared]) setAffinity(pid, all);
  }
}

/** `0-3,8`: the numbers of cores. Empty if that is not known. */
function affinityOf(pid: number): string {
  const { stdout } = spawnSync('taskset', ['-cp', String(pid)], { encoding: 'utf8' });
  return stdout?.split(':')[1]?.trim() ?? '';
}

function setAffinity(pid: number, cores: string): void {
  spawnSync('taskset', ['-cp', cores, String(pid)]);
}

export function coresIn(list: string): string[] {
  return [...list.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => String(Number(first) + i)),
  );
}
