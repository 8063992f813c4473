import { isBanned } from '../../../domain/votes/bans.ts';
import type { Goal } from '../../../domain/votes/goal.ts';
import { MARK_BITS, SHARED_NAME_MS } from '../../../domain/votes/marks.ts';
import { hourOf, monthOf } from '../../../domain/votes/period.ts';
import type { Vote, VoterTotals } from '../../../domain/votes/vote.ts';
import { COOLDOWN_MS, nameKeyOf } from '../../../domain/votes/vote.ts';
import { type BanRow, toBan } from '../../moderation/bans.ts';
import { UnknownGuildError } from '../../store.ts';
import { type Cast, type CastOutcome, countedNetworks } from '../../votes/votes.ts';
import { planGoalEvents, planVoteEvents, type Subscription, wantsTotals } from '../../webhooks/events.ts';
import { columnsOf } from '../columns.ts';
import type { Queryable } from '../connection/connection.ts';
import { writeEvents } from '../webhooks/events.ts';
import type { Outcome } from '../write-groups.ts';
import { enterNetworks } from './enter-networks.ts';
import { reachGoals } from './goals.ts';
import { readTotals } from './standing.ts';
import { markRoleChecks } from './voter-roles.ts';

/**
 * Statements for all votes of a group. Each takes its locks in the order of the keys, and all groups run the statements
 * in the same order, so that two groups cannot wait for each other. The locks of networks come first.
 */
export const CAST_STATEMENTS = {
  // The primary key of cooldowns. A concurrent vote waits here for the row; no row is returned during the cooldown,
  // for an unknown guild, or for a banned user. The guilds are locked first, in the same order as their removal.
  claim: `
    INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
    SELECT guilds.guild_id, asked.user_id, asked.cast_at
    FROM unnest($1::text[], $2::text[], $3::bigint[]) AS asked (guild_id, user_id, cast_at)
    JOIN guilds ON guilds.guild_id = asked.guild_id COLLATE "C"
    WHERE NOT EXISTS (
      SELECT FROM voter_bans b
      WHERE b.user_id = asked.user_id COLLATE "C" AND (b.until IS NULL OR b.until > asked.cast_at)
    )
    ORDER BY guilds.guild_id, asked.user_id COLLATE "C" FOR KEY SHARE OF guilds
    ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
    WHERE cooldowns.last_vote_at <= excluded.last_vote_at - ${COOLDOWN_MS}
    RETURNING guild_id, user_id`,
  // Other casts of a guild wait for the row of its sequence until this transaction ends, so votes become visible in
  // the order of their numbers. Each part reads the previous one, which sets the order of the locks: sequences, votes,
  // hours, months. The endpoints of the guilds are read in the same statement, so a guild without any costs nothing
  // extra, and so are their goals and whether they have a voter role. `votes` is the count of the month up to this vote.
  insert: `
    WITH asked AS MATERIALIZED (
      SELECT guild_id COLLATE "C" AS guild_id, cast_at, user_id COLLATE "C" AS user_id, external_id,
        name_key COLLATE "C" AS name_key, is_doubled, marks, network, hour, month, place
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::int[], $8::text[],
          $9::bigint[], $10::bigint[]) WITH ORDINALITY
        AS asked (guild_id, cast_at, user_id, external_id, name_key, is_doubled, marks, network, hour, month, place)
    ), numbered AS (
      INSERT INTO vote_sequences AS sequence (guild_id, last_seq)
      SELECT guild_id, count(*) + (SELECT coalesce(max(epoch), 0) FROM feed_epochs)
      FROM asked GROUP BY guild_id ORDER BY guild_id
      ON CONFLICT (guild_id) DO UPDATE SET last_seq = greatest(
        sequence.last_seq + excluded.last_seq - (SELECT coalesce(max(epoch), 0) FROM feed_epochs), excluded.last_seq)
      RETURNING guild_id, last_seq
    ), placed AS MATERIALIZED (
      SELECT asked.*, last_seq + 1 - row_number() OVER (PARTITION BY guild_id ORDER BY place DESC) AS seq
      FROM asked JOIN numbered USING (guild_id)
    ), kept AS (
      INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, marks, network)
      SELECT guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, marks | CASE WHEN EXISTS (
        SELECT FROM votes AS other
        WHERE other.guild_id = placed.guild_id AND other.name_key = placed.name_key
          AND other.cast_at > placed.cast_at - ${SHARED_NAME_MS} AND other.user_id <> placed.user_id
      ) THEN ${MARK_BITS.shared_name} ELSE 0 END, network
      FROM placed ORDER BY guild_id, place
      ON CONFLICT (guild_id, cast_at, user_id) DO NOTHING RETURNING guild_id, seq
    ), inserted AS MATERIALIZED (
      SELECT placed.* FROM placed JOIN kept USING (guild_id, seq)
    ), counted AS (
      INSERT INTO hourly_votes AS hours (guild_id, hour, votes, doubled, first_seq)
      SELECT guild_id, hour, count(*), count(*) FILTER (WHERE is_doubled), min(seq)
      FROM inserted GROUP BY guild_id, hour ORDER BY guild_id, hour
      ON CONFLICT (guild_id, hour) DO UPDATE
      SET votes = hours.votes + excluded.votes, doubled = hours.doubled + excluded.doubled,
          first_seq = coalesce(hours.first_seq, excluded.first_seq)
      RETURNING hours.guild_id
    ), reminded AS (
      UPDATE reminders SET active_at = cast_at, next_attempt_at = cast_at + ${COOLDOWN_MS}, may_be_sent = FALSE
      FROM inserted WHERE reminders.guild_id = inserted.guild_id AND reminders.user_id = inserted.user_id
    ), summed AS (
      INSERT INTO monthly_votes AS months (guild_id, month, votes, doubled)
      SELECT guild_id, month, count(*), count(*) FILTER (WHERE is_doubled)
      FROM inserted WHERE (SELECT count(*) FROM counted) > 0 GROUP BY guild_id, month ORDER BY guild_id, month
      ON CONFLICT (guild_id, month) DO UPDATE
      SET votes = months.votes + excluded.votes, doubled = months.doubled + excluded.doubled
      RETURNING guild_id, month, votes
    )
    SELECT place, seq, votes + 1 - row_number() OVER (PARTITION BY guild_id, month ORDER BY place DESC) AS votes, ARRAY(
      SELECT json_build_object('endpoint_id', endpoint_id, 'events', events)
      FROM webhook_endpoints WHERE webhook_endpoints.guild_id = inserted.guild_id
    ) AS subscriptions, (
      SELECT json_build_object('period', period, 'target', target)
      FROM vote_goals WHERE vote_goals.guild_id = inserted.guild_id
    ) AS goal, EXISTS (
      SELECT FROM voter_roles WHERE voter_roles.guild_id = inserted.guild_id AND role_id IS NOT NULL
    ) AS has_voter_role
    FROM inserted JOIN summed USING (guild_id, month)`,
  // The primary keys.
  explain: `
    SELECT b.user_id, b.since, b.until, b.reason, b.public_reason, c.last_vote_at
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (guild_id, user_id, place)
    LEFT JOIN voter_bans b ON b.user_id = asked.user_id COLLATE "C"
    LEFT JOIN cooldowns c ON c.guild_id = asked.guild_id COLLATE "C" AND c.user_id = asked.user_id COLLATE "C"
    ORDER BY place`,
} as const;

