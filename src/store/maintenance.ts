/** Work on a whole database: migrations, backups, and the change of the master secret. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Instant } from '../domain/clock.ts';
import {
  deriveSecrets,
  linkSecretContext,
  seal,
  secretFingerprints,
  unseal,
  webhookSecretContext,
} from '../domain/secrets.ts';
import { StoreOpenError, StoreUnavailableError, type UnavailableKind } from './store.ts';

/** One numbered .sql file. */
export type Migration = Omit<AppliedMigration, 'madeBy'> & { hash: string; sql: string };

/** A migration that a database has, as it was recorded there. */
export type AppliedMigration = {
  version: number;
  /** The file name without its extension: `0001-schema`. */
  name: string;
  /**
   * Programs that know this schema version, or a later one, work with the database after the migration. It is stored in
   * the database, because older programs do not have the file.
   */
  oldestCompatible: number;
  /** Of the file; null if it was applied before hashes were stored. */
  hash: string | null;
  /** The version of the program that applied it, if known. */
  madeBy: string | null;
};

/** The result of a migration run, with the schema version of the database. */
export type MigrationResult = { applied: string[]; version: number };

/** The state of a database, found without changing what is stored in it. Versions are 0 before the first migration. */
export type DatabaseReport = {
  /** `SQLite 3.50.4`, `PostgreSQL 18.1` */
  product: string;
  schemaVersion: number;
  newestVersion: number;
  /** Whether this program can use the schema, which may be newer than it knows. */
  isCompatible: boolean;
  /** Why the schema is not one of this program at all; null if it is. */
  foreignReason: string | null;
  /** Why nothing can be stored; null if a test row could be written. */
  writeProblem: Exclude<UnavailableKind, 'unreachable'> | null;
  /** The clock of the server; null where it is this machine's. */
  now: number | null;
  fingerprint: string | null;
};

/** The kind of a refused write, from its explained error. Throws every other error. */
export function writeProblemOf(error: unknown): DatabaseReport['writeProblem'] {
  if (error instanceof StoreUnavailableError && error.kind !== 'unreachable') return error.kind;
  throw error;
}

/**
 * Marks a migration that older programs are compatible with. Without this line, only programs that know the migration
 * can use the database.
 */
const COMPATIBLE = /^-- oldest-compatible: (\d+)$/m;
const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

/** The migrations of a folder, in the order they are applied. */
export function readMigrations(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => FILE_NAME.test(file));
  return files.sort().map((file) => {
    const version = Number(file.slice(0, 4));
    const sql = readFileSync(new URL(file, folder), 'utf8');
    const oldestCompatible = Number(COMPATIBLE.exec(sql)?.[1] ?? version);
    return { version, oldestCompatible, name: file.slice(0, -'.sql'.length), hash: hashMigration(sql), sql };
  });
}

/** Of the statements only: comments and line breaks may change. */
function hashMigration(sql: string): string {
  return createHash('sha256').update(statementsOf(sql).join(';')).digest('hex');
}

/** Without comments, with single spaces. */
export function statementsOf(sql: string): string[] {
  const lines = sql.split('\n').map((line) => line.split('--', 1)[0] ?? '');
  const statements = lines.join(' ').replaceAll(/\s+/g, ' ').split(';');
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

export function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** The version of a database; 0 when no migration was ever applied. */
export function schemaVersionOf(applied: readonly AppliedMigration[]): number {
  return Math.max(0, ...applied.map(({ version }) => version));
}

/** Whether every migration was applied. The latest version is not enough: branches can be merged in any order. */
export function isCurrent(applied: readonly AppliedMigration[], migrations: readonly Migration[]): boolean {
  const versions = new Set(applied.map(({ version }) => version));
  return migrations.every(({ version }) => versions.has(version));
}

/** Whether a migration was applied before hashes were stored. */
export function lacksHashes(applied: readonly AppliedMigration[], migrations: readonly Migration[]): boolean {
  return applied.some(({ version, hash }) => hash === null && version <= newestVersion(migrations));
}

/** Whether a program with these migrations can use the database: each newer migration must allow it. */
export function isCompatible(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): boolean {
  return oldestCompatible(applied, migrations) <= newestVersion(migrations);
}

/** An older program must not write to a schema whose rows it does not understand. */
export function refuseIncompatible(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): void {
  if (isCompatible(applied, migrations)) return;
  throw new StoreOpenError(
    `The database has schema version ${schemaVersionOf(applied)}, which needs a program that knows version ` +
      `${oldestCompatible(applied, migrations)}, but this Votary knows versions up to ${newestVersion(migrations)}: ` +
      'start a newer Votary, or restore a backup made by this one.',
  );
}

function oldestCompatible(applied: readonly AppliedMigration[], migrations: readonly Migration[]): number {
  const newer = applied.filter(({ version }) => version > newestVersion(migrations));
  return Math.max(0, ...newer.map((migration) => migration.oldestCompatible));
}

/** The contents of a verified copy of the database. */
export type CheckedCopy = { schemaVersion: number; guilds: number; votes: number };

export type BackupRequest = {
  file: string;
  /** Runs once the copy is verified and before the file appears, while the secret cannot be rotated. */
  beforePublish: () => Promise<void>;
};

export type RestoreRequest = {
  file: string;
  /** The votes of the feed are numbered from here on, so that no number of the previous database is used again. */
  now: Instant;
  /** Where the current database is moved to, if there is one. */
  previousPath: string;
  /** Run while no program has the database open, just before and just after the file is put in place. */
  before: () => Promise<void>;
  after: () => Promise<void>;
};

/** `kept`: the new location of the previous database. */
export type Restored = CheckedCopy & { kept: string | null };

/** A backup or restore that is not possible. The message is one line; nothing was changed. */
export class BackupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BackupError';
  }
}

