import type { Instant } from '../../domain/clock.ts';
import type { Database } from '../database.ts';
import { NEXT_GUILDS } from '../guilds/guilds.ts';

/** Tables with ids of users, or with texts that can contain them. A test checks that none is missing. */
export const TABLES_WITH_USERS = [
  'activities',
  'consumer_claims',
  'cooldowns',
  'guild_profiles',
  'guilds',
  'idempotency_keys',
  'network_accounts',
  'operator_actions',
  'released_claims',
  'released_consumer_claims',
  'reminders',
  'sign_outs',
  'stored_responses',
  'users',
  'void_batches',
  'voided_votes',
  'vote_claims',
  'voter_bans',
  'voter_role_members',
  'votes',
  'webhook_attempts',
  'webhook_events',
] as const;

/** What operators and admins wrote. */
const TEXTS = [
  { table: 'voter_bans', column: 'reason' },
  { table: 'voter_bans', column: 'public_reason' },
  { table: 'void_batches', column: 'reason' },
  { table: 'guilds', column: 'sanction_reason' },
  { table: 'guild_profiles', column: 'description' },
  { table: 'guild_profiles', column: 'about' },
  { table: 'guild_profiles', column: 'links' },
] as const;

const CLAIM_TABLES = ['vote_claims', 'consumer_claims'] as const;

type CastAtRow = { cast_at: Instant };
type KeyRow = { key: string; is_found: boolean | number };

