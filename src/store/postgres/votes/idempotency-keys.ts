/** The Idempotency-Keys of claims, with the responses that are sent again. */
import type { Instant } from '../../../domain/clock.ts';
import { type ClaimOutcome, IDEMPOTENCY_MS } from '../../../domain/votes/vote.ts';
import type { ClaimRequest, ClaimResult } from '../../claims/claims.ts';
import { type Cell, columnsOf } from '../columns.ts';
import type { Queryable, Statement } from '../connection/connection.ts';

export const KEY_STATEMENTS = {
  // The primary key of idempotency_keys, and the unique indexes of claims that start with (guild_id, vote_id). A
  // statement of its own, because the one that locks may have waited: what it would read could be older than the locks.
  // Each key is the first from itself to itself, because only the primary key has that order: with a plain join, the
  // planner may read all keys of the guild for each of them.
  findKeys: `
    SELECT k.guild_id, k.key, request_hash, body, created_at, vote_id IS NOT NULL AND NOT CASE k.consumer
      WHEN 'default' THEN ${heldBy('vote_claims', '')}
      ELSE ${heldBy('consumer_claims', 'AND c.consumer = k.consumer')}
    END AS is_released
    FROM unnest($1::text[], $2::text[]) AS asked (guild_id, key)
    CROSS JOIN LATERAL (
      SELECT * FROM idempotency_keys
      WHERE guild_id = asked.guild_id COLLATE "C" AND key >= asked.key COLLATE "C" AND key <= asked.key COLLATE "C"
      ORDER BY key LIMIT 1
    ) AS k`,
  // The primary key or idempotency_keys_by_age. A key that was used again in the meantime has another time or hash, and stays.
  dropKeys: `
    DELETE FROM idempotency_keys k
    USING unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS asked (guild_id, key, request_hash, created_at)
    WHERE k.guild_id = asked.guild_id COLLATE "C" AND k.key = asked.key COLLATE "C"
      AND k.request_hash = asked.request_hash AND k.created_at = asked.created_at`,
  // Waits for a concurrent request with the same key, and fails if that is stored: this one is then run again, and finds
  // the key.
  addKeys: `
    INSERT INTO idempotency_keys (guild_id, key, request_hash, created_at, body, consumer, vote_id, claimed_at)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[])
      AS asked (guild_id, key) ORDER BY guild_id COLLATE "C", key COLLATE "C"`,
} as const;

/** A subquery with a limit: PostgreSQL may read all claims once to look up EXISTS in them. */
function heldBy(claims: string, andConsumer: string): string {
  return `(
    SELECT c.vote_id FROM ${claims} c
    WHERE c.guild_id = k.guild_id AND c.vote_id = k.vote_id AND c.claimed_at = k.claimed_at ${andConsumer} LIMIT 1
  ) IS NOT NULL`;
}

type KeyRow = {
  guild_id: string;
  key: string;
  request_hash: string;
  body: string;
  created_at: Instant;
  is_released: boolean;
};

/** A request whose key was used before. `result`: null if the key counts as unused. */
export type Used = { request: ClaimRequest; row: KeyRow; result: ClaimResult | null };

const keyName = (guildId: string, key: string) => `${guildId} ${key}`;

/** The requests whose keys were used before. */
export async function findKeys(tx: Queryable, requests: readonly ClaimRequest[]): Promise<Used[]> {
  const keys = requests.flatMap(({ guildId, idempotency }) =>
    idempotency ? [[guildId, idempotency.key]] : [],
  );
  const [statement] = statementOf('findKeys', keys);
  if (!statement) return [];
  const { rows } = await tx.query<KeyRow>(statement);
  const stored = new Map(rows.map((row) => [keyName(row.guild_id, row.key), row]));
  return requests.flatMap((request) => {
    const { guildId, idempotency } = request;
    const row = idempotency && stored.get(keyName(guildId, idempotency.key));
    return row ? [{ request, row, result: replayOf(request, row) }] : [];
  });
}

function replayOf({ now, idempotency }: ClaimRequest, row: KeyRow): ClaimResult | null {
  if (row.is_released || row.created_at <= now - IDEMPOTENCY_MS) return null;
  if (row.request_hash !== idempotency?.requestHash) return { kind: 'mismatch' };
  return { kind: 'done', body: row.body, replayed: true, claimed: false };
}

/** Deletes the keys that count as unused. No statement if there are none. */
export function dropKeysStatement(used: readonly Used[]): Statement[] {
  const rows = used.flatMap(({ row: { guild_id, key, request_hash, created_at }, result }) =>
    result ? [] : [[guild_id, key, request_hash, created_at]],
  );
  return statementOf('dropKeys', rows);
}

/** What a request claims. `id`: that of the vote, hashed once. */
export type Decided = { outcome: ClaimOutcome; id: string | null };

/** What a request claims, with the response. */
export type Rendered = Decided & { request: ClaimRequest; body: string };

/** Stores the keys with their responses. No statement if there are none. */
export function addKeysStatement(claimed: readonly Rendered[]): Statement[] {
  const rows = claimed.flatMap(({ request, outcome: { vote }, id, body }) => {
    const { guildId, consumer, now, idempotency } = request;
    if (!idempotency) return [];
    const claim = [consumer, id, vote?.claimedAt];
    return [[guildId, idempotency.key, idempotency.requestHash, now, body, ...claim]];
  });
  return statementOf('addKeys', rows);
}

/** One parameter for each column; no statement without rows. */
function statementOf(name: keyof typeof KEY_STATEMENTS, rows: readonly (readonly Cell[])[]): Statement[] {
  if (rows.length === 0) return [];
  return [{ name: `claim-${name}`, text: KEY_STATEMENTS[name], values: columnsOf(rows) }];
}
