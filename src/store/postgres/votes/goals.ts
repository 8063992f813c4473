import {
  countPartyVotes,
  findReaching,
  type Goal,
  goalPeriod,
  type ReachedGoal,
  type TimedPeriod,
} from '../../../domain/votes/goal.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import { type Cell, columnsOf } from '../columns.ts';
import type { Queryable } from '../connection/connection.ts';

/** A vote that was stored, with the goal of its guild. */
export type CountedVote = { vote: Vote; seq: number; goal: Goal };

/**
 * Statements for the goals of all votes of a group. They run after the votes were counted: until the transaction ends,
 * other casts of these guilds wait for the rows of their sequences, so the counts include each vote once. The locks of
 * goals come last, in the order of the guilds.
 */
export const GOAL_STATEMENTS = {
  // The primary keys. Nothing is counted once a goal is reached.
  count: `
    SELECT place, CASE asked.period
      WHEN 'month' THEN (SELECT votes FROM monthly_votes
        WHERE monthly_votes.guild_id = asked.guild_id COLLATE "C" AND month = starts_at)
      ELSE (SELECT sum(votes) FROM hourly_votes
        WHERE hourly_votes.guild_id = asked.guild_id COLLATE "C" AND hour >= starts_at AND hour < ends_at)
      END AS votes
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) WITH ORDINALITY
      AS asked (guild_id, period, target, starts_at, ends_at, place)
    WHERE NOT EXISTS (
      SELECT FROM reached_goals r
      WHERE r.guild_id = asked.guild_id COLLATE "C" AND r.starts_at = asked.starts_at
        AND r.period = asked.period COLLATE "C" AND r.target = asked.target
    )`,
  // Returns those that were not reached before.
  reach: `
    INSERT INTO reached_goals (guild_id, starts_at, period, target, reached_at)
    SELECT guild_id, starts_at, period, target, reached_at
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
      AS asked (guild_id, starts_at, period, target, reached_at)
    ORDER BY guild_id COLLATE "C", starts_at
    ON CONFLICT DO NOTHING RETURNING guild_id, starts_at`,
  // The primary key.
  lockParties: `
    SELECT guild_id, target, party_votes FROM vote_goals
    WHERE guild_id = ANY ($1::text[]) AND period = 'party' ORDER BY guild_id FOR NO KEY UPDATE`,
  // `party_seq` is null if no party began.
  countParties: `
    UPDATE vote_goals SET party_votes = asked.party_votes,
      party_seq = coalesce(asked.party_seq, vote_goals.party_seq)
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS asked (guild_id, party_votes, party_seq)
    WHERE vote_goals.guild_id = asked.guild_id COLLATE "C"`,
  // The primary key. Voided votes are taken out of the count, restored ones added.
  correctParty: `
    UPDATE vote_goals SET party_votes = greatest(0, party_votes + $2::bigint * (
      SELECT count(*) FROM unnest($3::bigint[]) AS changed (seq) WHERE changed.seq > party_seq
    )) WHERE guild_id = $1 AND period = 'party'`,
} as const;

/** Counts votes towards the goals of their guilds, in the transaction of the votes. Returns the goals they reached. */
export async function reachGoals(tx: Queryable, counted: readonly CountedVote[]): Promise<ReachedGoal[]> {
  if (counted.length === 0) return [];
  const timed = counted.flatMap(({ vote, goal: { period, target } }) =>
    period === 'party' ? [] : [{ vote, period, target, ...goalPeriod(period, vote.castAt) }],
  );
  const parties = counted.filter(({ goal }) => goal.period === 'party');
  return [...(await reachTimed(tx, timed)), ...(await reachParties(tx, parties))];
}

type TimedVote = { vote: Vote; period: TimedPeriod; target: number; from: number; to: number };

async function reachTimed(tx: Queryable, votes: readonly TimedVote[]): Promise<ReachedGoal[]> {
  const groups = Map.groupBy(votes, ({ vote, from }) => keyOf(vote.guildId, from));
  const asked = [...groups.values()].flatMap((group) => (group[0] ? [{ ...group[0], group }] : []));
  const rows = await execute<{ place: number; votes: number | null }>(
    tx,
    'count',
    asked.map(({ vote, period, target, from, to }) => [vote.guildId, period, target, from, to]),
  );
  const candidates = rows.flatMap(({ place, votes: total }) => {
    const found = asked[place - 1];
    const reached =
      found &&
      findReaching(
        found,
        found.group.map(({ vote }) => vote),
        total ?? 0,
      );
    return reached ? [{ reached, from: found.from }] : [];
  });
  const inserted = await execute<{ guild_id: string; starts_at: number }>(
    tx,
    'reach',
    candidates.map(({ reached: { vote, period, target }, from }) => [
      ...[vote.guildId, from, period, target, vote.castAt],
    ]),
  );
  const isNew = new Set(inserted.map(({ guild_id, starts_at }) => keyOf(guild_id, starts_at)));
  return candidates
    .filter(({ reached, from }) => isNew.has(keyOf(reached.vote.guildId, from)))
    .map(({ reached }) => reached);
}

async function reachParties(tx: Queryable, votes: readonly CountedVote[]): Promise<ReachedGoal[]> {
  if (votes.length === 0) return [];
  const groups = Map.groupBy(votes, ({ vote }) => vote.guildId);
  type PartyRow = { guild_id: string; target: number; party_votes: number };
  const values = [[...groups.keys()]];
  const statement = { name: 'goals-lockParties', text: GOAL_STATEMENTS.lockParties, values };
  const counted = (await tx.query<PartyRow>(statement)).rows.map(({ guild_id, target, party_votes }) => {
    const group = groups.get(guild_id) ?? [];
    const { reached, votes } = countPartyVotes(
      target,
      group.map(({ vote }) => vote),
      party_votes,
    );
    const last = reached.at(-1)?.vote;
    return { guild_id, reached, votes, seq: group.find(({ vote }) => vote === last)?.seq ?? null };
  });
  await execute(
    tx,
    'countParties',
    counted.map((party) => [party.guild_id, party.votes, party.seq]),
  );
  return counted.flatMap(({ reached }) => reached);
}

/** Takes voided votes out of the count of the next vote party, or adds restored ones. */
export async function correctParty(
  tx: Queryable,
  guildId: string,
  seqs: readonly (number | null)[],
  sign: 1 | -1,
): Promise<void> {
  await tx.query({ text: GOAL_STATEMENTS.correctParty, values: [guildId, sign, seqs] });
}

function keyOf(guildId: string, from: number): string {
  return `${guildId} ${from}`;
}

/** One parameter for each column; nothing is sent without rows. */
async function execute<R extends object>(
  tx: Queryable,
  name: keyof typeof GOAL_STATEMENTS,
  rows: readonly (readonly Cell[])[],
): Promise<R[]> {
  if (rows.length === 0) return [];
  const statement = { name: `goals-${name}`, text: GOAL_STATEMENTS[name], values: columnsOf(rows) };
  return (await tx.query<R>(statement)).rows;
}