/** What concurrent votes wait for: votes that share one cannot be in one group. */
export function castKeys({ vote: { guildId, userId }, evidence: { network } }: Cast): string[] {
  const networks = network ? countedNetworks(network).map(({ hash }) => `network ${hash}`) : [];
  return [`voter ${guildId} ${userId}`, ...networks];
}

/**
 * Casts votes of which no two share a key of `castKeys`: the transaction that advances the cooldown row casts the vote;
 * all others are refused.
 */
export async function castVotes(tx: Queryable, casts: readonly Cast[]): Promise<Outcome<CastOutcome>[]> {
  const accounts = await enterNetworks(tx, casts);
  const isCrowded = (cast: Cast) =>
    cast.evidence.network !== null && (accounts.get(cast) ?? 0) > cast.evidence.network.maxAccounts;
  const claimed = await claimCooldowns(
    tx,
    casts.filter((cast) => !isCrowded(cast)),
  );
  const inserted = await insertVotes(tx, claimed, accounts);
  const refused = casts.filter((cast) => !claimed.includes(cast));
  const refusals = await explainRefusals(tx, refused, isCrowded);
  return casts.map((cast) => {
    const { vote } = cast;
    if (inserted.has(cast)) return { result: { kind: 'accepted', vote } };
    // Only an import of future votes can have written this vote before.
    return refusals.get(cast) ?? { result: { kind: 'cooldown', lastVoteAt: vote.castAt } };
  });
}

async function claimCooldowns(tx: Queryable, casts: readonly Cast[]): Promise<Cast[]> {
  const rows = casts.map(({ vote: { guildId, userId, castAt } }) => [guildId, userId, castAt]);
  const claimed = await execute<{ guild_id: string; user_id: string }>(tx, 'claim', rows);
  const voters = new Set(claimed.map(({ guild_id, user_id }) => `${guild_id} ${user_id}`));
  return casts.filter(({ vote: { guildId, userId } }) => voters.has(`${guildId} ${userId}`));
}

type InsertedRow = {
  place: number;
  seq: number;
  votes: number;
  subscriptions: Subscription[];
  goal: Goal | null;
  has_voter_role: boolean;
};

