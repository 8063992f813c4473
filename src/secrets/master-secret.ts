import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { deriveSecrets, type Secrets, secretFingerprints } from '../domain/secrets.ts';
import { systemCode, systemReason } from '../domain/system-error.ts';
import { giveToFolderOwner, makePrivateFolder, OWNER_ONLY, restrictToOwner } from '../store/private-file.ts';
import type { Store } from '../store/store.ts';

/**
 * Empty or unreadable files are never replaced silently: keys encrypted with the lost secret could not be shown
 * again.
 */
export class SecretFileError extends Error {}

/** The database was used with another master secret. */
export class WrongSecretError extends Error {}

const SECRET_BYTES = 32;

type SecretConfig = Pick<Config, 'secret' | 'dataDir'> & Partial<Pick<Config, 'secretPrevious'>>;

/**
 * The secret that all keys are derived from: the configured one, with the previous one as a second line, or the one in
 * the data directory, which is created on first use.
 */
export async function loadMasterSecret(config: SecretConfig): Promise<string> {
  if (config.secret !== null) return configuredSecret(config.secret, config);
  const path = secretFile(config.dataDir);
  restrictToOwner(path);
  const kept = await readSecret(path);
  if (kept !== undefined) return kept;
  await createSecret(path, config.dataDir);
  const created = await readSecret(path);
  if (created === undefined)
    throw new SecretFileError(`the secret file ${path} disappeared while it was being created`);
  return created;
}

/** The lines of a master secret that is set by variables. */
export function configuredSecret(
  secret: string,
  { secretPrevious = null }: Partial<Pick<Config, 'secretPrevious'>>,
): string {
  return secretPrevious === null ? secret : `${secret}\n${secretPrevious}`;
}

export type LoadOptions = {
  /** Replaces the stored fingerprint with that of this secret. */
  acceptsNew?: boolean;
};

/**
 * The keys derived from the master secret, after checking that it matches the database: with a different secret, keys
 * could not be shown, webhooks could not be signed, and everyone would be signed out.
 */
export async function loadSecrets(
  config: SecretConfig,
  { fingerprint: store }: Pick<Store, 'fingerprint'>,
  { acceptsNew = false }: LoadOptions = {},
): Promise<Secrets> {
  const kept = await store.find();
  const path = secretFile(config.dataDir);
  if (kept !== undefined && !acceptsNew && config.secret === null && !existsSync(path)) {
    throw new WrongSecretError(`the secret file ${path} is missing: ${REMEDY}`);
  }
  const master = await loadMasterSecret(config);
  const own = secretFingerprints(master);
  const [current = ''] = own;
  if (kept === undefined) {
    // A database that is read-only now gets its fingerprint at a later start.
    if (own.includes(await store.keep(current).catch(() => current))) return deriveSecrets(master);
  } else if (own.includes(kept)) {
    return deriveSecrets(master);
  }
  if (!acceptsNew) {
    throw new WrongSecretError(`${mismatch(config)} this database: ${REMEDY}`);
  }
  await store.replace(current);
  return deriveSecrets(master);
}

function mismatch({ secret, secretPrevious = null, dataDir }: SecretConfig): string {
  if (secret === null) return `the secret in ${secretFile(dataDir)} does not match`;
  if (secretPrevious === null) return 'VOTARY_SECRET does not match';
  return 'neither VOTARY_SECRET nor VOTARY_SECRET_PREVIOUS matches';
}

const REMEDY =
  'restore the right one, or start once with votary serve --accept-new-secret; after that, existing API keys cannot be shown, and webhook secrets have to be rotated';

export function secretFile(dataDir: string): string {
  return join(dataDir, 'secret');
}

export function generateMasterSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/** Replaces the lines of the file atomically: after a crash it has either the old or the new ones. */
export async function replaceMasterSecret(dataDir: string, lines: readonly string[]): Promise<void> {
  const path = secretFile(dataDir);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeSecret(draft, lines);
    giveToFolderOwner(draft);
    await rename(draft, path);
    await syncFolder(dataDir);
  } catch (error) {
    await rm(draft, { force: true });
    throw new SecretFileError(`cannot write the secret file ${path}: ${systemReason(error)}`);
  }
}

/** Creates a file readable by its owner only, synced to disk when this resolves. */
export function writeSecret(path: string, lines: readonly string[]): Promise<void> {
  return writeFile(path, `${lines.join('\n')}\n`, { mode: OWNER_ONLY, flag: 'wx', flush: true });
}

/** The secret stored in a file; `undefined` when the file does not exist. */
export async function readSecret(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new SecretFileError(
      `cannot read the secret file ${path}: ${systemReason(error)}; check VOTARY_DATA_DIR, run as the user who owns it, or set VOTARY_SECRET`,
    );
  });
  if (text?.trim() === '') {
    throw new SecretFileError(
      `the secret file ${path} is empty: restore it from a backup, or delete it and generate new API keys`,
    );
  }
  return text?.trim();
}

/**
 * The file appears complete and in one step: of two processes that start together, one creates it and the other reads
 * it.
 */
async function createSecret(path: string, dataDir: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    makePrivateFolder(dataDir);
    await writeSecret(draft, [generateMasterSecret()]);
    giveToFolderOwner(draft);
    await link(draft, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') {
      throw new SecretFileError(
        `cannot create the secret file ${path}: ${systemReason(error)}; check VOTARY_DATA_DIR, or set VOTARY_SECRET`,
      );
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Syncs a folder: file names survive a power failure only once the folder itself is on disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
