import type { Instant } from '../../domain/clock.ts';
import { ADMITTED_COLUMNS, type AdmittedRow } from '../guilds/guilds.ts';
import { VOTE_COLUMNS, type VoteRow } from '../votes/votes.ts';
import type { Connection } from './connection.ts';

type Range = [guildId: string, userId: string, after: Instant, until: Instant];
type NameRange = [guildId: string, nameKey: string, externalId: string, after: Instant, until: Instant];

/**
 * The queries of every request. INDEXED BY names the index: on its own, the planner uses the primary key, which has
 * the right order but scans all votes of the guild in the period for those of one user.
 */
export const HOT_QUERIES = {
  // Read from the end of the index.
  latestOfUser: `
    SELECT ${VOTE_COLUMNS} FROM votes INDEXED BY votes_by_user
    WHERE guild_id = ? AND user_id = ? AND cast_at > ? AND cast_at <= ?
    ORDER BY cast_at DESC LIMIT 1`,
  // Read from the end of the index, which contains case-folded names.
  latestOfExternalId: `
    SELECT ${VOTE_COLUMNS} FROM votes INDEXED BY votes_by_external_id
    WHERE guild_id = ? AND name_key = ? AND external_id = ? AND cast_at > ? AND cast_at <= ?
    ORDER BY cast_at DESC, user_id DESC LIMIT 1`,
  // The primary key (guild_id, cast_at, user_id).
  after: `
    SELECT ${VOTE_COLUMNS} FROM votes
    WHERE guild_id = ? AND cast_at > ?
    ORDER BY cast_at, user_id LIMIT ? + 0`,
} as const;

export function prepareHotQueries(reader: Connection, writer: Connection) {
  return {
    dataVersion: writer.prepare<[], number>('PRAGMA data_version').pluck(),
    // Index guilds_by_key_hash.
    guildByKeyHash: reader.prepare<[string], AdmittedRow>(
      `SELECT ${ADMITTED_COLUMNS.join(', ')} FROM guilds WHERE key_hash = ?`,
    ),
    votesAfter: reader.prepare<[string, Instant, number], VoteRow>(HOT_QUERIES.after),
    latestOfUser: reader.prepare<Range, VoteRow>(HOT_QUERIES.latestOfUser),
    latestOfExternalId: reader.prepare<NameRange, VoteRow>(HOT_QUERIES.latestOfExternalId),
  };
}
