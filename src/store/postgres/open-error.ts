import type pg from 'pg';
import { StoreOpenError } from '../store.ts';

/** Turns what goes wrong while the database is opened into one line that says what to do. */
export function explainFailure(client: pg.Client, error: unknown): unknown {
  if (error instanceof StoreOpenError) return error;
  const place = `${client.database ?? ''} at ${client.host}:${client.port}`;
  return new StoreOpenError(`The PostgreSQL database ${place} cannot be opened: ${adviceFor(error)}`, error);
}

function adviceFor(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return 'nothing answers there. Start PostgreSQL, or correct VOTARY_DATABASE_URL.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name is not known. Correct VOTARY_DATABASE_URL.';
    case '28P01':
    case '28000':
      return `${message}. Correct the user or the password in VOTARY_DATABASE_URL.`;
    case '3D000':
      return 'it does not exist. Create it (createdb), or correct VOTARY_DATABASE_URL.';
    case '42501':
      return `${message}. Give the user the right to create tables in it.`;
    default:
      return `${message}. Check that PostgreSQL runs and can be reached from here.`;
  }
}
