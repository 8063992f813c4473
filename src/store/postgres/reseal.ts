import {
  type ResealCounts,
  type Resealer,
  resealAll,
  type SealedTexts,
  type SealedTextsOptions,
} from '../maintenance/reseal.ts';
import { StoreOpenError } from '../store.ts';
import { NO_TIMEOUT_MS, openClient } from './connection/client.ts';
import { type Queryable, runTransaction } from './connection/connection.ts';
import { explainFailure } from './connection/failures.ts';
import { createStatements } from './database.ts';
import { migratePostgres } from './migrate.ts';
import { countOthers } from './others.ts';

/** Votes are not blocked: they only take a shared lock on the guild's row. */
const LOCK = 'LOCK TABLE guilds, webhook_endpoints, guild_rules IN SHARE ROW EXCLUSIVE MODE';

export async function withSealedTextsPostgres<T>(
  url: string,
  work: (sealed: SealedTexts) => Promise<T>,
  { isShared = false }: SealedTextsOptions,
): Promise<T> {
  await migratePostgres(url);
  const client = await openClient(url).catch((error: unknown) => {
    throw explainFailure(url, error);
  });
  try {
    if (!isShared) await refuseOthers(client);
    return await work({
      reseal: (resealer) => runTransaction(client, (tx) => resealLocked(tx, resealer), NO_TIMEOUT_MS),
    });
  } finally {
    await client.end();
  }
}

/** A running process would keep encrypting with the old secret. */
async function refuseOthers(database: Queryable): Promise<void> {
  const others = await countOthers(database);
  if (others === 0) return;
  throw new StoreOpenError(
    `The PostgreSQL database is in use by ${others} other connections of Votary: stop every server that uses it, then try again.`,
  );
}

async function resealLocked(tx: Queryable, resealer: Resealer): Promise<ResealCounts> {
  await tx.query({ text: LOCK });
  return resealAll(createStatements(tx), resealer);
}
