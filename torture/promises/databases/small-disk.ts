import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Site, siteOn } from '../../lib/site.ts';

export type SmallDisk = {
  folder: string;
  site: Site;
  remount(mode: 'ro' | 'rw'): void;
  remove(): Promise<void>;
};

/** A RAM disk of a few megabytes. Only root can mount one: `undefined` for other users. */
export async function makeSmallDisk(megabytes = 3): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    await rm(folder, { recursive: true });
    return undefined;
  }
  const site = siteOn({ kind: 'sqlite', path: join(folder, 'data', 'votary.db') }, folder);
  let isMounted = true;
  const unmount = () => {
    if (isMounted) execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
    isMounted = false;
  };
  process.once('exit', unmount);
  return {
    folder,
    // The disk outlives the site: it is made read-only next.
    site: { ...site, remove: async () => {} },
    remount: (mode) => void execFileSync('mount', ['-o', `remount,${mode}`, folder]),
    remove: async () => {
      unmount();
      await rm(folder, { recursive: true });
    },
  };
}
