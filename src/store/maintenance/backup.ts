import type { Instant } from '../../domain/clock.ts';

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

/**
 * `kept`: the new location of the previous database. `erasedSince`: how many users were erased there after the backup, who
 * are back now; null if there is no log to tell.
 */
export type Restored = CheckedCopy & { kept: string | null; erasedSince: number | null };

/** A backup or restore that is not possible. The message is one line; nothing was changed. */
export class BackupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BackupError';
  }
}
