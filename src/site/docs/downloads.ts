/**
 * The client libraries of the running version. Those of the package are read when the service starts, because an upgrade
 * replaces the folder that contains them. A clone contains some only as sources; a service that runs from one packs
 * them when somebody asks for them for the first time.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Download = { type: string; body: Buffer; sha256: string };

export type DownloadName = 'votary-sdk.tgz' | 'votary.py' | 'Votary.php' | 'votary-minecraft.jar';

export type Downloads = {
  /** By name. */
  list(): Promise<ReadonlyMap<string, Download>>;
  /** What `/docs/files` serves under this name. */
  find(name: string): Promise<Download | undefined>;
};

/** Where `npm run build` puts them in the package. */
const BUILT = new URL('../../clients/', import.meta.url);
/** Only a clone has it. */
const PACKER = new URL('../../../scripts/clone-clients.ts', import.meta.url);
const ROOT = new URL('../../../', import.meta.url);

const FILES: Record<DownloadName, { type: string; source?: string }> = {
  'votary-sdk.tgz': { type: 'application/gzip' },
  'votary.py': { type: 'text/x-python; charset=utf-8', source: 'clients/python/votary.py' },
  'Votary.php': { type: 'text/x-php; charset=utf-8', source: 'clients/php/Votary.php' },
  'votary-minecraft.jar': { type: 'application/java-archive' },
};

/** The Python client for `pip`, which needs the version in the name of the file. */
const WHEEL = /^votary-[\w.]+-py3-none-any\.whl$/;

/** A file for `sha256sum --check`. */
export const CHECKSUMS = 'SHA256SUMS';

export function isWheel(name: string): boolean {
  return WHEEL.test(name);
}

const STORED: ReadonlyMap<string, Download> = readStored();

/** Only the files that exist as such. */
export const STORED_DOWNLOADS: Downloads = toDownloads(async () => STORED);

/** With those that a clone has to pack. If packing fails, they are missing, and `onError` is called once. */
export function openDownloads(onError: (error: unknown) => void): Downloads {
  if (existsSync(BUILT) || !existsSync(PACKER)) return STORED_DOWNLOADS;
  let all: Promise<ReadonlyMap<string, Download>> | undefined;
  return toDownloads(() => {
    all ??= packMissing().catch((error) => {
      onError(error);
      return STORED;
    });
    return all;
  });
}

type Packer = { packClients(root: string): Promise<{ name: string; body: Buffer }[]> };

async function packMissing(): Promise<ReadonlyMap<string, Download>> {
  const { packClients }: Packer = await import(PACKER.href);
  const packed = await packClients(fileURLToPath(ROOT));
  return new Map([...STORED, ...packed.map(({ name, body }) => toEntry(name, body))]);
}

function toDownloads(list: Downloads['list']): Downloads {
  return {
    list,
    find: async (name) => {
      if (name === CHECKSUMS) return checksums(await list());
      const isKnown = Object.hasOwn(FILES, name) || isWheel(name);
      return isKnown ? (await list()).get(name) : undefined;
    },
  };
}

function checksums(downloads: ReadonlyMap<string, Download>): Download {
  const lines = [...downloads].map(([name, { sha256 }]) => `${sha256}  ${name}\n`);
  return toDownload('text/plain; charset=utf-8', Buffer.from(lines.join('')));
}

function readStored(): Map<string, Download> {
  const found = Object.entries(FILES).flatMap(([name, { source }]): [string, Download][] => {
    const url = [new URL(name, BUILT), ...(source ? [new URL(source, ROOT)] : [])].find(existsSync);
    return url ? [toEntry(name, readFileSync(url))] : [];
  });
  const built = existsSync(BUILT) ? readdirSync(BUILT) : [];
  const wheels = built.filter(isWheel).map((name) => toEntry(name, readFileSync(new URL(name, BUILT))));
  return new Map([...found, ...wheels]);
}

function toEntry(name: string, body: Buffer): [string, Download] {
  const types: Record<string, { type: string }> = FILES;
  return [name, toDownload(types[name]?.type ?? 'application/zip', body)];
}

function toDownload(type: string, body: Buffer): Download {
  return { type, body, sha256: hash('sha256', body, 'hex') };
}
