/**
 * The client libraries of the running version. They are read when the service starts, because an upgrade replaces the
 * folder that contains them.
 */
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

export type Download = { type: string; body: Buffer; sha256: string };

export type DownloadName = 'votary-sdk.tgz' | 'votary.py' | 'Votary.php';

/** Where `npm run build` puts them in the package. A clone has the sources, and no packed SDK. */
const BUILT = new URL('../../clients/', import.meta.url);

const FILES: Record<DownloadName, { type: string; source?: string }> = {
  'votary-sdk.tgz': { type: 'application/gzip' },
  'votary.py': { type: 'text/x-python; charset=utf-8', source: '../../../clients/python/votary.py' },
  'Votary.php': { type: 'text/x-php; charset=utf-8', source: '../../../clients/php/Votary.php' },
};

export const DOWNLOADS: ReadonlyMap<string, Download> = readDownloads();

function readDownloads(): Map<string, Download> {
  const found = Object.entries(FILES).flatMap(([name, { type, source }]): [string, Download][] => {
    const url = [new URL(name, BUILT), ...(source ? [new URL(source, import.meta.url)] : [])].find(
      existsSync,
    );
    if (!url) return [];
    const body = readFileSync(url);
    return [[name, { type, body, sha256: hash('sha256', body, 'hex') }]];
  });
  return new Map(found);
}
