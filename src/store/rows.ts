import type { Instant } from '../domain/clock.ts';
import type { DoublingRule } from '../domain/doubling.ts';
import type { Guild } from '../domain/guild.ts';
import type { Activity, ActivityAction, StoredKey } from './store.ts';

/** A row of `guilds` as both databases give it. The column check on `doubling` makes its type true. */
export type GuildRow = {
  guild_id: string;
  name: string;
  created_at: Instant;
  doubling: DoublingRule;
  premium_until: Instant | null;
  sanctioned_at: Instant | null;
  sanction_reason: string | null;
  has_key: boolean | number;
};

/** A row of `activities`. Only the store writes it, so its action is one of ours. */
export type ActivityRow = {
  guild_id: string;
  at: Instant;
  actor_id: string | null;
  actor_name: string | null;
  action: ActivityAction;
};

/** More than this many are never read at once, whatever is asked for: a guild's log only grows. */
export const MAX_ACTIVITIES = 200;

export type KeyRow = { key_hash: string; key_sealed: string; key_created_at: Instant };

export function toGuild(row: GuildRow): Guild {
  return {
    guildId: row.guild_id,
    name: row.name,
    createdAt: row.created_at,
    doubling: row.doubling,
    premiumUntil: row.premium_until,
    sanction: row.sanctioned_at === null ? null : { since: row.sanctioned_at, reason: row.sanction_reason },
    hasKey: Boolean(row.has_key),
  };
}

export function toStoredKey(row: KeyRow): StoredKey {
  return { hash: row.key_hash, sealed: row.key_sealed, createdAt: row.key_created_at };
}

export function toActivity(row: ActivityRow): Activity {
  const { guild_id: guildId, at, actor_id: userId, actor_name: name, action } = row;
  return { guildId, at, actor: userId === null ? null : { userId, name: name ?? '' }, action };
}
