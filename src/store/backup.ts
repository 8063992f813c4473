/** What is known of a copy of the database once it has been checked. */
export type CheckedCopy = { schemaVersion: number; guilds: number; votes: number };

export type BackupRequest = {
  file: string;
  /** Runs before the file appears, while nobody can rotate the secret that belongs to it. */
  beside: () => Promise<void>;
};

export type RestoreRequest = {
  file: string;
  /** Where the present database is kept, when there is one. */
  aside: string;
  /** Run while no program has the database open: just before the file is put in its place, and just after. */
  before: () => Promise<void>;
  after: () => Promise<void>;
};

/** `kept`: where the database from before is now. */
export type Restored = CheckedCopy & { kept: string | null };

/** A backup or a restore that cannot be done. The message is one line; nothing was changed. */
export class BackupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BackupError';
  }
}
