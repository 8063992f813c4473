/**
 * The client libraries of the running version. They are read when the service starts, because an upgrade replaces the
 * folder that contains them.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export type Download = { type: string; body: Buffer; sha256: string };

export type DownloadName = 'votary-sdk.tgz' | 'votary.py' | 'Votary.php' | 'votary-minecraft.jar';

/** Where `npm run build` puts them in the package. A clone has the sources, and no packed files. */
const BUILT = new URL('../../clients/', import.meta.url);

const FILES: Record<DownloadName, { type: string; source?: string }> = {
  'votary-sdk.tgz': { type: 'application/gzip' },
  'votary.py': { type: 'text/x-python; charset=utf-8', source: '../../../clients/python/votary.py' },
  'Votary.php': { type: 'text/x-php; charset=utf-8', source: '../../../clients/php/Votary.php' },
  'votary-minecraft.jar': { type: 'application/java-archive' },
};

/** The Python client for `pip`, which needs the version in the name of the file. */
const WHEEL = /^votary-[\w.]+-py3-none-any\.whl$/;

/** A file for `sha256sum --check`. */
export const CHECKSUMS = 'SHA256SUMS';

export const DOWNLOADS: ReadonlyMap<string, Download> = readDownloads();

/** The name of the wheel; undefined in a clone. */
export const WHEEL_NAME: string | undefined = [...DOWNLOADS.keys()].find((name) => WHEEL.test(name));

/** What `/docs/files` serves under this name. */
export function findDownload(name: string): Download | undefined {
  return name === CHECKSUMS ? checksums : DOWNLOADS.get(name);
}

const checksums = toDownload(
  'text/plain; charset=utf-8',
  Buffer.from([...DOWNLOADS].map(([name, { sha256 }]) => `${sha256}  ${name}\n`).join('')),
);

function readDownloads(): Map<string, Download> {
  const found = Object.entries(FILES).flatMap(([name, { type, source }]): [string, Download][] => {
    const url = [new URL(name, BUILT), ...(source ? [new URL(source, import.meta.url)] : [])].find(
      existsSync,
    );
    return url ? [[name, toDownload(type, readFileSync(url))]] : [];
  });
  const built = existsSync(BUILT) ? readdirSync(BUILT) : [];
  const wheels = built
    .filter((name) => WHEEL.test(name))
    .map((name): [string, Download] => [
      name,
      toDownload('application/zip', readFileSync(new URL(name, BUILT))),
    ]);
  return new Map([...found, ...wheels]);
}

function toDownload(type: string, body: Buffer): Download {
  return { type, body, sha256: hash('sha256', body, 'hex') };
}
