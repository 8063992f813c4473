import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PUBLIC_DIRECTORY = fileURLToPath(new URL('../public/', import.meta.url));
export const ASSETS_PREFIX = '/assets/';

const VERSIONS = readVersions();

/** The URL of one of our files. It changes with the content, so browsers may cache it forever. */
export function asset(name: string): string {
  const version = VERSIONS.get(name);
  if (version === undefined) throw new Error(`no such file in site/public: ${name}`);
  return `${ASSETS_PREFIX}${name}?v=${version}`;
}

function readVersions(): Map<string, string> {
  return new Map(
    readdirSync(PUBLIC_DIRECTORY, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        const version = hash('sha256', readFileSync(path), 'hex').slice(0, 10);
        return [relative(PUBLIC_DIRECTORY, path), version];
      }),
  );
}
