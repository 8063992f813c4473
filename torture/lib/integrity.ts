import Database from 'better-sqlite3';
import type { Findings } from './promise.ts';
import type { Site } from './site.ts';

/** SQLite's own integrity check. PostgreSQL has none: it recovers from its log. */
export function checkIntegrity({ database }: Site, findings: Findings): void {
  if (database.kind !== 'sqlite') return;
  const db = new Database(database.path);
  const state = db.pragma('integrity_check', { simple: true });
  db.close();
  findings.expect(state === 'ok', `integrity_check: ${String(state)}`);
}
