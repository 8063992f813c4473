import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase, openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

let template: Promise<Buffer> | undefined;

/** Writes a database with the current schema, migrated once per process, which takes longer than opening one. */
export async function writeMigratedFile(path: string): Promise<void> {
  template ??= createTemplate();
  await writeFile(path, await template, { mode: 0o600 });
}

/**
 * The store of a new file at this path. Preparing every statement takes two thirds of the time to open one; the store's
 * contract does it, and so does a service.
 */
export async function openTestStore(path: string): Promise<Store> {
  await writeMigratedFile(path);
  return openStore({ kind: 'sqlite', path }, { preparesOnUse: true });
}

/** A store in a folder of its own, which `close` removes. */
export async function openTemporaryStore(): Promise<{ store: Store; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-test-'));
  const store = await openTestStore(join(folder, 'votary.db'));
  const close = async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { store, close };
}

async function createTemplate(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'votary-template-'));
  const path = join(directory, 'votary.db');
  await migrateDatabase({ kind: 'sqlite', path });
  const content = await readFile(path);
  await rm(directory, { recursive: true });
  return content;
}
