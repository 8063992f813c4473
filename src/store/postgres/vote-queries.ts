const COLUMNS = 'guild_id, user_id, cast_at, external_id, is_doubled';
const LISTED = 'user_id, cast_at, is_doubled';

/** The questions asked at every request, each with the index that answers it; a test reads their plans. */
export const HOT_QUERIES = {
  // Index votes_by_user, read from its end.
  latestOfUser: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND cast_at > $3 AND cast_at <= $4
    ORDER BY cast_at DESC LIMIT 1`,
  // Index votes_by_external_id, read from its end.
  latestOfExternalId: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND external_id = $2 AND cast_at > $3 AND cast_at <= $4
    ORDER BY cast_at DESC, user_id DESC LIMIT 1`,
  // The primary key (guild_id, cast_at, user_id), which is the order of the list.
  page: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND (cast_at, user_id) > ($2, $3) AND cast_at < $4
    ORDER BY cast_at, user_id LIMIT $5`,
  // Index votes_by_user.
  pageOfUser: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND (cast_at, user_id) > ($3, $4) AND cast_at < $5
    ORDER BY cast_at LIMIT $6`,
  // The primary key (guild_id, cast_at, user_id), which is the order of the list.
  list: `
    SELECT ${LISTED} FROM votes
    WHERE guild_id = $1 AND (cast_at, user_id) > ($2, $3) AND cast_at < $4
    ORDER BY cast_at, user_id LIMIT $5`,
  // Index votes_by_user.
  listOfUser: `
    SELECT ${LISTED} FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND (cast_at, user_id) > ($3, $4) AND cast_at < $5
    ORDER BY cast_at LIMIT $6`,
  // The primary key, read backwards.
  recent: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND (cast_at, user_id) < ($2, $3)
    ORDER BY cast_at DESC, user_id DESC LIMIT $4`,
  // Index votes_by_user, read backwards.
  recentOfUser: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND (cast_at, user_id) < ($3, $4)
    ORDER BY cast_at DESC LIMIT $5`,
} as const;
