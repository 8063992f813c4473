import type { Vote } from '../../domain/votes/vote.ts';

/** The columns that `toGuild` reads. */
export const GUILD_COLUMNS = `guild_id, name, created_at, doubling, premium_until, sanctioned_at, sanction_reason,
       one_reward_per_name, unlisted_at, hidden_at, icon_version, key_hash IS NOT NULL AS has_key`;

export type VoteRow = {
  guild_id: string;
  user_id: string;
  cast_at: number;
  external_id: string | null;
  is_doubled: number;
};

export function toVote(row: VoteRow): Vote {
  return {
    guildId: row.guild_id,
    userId: row.user_id,
    castAt: row.cast_at,
    externalId: row.external_id,
    isDoubled: row.is_doubled === 1,
  };
}

const COLUMNS = 'guild_id, user_id, cast_at, external_id, is_doubled';
const LISTED = 'user_id, cast_at, is_doubled';

/**
 * The queries of every request. INDEXED BY names the index: on its own, the planner uses the primary key, which has
 * the right order but scans all votes of the guild in the period for those of one user.
 *
 * `LIMIT ? + 0`: SQLite plans a statement with a plain `LIMIT ?` again at every execution, because the plan may depend
 * on the value. That takes 25 µs, three times as long as reading two votes.
 */
export const HOT_QUERIES = {
  // Read from the end of the index.
  latestOfUser: `
    SELECT ${COLUMNS} FROM votes INDEXED BY votes_by_user
    WHERE guild_id = ? AND user_id = ? AND cast_at > ? AND cast_at <= ?
    ORDER BY cast_at DESC LIMIT 1`,
  // Read from the end of the index, which contains case-folded names.
  latestOfExternalId: `
    SELECT ${COLUMNS} FROM votes INDEXED BY votes_by_external_id
    WHERE guild_id = ? AND name_key = ? AND external_id = ? AND cast_at > ? AND cast_at <= ?
    ORDER BY cast_at DESC, user_id DESC LIMIT 1`,
  // The primary key (guild_id, cast_at, user_id).
  after: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = ? AND cast_at > ?
    ORDER BY cast_at, user_id LIMIT ? + 0`,
  // The primary key (guild_id, cast_at, user_id), which is the order of the list.
  page: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = ? AND (cast_at, user_id) > (?, ?) AND cast_at < ?
    ORDER BY cast_at, user_id LIMIT ? + 0`,
  pageOfUser: `
    SELECT ${COLUMNS} FROM votes INDEXED BY votes_by_user
    WHERE guild_id = ? AND user_id = ? AND (cast_at, user_id) > (?, ?) AND cast_at < ?
    ORDER BY cast_at LIMIT ? + 0`,
  // The primary key (guild_id, cast_at, user_id), which is the order of the list.
  list: `
    SELECT ${LISTED} FROM votes
    WHERE guild_id = ? AND (cast_at, user_id) > (?, ?) AND cast_at < ?
    ORDER BY cast_at, user_id LIMIT ? + 0`,
  listOfUser: `
    SELECT ${LISTED} FROM votes INDEXED BY votes_by_user
    WHERE guild_id = ? AND user_id = ? AND (cast_at, user_id) > (?, ?) AND cast_at < ?
    ORDER BY cast_at LIMIT ? + 0`,
  // The primary key, read backwards.
  recent: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = ? AND (cast_at, user_id) < (?, ?)
    ORDER BY cast_at DESC, user_id DESC LIMIT ? + 0`,
  recentOfUser: `
    SELECT ${COLUMNS} FROM votes INDEXED BY votes_by_user
    WHERE guild_id = ? AND user_id = ? AND (cast_at, user_id) < (?, ?)
    ORDER BY cast_at DESC LIMIT ? + 0`,
  beforeOfName: `
    SELECT ${COLUMNS} FROM votes INDEXED BY votes_by_external_id
    WHERE guild_id = ? AND name_key = ? AND (cast_at, user_id) < (?, ?)
    ORDER BY cast_at DESC, user_id DESC LIMIT ? + 0`,
  afterOfName: `
    SELECT ${COLUMNS} FROM votes INDEXED BY votes_by_external_id
    WHERE guild_id = ? AND name_key = ? AND (cast_at, user_id) > (?, ?)
    ORDER BY cast_at, user_id LIMIT ? + 0`,
} as const;
