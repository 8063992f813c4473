import { nameKeyOf } from '../../domain/votes/claim.ts';
import { COOLDOWN_MS } from '../../domain/votes/cooldown.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import { hourOf, monthOf } from '../shared/hours.ts';
import { type CastOutcome, UnknownGuildError } from '../store.ts';
import { type PlannedEvent, planVoteEvents, type Subscription } from '../webhooks/vote-events.ts';
import type { Queryable } from './connection.ts';

const SQL = {
  // The primary key of cooldowns. A simultaneous vote waits here for the row; no row comes back while the cooldown
  // lasts, or when there is no such guild. The guild is locked first, as its removal does.
  claim: `
    INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
    SELECT guild_id, $2, $3 FROM guilds WHERE guild_id = $1 FOR KEY SHARE
    ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
    WHERE cooldowns.last_vote_at <= excluded.last_vote_at - $4::bigint
    RETURNING last_vote_at`,
  // The number comes from a row that other casts of the guild wait for until the transaction ends, so votes become
  // visible in the order of their numbers. Each part reads the one before, which sets the order: number, vote, hour,
  // month. The endpoints of the guild come with it, so that a guild without any pays nothing more.
  keep: `
    WITH numbered AS (
      INSERT INTO vote_sequences AS numbers (guild_id, last_seq) VALUES ($1, 1)
      ON CONFLICT (guild_id) DO UPDATE SET last_seq = numbers.last_seq + 1
      RETURNING last_seq
    ), kept AS (
      INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq)
      SELECT $1, $2, $3, $4, $8, $5, last_seq FROM numbered
      ON CONFLICT (guild_id, cast_at, user_id) DO NOTHING RETURNING guild_id, is_doubled::int AS doubled, seq
    ), counted AS (
      INSERT INTO hourly_votes AS hours (guild_id, hour, votes, doubled, first_seq)
      SELECT guild_id, $6, 1, doubled, seq FROM kept
      ON CONFLICT (guild_id, hour) DO UPDATE
      SET votes = hours.votes + 1, doubled = hours.doubled + excluded.doubled,
          first_seq = coalesce(hours.first_seq, excluded.first_seq)
      RETURNING hours.guild_id
    )
    INSERT INTO monthly_votes AS months (guild_id, month, votes, doubled)
    SELECT guild_id, $7, 1, $5::boolean::int FROM counted
    ON CONFLICT (guild_id, month) DO UPDATE
    SET votes = months.votes + 1, doubled = months.doubled + excluded.doubled
    RETURNING votes, ARRAY(
      SELECT json_build_object('endpoint_id', endpoint_id, 'events', events)
      FROM webhook_endpoints WHERE webhook_endpoints.guild_id = $1
    ) AS subscriptions`,
  lastVoteAt: 'SELECT last_vote_at FROM cooldowns WHERE guild_id = $1 AND user_id = $2',
} as const;

/** `cast` of the vote store: whoever moves the cooldown row forward has the vote, all others are refused. */
export async function castVote(inside: Queryable, vote: Vote): Promise<CastOutcome> {
  if (await claim(inside, vote)) {
    // Only an import of votes from the future can have put this very vote there before.
    return (await keep(inside, vote))
      ? { accepted: true, vote }
      : { accepted: false, lastVoteAt: vote.castAt };
  }
  const { rows } = await inside.query<{ last_vote_at: number }>({
    name: 'last-vote-at',
    text: SQL.lastVoteAt,
    values: [vote.guildId, vote.userId],
  });
  if (!rows[0]) throw new UnknownGuildError(vote.guildId);
  return { accepted: false, lastVoteAt: rows[0].last_vote_at };
}

async function claim(inside: Queryable, { guildId, userId, castAt }: Vote): Promise<boolean> {
  const values = [guildId, userId, castAt, COOLDOWN_MS];
  const { rows } = await inside.query({ name: 'claim', text: SQL.claim, values });
  return rows.length > 0;
}

async function keep(inside: Queryable, vote: Vote): Promise<boolean> {
  const { guildId, castAt, userId, externalId, isDoubled } = vote;
  const nameKey = nameKeyOf(vote);
  const values = [guildId, castAt, userId, externalId, isDoubled, hourOf(castAt), monthOf(castAt), nameKey];
  const statement = { name: 'keep', text: SQL.keep, values };
  const { rows } = await inside.query<{ votes: number; subscriptions: Subscription[] }>(statement);
  if (!rows[0]) return false;
  await writeEvents(inside, guildId, planVoteEvents(vote, rows[0].votes, rows[0].subscriptions));
  return true;
}

const EVENT_SQL = {
  addEvents: `
    WITH kept AS (
      INSERT INTO webhook_events (guild_id, event_id, type, occurs_at, body)
      SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[])
      ON CONFLICT DO NOTHING RETURNING guild_id, event_id, occurs_at
    )
    INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at)
    SELECT guild_id, event_id, endpoint_id, 'pending', occurs_at
    FROM kept JOIN unnest($6::text[], $7::text[]) AS planned (event_id, endpoint_id) USING (event_id)`,
} as const;

/** Writes what a vote or a claim causes for the guild's endpoints; called inside its own transaction. */
export async function writeEvents(
  inside: Queryable,
  guildId: string,
  plan: readonly PlannedEvent[],
): Promise<void> {
  if (plan.length === 0) return;
  const events = plan.map(({ event }) => event);
  const deliveries = plan.flatMap(({ event: { eventId }, endpointIds }) =>
    endpointIds.map((endpointId) => ({ eventId, endpointId })),
  );
  const values = [
    guildId,
    events.map((event) => event.eventId),
    events.map((event) => event.type),
    events.map((event) => event.occursAt),
    events.map((event) => event.body),
    deliveries.map((delivery) => delivery.eventId),
    deliveries.map((delivery) => delivery.endpointId),
  ];
  await inside.query({ name: 'add-events', text: EVENT_SQL.addEvents, values });
}
