/**
 * Statements for all votes of a group. Each takes its locks in the order of the keys, and all groups run the statements
 * in the same order, so that two groups cannot wait for each other. The locks of networks come first.
 */
import { MARK_BITS, SHARED_NAME_MS } from '../../../domain/votes/marks.ts';
import { COOLDOWN_MS } from '../../../domain/votes/vote.ts';
import { failIf } from '../connection/failures.ts';

/**
 * The primary keys of cooldowns and vote_sequences. A concurrent vote waits here for the row of its cooldown; no row is
 * returned during the cooldown, for an unknown guild, or for a banned user. The guilds are locked first, in the same
 * order as their removal. Other casts of a guild wait for the row of its sequence until this transaction ends, so votes
 * become visible in the order of their numbers. $1 guilds, $2 times, $3 users.
 */
const CLAIMED = `
    claimed AS (
      INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
      SELECT guilds.guild_id, asked.user_id, asked.cast_at
      FROM unnest($1::text[], $2::bigint[], $3::text[]) AS asked (guild_id, cast_at, user_id)
      JOIN guilds ON guilds.guild_id = asked.guild_id COLLATE "C"
      WHERE NOT EXISTS (
        SELECT FROM voter_bans b
        WHERE b.user_id = asked.user_id COLLATE "C" AND (b.until IS NULL OR b.until > asked.cast_at)
      )
      ORDER BY guilds.guild_id, asked.user_id COLLATE "C" FOR KEY SHARE OF guilds
      ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
      WHERE cooldowns.last_vote_at <= excluded.last_vote_at - ${COOLDOWN_MS}
      RETURNING guild_id, user_id
    ), numbered AS (
      INSERT INTO vote_sequences AS sequence (guild_id, last_seq)
      SELECT guild_id, count(*) + (SELECT coalesce(max(epoch), 0) FROM feed_epochs)
      FROM claimed GROUP BY guild_id ORDER BY guild_id
      ON CONFLICT (guild_id) DO UPDATE SET last_seq = greatest(
        sequence.last_seq + excluded.last_seq - (SELECT coalesce(max(epoch), 0) FROM feed_epochs), excluded.last_seq)
      RETURNING guild_id, last_seq
    )`;

/**
 * Each part reads the previous one, which sets the order of the locks: votes, hours, months. Fails if a vote exists.
 * `lastSeqs`: SQL for an array with the number of the last vote of each guild, in their order. Votes contain the position
 * of their guild in it, and their place: 0 for its last vote, -1 for the one before. Usually, no vote has a mark or counts
 * as doubled: `columnsOf` leaves out columns that are NULL.
 * No part is joined with another one: without hash joins, that would compare all of their rows with each other, which
 * took half of the time.
 */
const inserted = (lastSeqs: string) => `
    kept AS (
      INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, network, marks)
      SELECT guild_id, cast_at, user_id, external_id, name_key, coalesce(is_doubled, FALSE),
        (${lastSeqs})[guild] + place, network, coalesce(marks, 0)
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::int[], $8::int[],
          $9::text[], $10::int[])
        AS asked (guild_id, cast_at, user_id, external_id, name_key, is_doubled, guild, place, network, marks)
      RETURNING guild_id, cast_at, user_id
    ), counted AS (
      INSERT INTO hourly_votes AS hours (guild_id, hour, votes, doubled, first_seq)
      SELECT guild_id, hour, votes, coalesce(doubled, 0), (${lastSeqs})[guild] + place
      FROM unnest($11::text[], $12::bigint[], $13::int[], $14::int[], $15::int[], $16::int[])
        AS summed (guild_id, hour, votes, doubled, guild, place)
      WHERE (SELECT count(*) FROM kept) > 0
      ON CONFLICT (guild_id, hour) DO UPDATE
      SET votes = hours.votes + excluded.votes, doubled = hours.doubled + excluded.doubled,
          first_seq = coalesce(hours.first_seq, excluded.first_seq)
      RETURNING hours.guild_id
    ), summed AS (
      INSERT INTO monthly_votes AS months (guild_id, month, votes, doubled)
      SELECT guild_id, month, votes, coalesce(doubled, 0)
      FROM unnest($17::text[], $18::bigint[], $19::int[], $20::int[]) AS summed (guild_id, month, votes, doubled)
      WHERE (SELECT count(*) FROM counted) > 0
      ON CONFLICT (guild_id, month) DO UPDATE
      SET votes = months.votes + excluded.votes, doubled = months.doubled + excluded.doubled
      RETURNING guild_id, month, votes
    )`;

