import type { Instant } from '../../../domain/clock.ts';
import { NETWORK_WINDOW_MS, oldestKeptNetwork } from '../../../domain/votes/networks.ts';
import type { NetworkStore } from '../../moderation/integrity.ts';
import type { Queryable } from '../connection/connection.ts';

const SQL = {
  // The primary key. Expired entries stay in the row until the next vote from the network.
  usage: `
    SELECT value::bigint AS at FROM network_accounts, jsonb_each_text(accounts)
    WHERE network = $1 AND key <> $2 AND value::bigint > $3::bigint
    ORDER BY at`,
  // Skips rows that are locked by a vote, to avoid a deadlock.
  pruneAccounts: `
    DELETE FROM network_accounts WHERE network IN (
      SELECT network FROM network_accounts WHERE resets_at <= $1 FOR UPDATE SKIP LOCKED LIMIT $2)`,
  // Index votes_by_network, once per guild.
  pruneHashes: `
    UPDATE votes SET network = NULL WHERE (guild_id, cast_at, user_id) IN (
      SELECT old.guild_id, old.cast_at, old.user_id FROM guilds CROSS JOIN LATERAL (
        SELECT votes.guild_id, votes.cast_at, votes.user_id FROM votes
        WHERE votes.guild_id = guilds.guild_id AND votes.network < $1 LIMIT $2) AS old
      LIMIT $2)`,
} as const;

/** The accounts that voted from each network within the last hour, shared by all processes. */
export function createNetworkStore(database: Queryable): NetworkStore {
  const change = async (text: string, ...values: unknown[]) =>
    (await database.query({ text, values })).rowCount ?? 0;
  return {
    async usage(network, userId, now) {
      const values = [network, userId, now - NETWORK_WINDOW_MS];
      const { rows } = await database.query<{ at: Instant }>({
        name: 'network-usage',
        text: SQL.usage,
        values,
      });
      return { otherVotes: rows.map(({ at }) => at) };
    },
    async prune(now, limit) {
      return Math.max(
        await change(SQL.pruneAccounts, now, limit),
        await change(SQL.pruneHashes, oldestKeptNetwork(now), limit),
      );
    },
  };
}
