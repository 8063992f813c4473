import type { Instant } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import type { DoublingRule } from '../../domain/votes/vote.ts';
import type { StoredKey } from '../store.ts';

/** A row of `guilds` as both databases return it. The column check on `doubling` guarantees its type. */
export type GuildRow = {
  guild_id: string;
  name: string;
  created_at: Instant;
  doubling: DoublingRule;
  one_reward_per_name: boolean | number;
  premium_until: Instant | null;
  sanctioned_at: Instant | null;
  sanction_reason: string | null;
  unlisted_at: Instant | null;
  hidden_at: Instant | null;
  icon_version: string | null;
  has_key: boolean | number;
};

export type KeyRow = { key_hash: string; key_sealed: string; key_created_at: Instant };

export function toGuild(row: GuildRow): Guild {
  return {
    guildId: row.guild_id,
    name: row.name,
    createdAt: row.created_at,
    doubling: row.doubling,
    oneRewardPerName: Boolean(row.one_reward_per_name),
    premiumUntil: row.premium_until,
    sanction: row.sanctioned_at === null ? null : { since: row.sanctioned_at, reason: row.sanction_reason },
    unlistedAt: row.unlisted_at,
    hiddenAt: row.hidden_at,
    icon: row.icon_version,
    hasKey: Boolean(row.has_key),
  };
}

export function toStoredKey(row: KeyRow): StoredKey {
  return { hash: row.key_hash, sealed: row.key_sealed, createdAt: row.key_created_at };
}