/** An array that is made once for the statement: `numbered` has a row for each guild. */
const NUMBERS = 'SELECT array_agg(last_seq ORDER BY guild_id) FROM numbered';

export const CAST_STATEMENTS = {
  // All of it in one statement. Fails, before votes are inserted, unless every vote is accepted and nothing else depends on
  // one. Returns no row.
  castAll: `
    WITH ${CLAIMED}, ${inserted(NUMBERS)}
    SELECT WHERE NOT ${failIf(`(SELECT count(*) FROM claimed) < cardinality($1)
      OR EXISTS (SELECT FROM webhook_endpoints WHERE guild_id = ANY ($1))
      OR EXISTS (SELECT FROM vote_goals WHERE guild_id = ANY ($1))
      OR EXISTS (SELECT FROM voter_roles WHERE guild_id = ANY ($1) AND role_id IS NOT NULL)`)}`,
  // Returns a row for each guild, with the number of its last vote and what else depends on its votes; then a row for
  // each accepted vote, unless all were accepted.
  claim: `
    WITH ${CLAIMED}
    SELECT guild_id, NULL AS user_id, last_seq, ARRAY(
      SELECT json_build_object('endpoint_id', endpoint_id, 'events', events)
      FROM webhook_endpoints WHERE webhook_endpoints.guild_id = numbered.guild_id
    ) AS subscriptions, (
      SELECT json_build_object('period', period, 'target', target)
      FROM vote_goals WHERE vote_goals.guild_id = numbered.guild_id
    ) AS goal, (
      SELECT TRUE FROM voter_roles WHERE voter_roles.guild_id = numbered.guild_id AND role_id IS NOT NULL
    ) IS NOT NULL AS has_voter_role
    FROM numbered
    UNION ALL
    SELECT guild_id, user_id, NULL, NULL, NULL, NULL FROM claimed
    WHERE (SELECT count(*) FROM claimed) < cardinality($1)`,
  // Returns a row for each guild of $22 and month.
  insert: `
    WITH ${inserted('$21::bigint[]')}
    SELECT guild_id, month, votes FROM summed WHERE guild_id = ANY ($22::text[])`,
  // The primary key. A statement of its own, because the one that inserts may have waited for the rows of the guilds: this
  // one sees a reminder that was switched on meanwhile.
  remind: `
    UPDATE reminders SET active_at = cast_at, next_attempt_at = cast_at + ${COOLDOWN_MS}, may_be_sent = FALSE
    FROM unnest($1::text[], $2::bigint[], $3::text[]) AS asked (guild_id, cast_at, user_id)
    WHERE reminders.guild_id = asked.guild_id COLLATE "C" AND reminders.user_id = asked.user_id COLLATE "C"`,
  // Index votes_by_user, with the time, and votes_by_external_id. A statement of its own for the same reason: it sees all
  // votes with a lower number.
  markShared: `
    UPDATE votes SET marks = votes.marks | ${MARK_BITS.shared_name}
    FROM unnest($1::text[], $2::bigint[], $3::text[]) AS asked (guild_id, cast_at, user_id)
    WHERE votes.guild_id = asked.guild_id COLLATE "C" AND votes.cast_at = asked.cast_at
      AND votes.user_id = asked.user_id COLLATE "C" AND (
        SELECT TRUE FROM votes AS other
        WHERE other.guild_id = votes.guild_id AND other.name_key = votes.name_key
          AND other.cast_at > votes.cast_at - ${SHARED_NAME_MS} AND other.user_id <> votes.user_id
          AND (other.seq IS NULL OR other.seq < votes.seq)
        LIMIT 1
      )`,
  // The primary keys.
  explain: `
    SELECT b.user_id, b.since, b.until, b.reason, b.public_reason, c.last_vote_at
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (guild_id, user_id, place)
    LEFT JOIN voter_bans b ON b.user_id = asked.user_id COLLATE "C"
    LEFT JOIN cooldowns c ON c.guild_id = asked.guild_id COLLATE "C" AND c.user_id = asked.user_id COLLATE "C"
    ORDER BY place`,
} as const;
