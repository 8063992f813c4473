import assert from 'node:assert/strict';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { assertDone, GUILD, type Home, makeHome } from '../../cli/votary.ts';

export async function filesOf({ dataDir }: Home): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

export async function assertPrivate(home: Home, ...expected: string[]): Promise<void> {
  const files = await filesOf(home);
  for (const name of expected) assert.ok(files.includes(join(home.dataDir, name)), `${name} is missing`);
  for (const file of files) assert.equal((await stat(file)).mode & 0o777, 0o600, file);
}

/** A data directory that was created manually and that everyone can enter. */
export async function makeOpenHome(): Promise<Home> {
  const home = await makeHome({ VOTARY_PORT: '0' });
  await mkdir(home.dataDir, { mode: 0o755 });
  assertDone(await home.votary('guild', 'add', GUILD));
  return home;
}