/** Returns those that were stored, after writing their events. */
async function insertVotes(
  tx: Queryable,
  casts: readonly Cast[],
  accounts: ReadonlyMap<Cast, number>,
): Promise<Set<Cast>> {
  const marks = marksOfEach(casts, accounts);
  const values = casts.map(({ vote, evidence: { network } }, i) => {
    const { guildId, castAt, userId, externalId, isDoubled } = vote;
    return [
      ...[guildId, castAt, userId, externalId, nameKeyOf(vote), isDoubled, marks[i], network?.hash ?? null],
      ...[hourOf(castAt), monthOf(castAt)],
    ];
  });
  const rows = await execute<InsertedRow>(tx, 'insert', values);
  const inserted = rows
    .toSorted((a, b) => a.place - b.place)
    .flatMap(({ place, ...row }) => {
      const cast = casts[place - 1];
      return cast ? [{ cast, ...row }] : [];
    });
  // Only for endpoints that need them: as an unused part of `insert`, they made every vote 6 % slower.
  const counted = inserted.flatMap(({ cast, subscriptions }) =>
    wantsTotals(subscriptions) ? [cast.vote] : [],
  );
  const totals = await readTotals(tx, counted);
  const totalsOf = new Map(counted.map((vote, i) => [vote, totals[i]]));
  const reached = await reachGoals(
    tx,
    inserted.flatMap(({ cast, seq, goal }) => (goal ? [{ vote: cast.vote, seq, goal }] : [])),
  );
  const events = inserted.flatMap(({ cast: { vote }, votes, subscriptions }) => {
    const readSums = () => ({ votesThisMonth: votes, ...(totalsOf.get(vote) ?? NO_TOTALS) });
    const goal = reached.find((one) => one.vote === vote);
    return [
      ...planVoteEvents(vote, readSums, subscriptions),
      ...(goal ? planGoalEvents(goal, subscriptions) : []),
    ];
  });
  await writeEvents(tx, events);
  await markRoleChecks(
    tx,
    inserted.flatMap(({ cast: { vote }, has_voter_role }) =>
      has_voter_role ? [{ guildId: vote.guildId, userId: vote.userId, at: vote.castAt }] : [],
    ),
  );
  return new Set(inserted.map(({ cast }) => cast));
}

/** The marks of the evidence, and what the group itself adds. The statement adds what earlier votes add. */
function marksOfEach(casts: readonly Cast[], accounts: ReadonlyMap<Cast, number>): number[] {
  const named = new Map<string, Vote[]>();
  return casts.map((cast) => {
    const { vote, evidence } = cast;
    const { network, marks } = evidence;
    const isBusy = network !== null && (accounts.get(cast) ?? 0) >= network.busyFrom;
    const nameKey = nameKeyOf(vote);
    const name = `${vote.guildId} ${nameKey}`;
    const others = nameKey === null ? [] : (named.get(name) ?? []);
    named.set(name, [...others, vote]);
    const isShared = others.some(
      ({ castAt, userId }) => castAt > vote.castAt - SHARED_NAME_MS && userId !== vote.userId,
    );
    return marks | (isBusy ? MARK_BITS.busy_network : 0) | (isShared ? MARK_BITS.shared_name : 0);
  });
}

const NO_TOTALS: VoterTotals = { totalVotes: 1, streakDays: 1 };

type ReasonRow = (BanRow | { user_id: null }) & { last_vote_at: number | null };

async function explainRefusals(
  tx: Queryable,
  casts: readonly Cast[],
  isCrowded: (cast: Cast) => boolean,
): Promise<Map<Cast, Outcome<CastOutcome>>> {
  const values = casts.map(({ vote: { guildId, userId } }) => [guildId, userId]);
  const rows = await execute<ReasonRow>(tx, 'explain', values);
  return new Map(casts.map((cast, i) => [cast, refusalOf(cast, rows[i], isCrowded(cast))]));
}

function refusalOf({ vote }: Cast, row: ReasonRow | undefined, isCrowded: boolean): Outcome<CastOutcome> {
  const ban = row && row.user_id !== null ? toBan(row) : undefined;
  if (ban && isBanned(ban, vote.castAt)) return { result: { kind: 'banned', ban } };
  if (isCrowded) return { result: { kind: 'crowded' } };
  const lastVoteAt = row?.last_vote_at ?? null;
  if (lastVoteAt === null) return { error: new UnknownGuildError(vote.guildId) };
  return { result: { kind: 'cooldown', lastVoteAt } };
}

/** One parameter for each column; nothing is sent without rows. */
async function execute<R extends object>(
  tx: Queryable,
  name: keyof typeof CAST_STATEMENTS,
  rows: readonly (readonly unknown[])[],
): Promise<R[]> {
  if (rows.length === 0) return [];
  const statement = { name: `cast-${name}`, text: CAST_STATEMENTS[name], values: columnsOf(rows) };
  return (await tx.query<R>(statement)).rows;
}
