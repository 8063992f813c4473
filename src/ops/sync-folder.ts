import { open } from 'node:fs/promises';

/** Names in a folder survive a power cut once the folder itself is on the disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
