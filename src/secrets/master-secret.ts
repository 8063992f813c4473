import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { deriveSecrets, type Secrets, secretFingerprints } from '../domain/secrets.ts';
import { closeToOthers, OWNER_ONLY } from '../store/shared/private-file.ts';
import type { Store } from '../store/store.ts';
import { syncFolder, systemCode, systemReason } from './files.ts';

/** Neither an empty file nor an unreadable one may be replaced silently: keys sealed under it could not be shown again. */
export class SecretFileError extends Error {}

/** The database was used with another master secret. */
export class WrongSecretError extends Error {}

const SECRET_BYTES = 32;

/**
 * The secret that everything else is derived from: the configured one, or the one kept in the data directory,
 * which is made on first use.
 */
export async function loadMasterSecret(config: Pick<Config, 'secret' | 'dataDir'>): Promise<string> {
  if (config.secret !== null) return config.secret;
  const path = secretFile(config.dataDir);
  closeToOthers(path);
  const kept = await readSecret(path);
  if (kept !== undefined) return kept;
  await createSecret(path, config.dataDir);
  const created = await readSecret(path);
  if (created === undefined) throw new SecretFileError(`the secret file ${path} vanished while it was made`);
  return created;
}

export type LoadOptions = {
  /** Puts the fingerprint of this secret in the place of another one's. */
  acceptsNew?: boolean;
};

/**
 * The keys derived from the master secret, once it is certain that the database is used with this very secret: under
 * another one keys could not be shown, webhooks not be signed, and everyone would be signed out.
 */
export async function loadSecrets(
  config: Pick<Config, 'secret' | 'dataDir'>,
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
    // A database that cannot be written now gets its fingerprint at another start.
    if (own.includes(await store.keep(current).catch(() => current))) return deriveSecrets(master);
  } else if (own.includes(kept)) {
    return deriveSecrets(master);
  }
  if (!acceptsNew) {
    const place = config.secret === null ? `the secret in ${path}` : 'VOTARY_SECRET';
    throw new WrongSecretError(`${place} is not the one that this database was used with: ${REMEDY}`);
  }
  await store.replace(current);
  return deriveSecrets(master);
}

const REMEDY =
  'put the right one back, or start once with votary serve --accept-new-secret, after which new API keys and webhook secrets are needed to show and sign them';

export function secretFile(dataDir: string): string {
  return join(dataDir, 'secret');
}

export function generateMasterSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/** Puts these lines in the place of the file's, in one step: a crash leaves the old ones or the new ones, whole. */
export async function replaceMasterSecret(dataDir: string, lines: readonly string[]): Promise<void> {
  const path = secretFile(dataDir);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeSecret(draft, lines);
    await rename(draft, path);
    await syncFolder(dataDir);
  } catch (error) {
    await rm(draft, { force: true });
    throw new SecretFileError(`cannot write the secret file ${path}: ${systemReason(error)}`);
  }
}

/** A new file that its owner alone may read, on the disk when this resolves. */
export function writeSecret(path: string, lines: readonly string[]): Promise<void> {
  return writeFile(path, `${lines.join('\n')}\n`, { mode: OWNER_ONLY, flag: 'wx', flush: true });
}

/** The secret that a file holds; `undefined` when there is no such file. */
export async function readSecret(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new SecretFileError(
      `cannot read the secret file ${path}: ${systemReason(error)}; check VOTARY_DATA_DIR, run as the user who owns it, or set VOTARY_SECRET`,
    );
  });
  if (text?.trim() === '') {
    throw new SecretFileError(
      `the secret file ${path} is empty: put it back from a backup, or delete it and generate new API keys`,
    );
  }
  return text?.trim();
}

/**
 * The file appears under its name in one step and complete, so that of two processes that start together one
 * makes it and the other reads it, whole.
 */
async function createSecret(path: string, dataDir: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeSecret(draft, [generateMasterSecret()]);
    await link(draft, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') {
      throw new SecretFileError(
        `cannot make the secret file ${path}: ${systemReason(error)}; check VOTARY_DATA_DIR, or set VOTARY_SECRET`,
      );
    }
  } finally {
    await rm(draft, { force: true });
  }
}
