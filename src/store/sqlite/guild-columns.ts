/** What `toGuild` reads. */
export const GUILD_COLUMNS = `guild_id, name, created_at, doubling, premium_until, sanctioned_at, sanction_reason,
       key_hash IS NOT NULL AS has_key`;