/** The primary key, in every statement that does not name an index. */
export function prepareErasure({
  read,
  write,
  writeMany,
  writeTogether,
  dialect: { indexedBy, position, rowsOf },
}: Database) {
  const rows = rowsOf('@rows', { castAt: 'BIGINT', oldId: 'TEXT', newId: 'TEXT' });
  const castAts = `cast_at IN (SELECT "castAt" FROM ${rows} AS asked)`;
  const oldIds = `vote_id IN (SELECT "oldId" FROM ${rows} AS asked)`;
  const newVoteId = (table: string, column: string) =>
    `(SELECT "newId" FROM ${rows} AS asked WHERE asked.${column} = ${table}.${column === '"castAt"' ? 'cast_at' : 'vote_id'})`;
  const anonymous = 'user_id = @newId, external_id = NULL, name_key = NULL';
  const mentions = (column: string) => `${position}(${column}, @userId) > 0`;
  // Indexes votes_by_user and votes_by_external_id; all voided votes of each guild.
  const isInGuild = `
    EXISTS (SELECT 1 FROM votes ${indexedBy('votes_by_user')}
      WHERE votes.guild_id = guilds.guild_id AND votes.user_id = @userId)
    OR EXISTS (SELECT 1 FROM votes ${indexedBy('votes_by_external_id')}
      WHERE votes.guild_id = guilds.guild_id AND votes.name_key = @userId)
    OR EXISTS (SELECT 1 FROM cooldowns WHERE cooldowns.guild_id = guilds.guild_id AND cooldowns.user_id = @userId)
    OR EXISTS (SELECT 1 FROM erasures WHERE erasures.guild_id = guilds.guild_id AND user_hash = @erasedId)
    OR EXISTS (SELECT 1 FROM voided_votes v
      WHERE v.guild_id = guilds.guild_id AND (v.user_id = @userId OR v.external_id = @userId))`;
  return {
    // All guilds, and all rows of small tables.
    known: read(`
      SELECT 1 AS one FROM users WHERE user_id = @userId
      UNION ALL SELECT 1 FROM voter_bans WHERE user_id = @userId
      UNION ALL SELECT 1 FROM reminders WHERE user_id = @userId
      UNION ALL SELECT 1 FROM voter_role_members WHERE user_id = @userId
      UNION ALL SELECT 1 FROM sign_outs WHERE user_id = @userId
      UNION ALL SELECT 1 FROM guilds WHERE ${isInGuild}
      UNION ALL SELECT 1 FROM activities WHERE actor_id = @userId OR ${mentions('detail')}
      UNION ALL SELECT 1 FROM operator_actions WHERE actor_id = @userId OR ${mentions('detail')}
      ${TEXTS.map(({ table, column }) => `UNION ALL SELECT 1 FROM ${table} WHERE ${mentions(column)}`).join(' ')}
      LIMIT 1`),
    // `deleteAccount` deletes the sign-out under the user's own id.
    endSessions: write(`
      INSERT INTO sign_outs (user_id, signed_out_at) VALUES (@erasedId, @now)
      ON CONFLICT (user_id) DO UPDATE SET signed_out_at = excluded.signed_out_at`),
    // Indexes reminders_by_user and voter_role_members_by_user. An earlier erased ban is replaced by one that was made since.
    deleteAccount: writeTogether(
      'DELETE FROM sign_outs WHERE user_id = @userId',
      'DELETE FROM users WHERE user_id = @userId',
      'DELETE FROM reminders WHERE user_id = @userId',
      'DELETE FROM voter_role_members WHERE user_id = @userId',
      `DELETE FROM voter_bans WHERE user_id = @erasedId
       AND EXISTS (SELECT 1 FROM voter_bans AS newer WHERE newer.user_id = @userId)`,
      'UPDATE voter_bans SET user_id = @erasedId WHERE user_id = @userId',
    ),
    guilds: read<{ guild_id: string }>(NEXT_GUILDS),
    guildsOf: read<{ guild_id: string }>(`
      SELECT guild_id FROM guilds WHERE guild_id > @after AND guild_id <= @last AND (${isInGuild})
      ORDER BY guild_id`),
    replacement: read<{ anonymous_id: string }>(
      'SELECT anonymous_id FROM erasures WHERE guild_id = @guildId AND user_hash = @userHash',
    ),
    keepReplacement: write(`
      INSERT INTO erasures (guild_id, user_hash, anonymous_id) VALUES (@guildId, @userHash, @newId)
      ON CONFLICT DO NOTHING`),
    // Index votes_by_user, in both directions.
    neighbors: read<{ before: string | null; after: string | null }>(`
      SELECT
        (SELECT user_id FROM votes ${indexedBy('votes_by_user')}
         WHERE guild_id = @guildId AND user_id < @userId AND length(user_id) = @digits
         ORDER BY user_id DESC LIMIT 1) AS before,
        (SELECT user_id FROM votes ${indexedBy('votes_by_user')}
         WHERE guild_id = @guildId AND user_id > @userId AND length(user_id) = @digits
         ORDER BY user_id LIMIT 1) AS after`),
    // Index votes_by_user; all voided votes of the guild. Claims without a vote have no meaning under any id.
    isTaken: read(`
      SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM votes ${indexedBy('votes_by_user')}
          WHERE guild_id = @guildId AND user_id = @newId)
        OR EXISTS (SELECT 1 FROM cooldowns WHERE guild_id = @guildId AND user_id = @newId)
        OR EXISTS (SELECT 1 FROM voided_votes WHERE guild_id = @guildId AND user_id = @newId)
        OR EXISTS (SELECT 1 FROM users WHERE user_id = @newId)`),
    // Index votes_by_user.
    votes: read<CastAtRow>(`
      SELECT cast_at FROM votes ${indexedBy('votes_by_user')}
      WHERE guild_id = @guildId AND user_id = @userId ORDER BY cast_at LIMIT @limit + 0`),
    voidedVotes: read<CastAtRow>(`
      SELECT cast_at FROM voided_votes WHERE guild_id = @guildId AND user_id = @userId
      ORDER BY cast_at LIMIT @limit + 0`),
    // In pages, because no index finds all claims of one user: those whose vote is gone, and those with the id as the name.
    claims: CLAIM_TABLES.map((table) => {
      const page = 'guild_id = @guildId AND cast_at > @after AND cast_at <= @last';
      return {
        pageEnd: read<{ last: Instant | null }>(`
          SELECT max(cast_at) AS last FROM (
            SELECT cast_at FROM ${table} WHERE guild_id = @guildId AND cast_at > @after
            ORDER BY cast_at LIMIT @limit + 0) AS page`),
        mentioning: read<CastAtRow>(`
          SELECT cast_at FROM ${table} WHERE ${page} AND (user_id = @userId OR name_key = @userId)`),
        rename: write(
          `UPDATE ${table} SET external_id = @newId, name_key = @newId WHERE ${page} AND name_key = @userId`,
        ),
      };
    }),
    // Together, because a vote without its claim could be claimed again. An Idempotency-Key often contains who claims, so
    // the keys of these claims are deleted: a repeated one finds no vote of the user.
    anonymizeVotes: writeTogether(
      `UPDATE votes SET ${anonymous}, network = NULL
       WHERE guild_id = @guildId AND user_id = @userId AND ${castAts}`,
      `UPDATE voided_votes SET ${anonymous}, network = NULL
       WHERE guild_id = @guildId AND user_id = @userId AND ${castAts}`,
      `UPDATE vote_claims SET ${anonymous}, vote_id = ${newVoteId('vote_claims', '"castAt"')}
       WHERE guild_id = @guildId AND user_id = @userId AND ${castAts}`,
      `UPDATE consumer_claims SET ${anonymous}, vote_id = ${newVoteId('consumer_claims', '"castAt"')}
       WHERE guild_id = @guildId AND user_id = @userId AND ${castAts}`,
      `UPDATE released_claims SET vote_id = ${newVoteId('released_claims', '"oldId"')}
       WHERE guild_id = @guildId AND ${oldIds}`,
      `UPDATE released_consumer_claims SET vote_id = ${newVoteId('released_consumer_claims', '"oldId"')}
       WHERE guild_id = @guildId AND ${oldIds}`,
      `DELETE FROM idempotency_keys WHERE guild_id = @guildId AND ${oldIds}`,
    ),
    // All voided votes of the guild. SQLite would read all of its votes, because the index contains what is set.
    renameVotes: writeTogether(
      `UPDATE votes ${indexedBy('votes_by_external_id')} SET external_id = @newId, name_key = @newId
       WHERE guild_id = @guildId AND name_key = @userId`,
      `UPDATE voided_votes SET external_id = @newId, name_key = @newId
       WHERE guild_id = @guildId AND name_key = @userId`,
    ),
    // At most a day of claims, in pages.
    keys: read<KeyRow>(`
      SELECT key, ${mentions('key')} OR ${mentions('body')} AS is_found FROM idempotency_keys
      WHERE guild_id = @guildId AND key > @after ORDER BY key LIMIT @limit + 0`),
    deleteKey: write('DELETE FROM idempotency_keys WHERE guild_id = @guildId AND key = @key'),
    // At most a day of requests of the management API, in pages. Their bodies are encrypted.
    responses: read<KeyRow & { token_id: string }>(`
      SELECT token_id, key, ${mentions('key')} AS is_found FROM stored_responses
      WHERE (token_id, key) > (@tokenId, @key) ORDER BY token_id, key LIMIT @limit + 0`),
    deleteResponse: write('DELETE FROM stored_responses WHERE token_id = @tokenId AND key = @key'),
    events: read<{ event_id: string; body: string | null }>(`
      SELECT event_id, CASE WHEN ${mentions('body')} THEN body END AS body FROM webhook_events
      WHERE guild_id = @guildId AND event_id > @after ORDER BY event_id LIMIT @limit + 0`),
    setEvent: write(
      'UPDATE webhook_events SET body = @body WHERE guild_id = @guildId AND event_id = @eventId',
    ),
    attempts: read<{ endpoint_id: string; number: number; answer: string; error: string | null }>(`
      SELECT endpoint_id, number, answer, error FROM webhook_attempts
      WHERE guild_id = @guildId AND event_id = @eventId`),
    setAttempt: write(`
      UPDATE webhook_attempts SET answer = @answer, error = @error
      WHERE guild_id = @guildId AND event_id = @eventId AND endpoint_id = @endpointId AND number = @number`),
    cooldown: read<{ last_vote_at: Instant }>(
      'SELECT last_vote_at FROM cooldowns WHERE guild_id = @guildId AND user_id = @userId',
    ),
    deleteCooldown: write(`
      DELETE FROM cooldowns WHERE guild_id = @guildId AND user_id = @userId AND last_vote_at <= @lastVoteAt`),
    forgetReplacement: write('DELETE FROM erasures WHERE guild_id = @guildId AND user_hash = @erasedId'),
    // All entries of a page of guilds: index activities_by_guild on SQLite, the primary key on PostgreSQL.
    deleteActivities: writeMany(`
      DELETE FROM activities WHERE guild_id > @after AND guild_id <= @last AND actor_id = @userId`),
    activities: read<{ guild_id: string; activity_id: number; detail: string }>(`
      SELECT guild_id, activity_id, detail FROM activities
      WHERE guild_id > @after AND guild_id <= @last AND ${mentions('detail')}`),
    setActivity: write(`
      UPDATE activities SET detail = @detail, merge_key = NULL
      WHERE guild_id = @guildId AND activity_id = @activityId`),
    // Index operator_actions_by_time on SQLite, the primary key on PostgreSQL.
    audit: read<{ at: Instant; action_id: number; guild_id: string | null; detail: string | null }>(`
      SELECT at, action_id, guild_id, CASE WHEN actor_id = @userId OR ${mentions('detail')} THEN detail END AS detail
      FROM operator_actions ${indexedBy('operator_actions_by_time')}
      WHERE (at, action_id) > (@at, @id) ORDER BY at, action_id LIMIT @limit + 0`),
    setAudit: write(`
      UPDATE operator_actions SET detail = @detail,
        actor_name = CASE WHEN actor_id = @userId THEN @name ELSE actor_name END,
        actor_id = CASE WHEN actor_id = @userId THEN @name ELSE actor_id END
      WHERE at = @at AND action_id = @id`),
    // All rows of small tables.
    renameInTexts: writeTogether(
      ...TEXTS.map(
        ({ table, column }) =>
          `UPDATE ${table} SET ${column} = replace(${column}, @userId, @name) WHERE ${mentions(column)}`,
      ),
    ),
  };
}
