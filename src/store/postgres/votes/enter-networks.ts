import { accountLimit, NETWORK_WINDOW_MS } from '../../../domain/votes/networks.ts';
import { type Cast, countedNetworks } from '../../votes/votes.ts';
import { columnsOf } from '../columns.ts';
import type { Queryable } from '../connection/connection.ts';

/**
 * Counts accounts on their networks, unless a network is crowded. A concurrent vote from a network waits for its row,
 * which contains all its accounts, so the count is exact.
 */
export const ENTER_NETWORKS = `
  WITH asked AS MATERIALIZED (
    SELECT network COLLATE "C" AS network, user_id, cast_at, max_accounts
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::int[]) AS asked (network, user_id, cast_at, max_accounts)
  )
  INSERT INTO network_accounts AS kept (network, accounts, with_voter, resets_at)
  SELECT network, jsonb_build_object(user_id, cast_at), 1, cast_at + ${NETWORK_WINDOW_MS} FROM asked ORDER BY network
  ON CONFLICT (network) DO UPDATE SET
    resets_at = greatest(kept.resets_at, excluded.resets_at),
    (accounts, with_voter) = (
      SELECT CASE WHEN others < max_accounts THEN without_voter || excluded.accounts ELSE all_accounts END, 1 + others
      FROM asked CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE key <> user_id) AS others,
          coalesce(jsonb_object_agg(key, value) FILTER (WHERE key <> user_id), '{}') AS without_voter,
          jsonb_object_agg(key, value) AS all_accounts
        FROM jsonb_each(kept.accounts) WHERE value::bigint > cast_at - ${NETWORK_WINDOW_MS}
      ) AS counted
      WHERE asked.network = kept.network)
  RETURNING network, with_voter`;

/** Limits may be Infinity, which PostgreSQL does not accept. */
const MAX_INTEGER = 2 ** 31 - 1;

type Entry = { cast: Cast; hash: string; weight: number; maxAccounts: number };

/**
 * The number of accounts that count for each vote: of the network where it is highest. Networks after a crowded one are
 * not counted. Rows are locked from smaller to wider networks, so votes cannot deadlock.
 */
export async function enterNetworks(tx: Queryable, casts: readonly Cast[]): Promise<Map<Cast, number>> {
  const counts = new Map<Cast, number>();
  for (let entering = [...casts], level = 0; entering.length > 0; level += 1) {
    const entries = entering.flatMap((cast) => entryAt(cast, level));
    const found = await enter(
      tx,
      entries.filter(({ maxAccounts }) => maxAccounts > 0),
    );
    entering = [];
    for (const { cast, hash, weight, maxAccounts } of entries) {
      // No vote is allowed at all on a network without accounts.
      const accounts = found.get(hash) ?? Number.POSITIVE_INFINITY;
      counts.set(cast, Math.max(counts.get(cast) ?? 0, Math.floor(accounts / weight)));
      if (accounts <= maxAccounts) entering.push(cast);
    }
  }
  return counts;
}

/** The network of this width, unless the vote has none. */
function entryAt(cast: Cast, level: number): Entry[] {
  const { network } = cast.evidence;
  const counted = network ? countedNetworks(network)[level] : undefined;
  if (!network || !counted) return [];
  const maxAccounts = Math.min(accountLimit(network.maxAccounts, counted.weight), MAX_INTEGER);
  return [{ cast, ...counted, maxAccounts }];
}

async function enter(tx: Queryable, entries: readonly Entry[]): Promise<Map<string, number>> {
  if (entries.length === 0) return new Map();
  const rows = entries.map(({ cast: { vote }, hash, maxAccounts }) => [
    ...[hash, vote.userId, vote.castAt, maxAccounts],
  ]);
  const statement = { name: 'enter-networks', text: ENTER_NETWORKS, values: columnsOf(rows) };
  const found = await tx.query<{ network: string; with_voter: number }>(statement);
  return new Map(found.rows.map(({ network, with_voter }) => [network, with_voter]));
}
