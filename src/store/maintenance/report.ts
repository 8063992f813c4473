import { StoreUnavailableError, type UnavailableKind } from '../store.ts';

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