export type ResealCounts = {
  apiKeys: number;
  webhookSecrets: number;
  linkSecrets: number;
  /** Encrypted with a secret that is no longer known; left unchanged. */
  unreadable: number;
};

export type Resealer = {
  apiKey(guildId: string, sealed: string): string;
  webhookSecret(guildId: string, endpointId: string, sealed: string): string;
  linkSecret(guildId: string, sealed: string): string;
  /** Of the new master secret. */
  readonly fingerprint: string;
  /** Throws unless the database belongs to the old or the new master secret. */
  checkFingerprint(kept: string | undefined): void;
  counts(): ResealCounts;
};

/** `isShared`: other programs may use the database, because all of them know both master secrets. Default: false. */
export type SealedTextsOptions = { isShared?: boolean };

/** All sealed values of a database. */
export interface SealedTexts {
  /** All or nothing. */
  reseal(resealer: Resealer): Promise<ResealCounts>;
}

/** The sealed columns of a webhook endpoint, as both databases return them. */
export type SealedEndpoint = {
  guild_id: string;
  endpoint_id: string;
  secret: string;
  previous_secret: string | null;
};

/** The columns of a guild's rules that contain sealed texts. */
export type SealedLinks = { guild_id: string; link_secret: string; previous_link_secret: string | null };

export type SealedKey = { guild_id: string; key_sealed: string };

/**
 * Re-encrypts sealed values from one master secret to the next:
 *
 *   await withSealedTexts(config.database, (sealed) => sealed.reseal(createResealer(oldSecret, newSecret)));
 *
 * Values that were encrypted with the new secret before are accepted, so an interrupted rotation can be repeated.
 */
export function createResealer(from: string, to: string): Resealer {
  const [fromKey, toKey] = [deriveSecrets(from).sealKey, deriveSecrets(to).sealKey];
  const counts: ResealCounts = { apiKeys: 0, webhookSecrets: 0, linkSecrets: 0, unreadable: 0 };
  const opening = Buffer.concat([fromKey, toKey]);

  function move(sealed: string, context: string, kind: 'apiKeys' | 'webhookSecrets' | 'linkSecrets'): string {
    const text = unseal(sealed, context, opening);
    counts[text === undefined ? 'unreadable' : kind] += 1;
    return text === undefined ? sealed : seal(text, context, toKey);
  }

  return {
    apiKey: (guildId, sealed) => move(sealed, guildId, 'apiKeys'),
    webhookSecret: (guildId, endpointId, sealed) =>
      move(sealed, webhookSecretContext(guildId, endpointId), 'webhookSecrets'),
    linkSecret: (guildId, sealed) => move(sealed, linkSecretContext(guildId), 'linkSecrets'),
    fingerprint: secretFingerprints(to)[0] ?? '',
    checkFingerprint: (kept) => {
      if (kept === undefined || secretFingerprints(`${from}\n${to}`).includes(kept)) return;
      throw new BackupError('the current master secret does not match this database');
    },
    counts: () => ({ ...counts }),
  };
}
