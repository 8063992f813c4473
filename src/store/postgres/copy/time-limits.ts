import type pg from 'pg';

/**
 * Limits that an operator may have set for a role or a database. Each connection of a copy waits for minutes while the
 * other one works, and a transaction reads for as long as it takes. PostgreSQL 17 added the last one.
 */
const LIMITS = [
  'statement_timeout',
  'idle_session_timeout',
  'idle_in_transaction_session_timeout',
  'transaction_timeout',
];

/** Until the current transaction or the session ends. */
export async function removeTimeLimits(client: pg.Client, until: 'transaction' | 'session'): Promise<void> {
  await client.query("SELECT set_config(name, '0', $2) FROM pg_settings WHERE name = ANY ($1)", [
    LIMITS,
    until === 'transaction',
  ]);
}
