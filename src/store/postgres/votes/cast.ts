import { isBanned } from '../../../domain/votes/bans.ts';
import { MARK_BITS, SHARED_NAME_MS } from '../../../domain/votes/marks.ts';
import { hourOf, monthOf } from '../../../domain/votes/period.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import { COOLDOWN_MS, nameKeyOf } from '../../../domain/votes/vote.ts';
import { type BanRow, toBan } from '../../moderation/bans.ts';
import { sumBy } from '../../moderation/voiding.ts';
import { UnknownGuildError } from '../../store.ts';
import { type Cast, type CastOutcome, countedNetworks } from '../../votes/votes.ts';
import { arrayOf, columnsOf } from '../columns.ts';
import type { Queryable, Transaction } from '../connection/connection.ts';
import { isUniqueViolation } from '../connection/failures.ts';
import type { Outcome } from '../write-groups.ts';
import { enterNetworks } from './enter-networks.ts';
import {
  type AcceptedVote,
  type FollowUpsOfGuild,
  followUp,
  hasFollowUps,
  type MonthSum,
} from './follow-ups.ts';

/**
 * Statements for all votes of a group. Each takes its locks in the order of the keys, and all groups run the statements
 * in the same order, so that two groups cannot wait for each other. The locks of networks come first.
 */
export const CAST_STATEMENTS = {
  // The primary keys of cooldowns and vote_sequences. A concurrent vote waits here for the row of its cooldown; no row
  // is returned during the cooldown, for an unknown guild, or for a banned user. The guilds are locked first, in the same
  // order as their removal. Other casts of a guild wait for the row of its sequence until this transaction ends, so votes
  // become visible in the order of their numbers. Returns a row for each guild, with the number of its last vote and what
  // else depends on its votes; then a row for each accepted vote, unless all were accepted.
  claim: `
    WITH claimed AS (
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
      RETURNING guild_id, user_id
    ), numbered AS (
      INSERT INTO vote_sequences AS sequence (guild_id, last_seq)
      SELECT guild_id, count(*) + (SELECT coalesce(max(epoch), 0) FROM feed_epochs)
      FROM claimed GROUP BY guild_id ORDER BY guild_id
      ON CONFLICT (guild_id) DO UPDATE SET last_seq = greatest(
        sequence.last_seq + excluded.last_seq - (SELECT coalesce(max(epoch), 0) FROM feed_epochs), excluded.last_seq)
      RETURNING guild_id, last_seq
    )
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
  // Each part reads the previous one, which sets the order of the locks: votes, hours, months. Fails if a vote exists.
  // Returns a row for each guild of $19 and month. Usually, no vote has a mark or counts as doubled: `columnsOf` leaves out
  // columns that are NULL.
  // No part is joined with another one: without hash joins, that would compare all of their rows with each other, which
  // took half of the time.
  insert: `
    WITH kept AS (
      INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, network, marks)
      SELECT guild_id, cast_at, user_id, external_id, name_key, coalesce(is_doubled, FALSE), seq, network,
        coalesce(marks, 0) | CASE WHEN EXISTS (
        SELECT FROM votes AS other
        WHERE other.guild_id = asked.guild_id COLLATE "C" AND other.name_key = asked.name_key COLLATE "C"
          AND other.cast_at > asked.cast_at - ${SHARED_NAME_MS} AND other.user_id <> asked.user_id COLLATE "C"
      ) THEN ${MARK_BITS.shared_name} ELSE 0 END
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::bigint[], $8::text[],
          $9::int[])
        AS asked (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, network, marks)
      RETURNING guild_id, cast_at, user_id
    ), counted AS (
      INSERT INTO hourly_votes AS hours (guild_id, hour, votes, doubled, first_seq)
      SELECT guild_id, hour, votes, coalesce(doubled, 0), first_seq
      FROM unnest($10::text[], $11::bigint[], $12::int[], $13::int[], $14::bigint[])
        AS summed (guild_id, hour, votes, doubled, first_seq)
      WHERE (SELECT count(*) FROM kept) > 0
      ON CONFLICT (guild_id, hour) DO UPDATE
      SET votes = hours.votes + excluded.votes, doubled = hours.doubled + excluded.doubled,
          first_seq = coalesce(hours.first_seq, excluded.first_seq)
      RETURNING hours.guild_id
    ), reminded AS (
      UPDATE reminders SET active_at = cast_at, next_attempt_at = cast_at + ${COOLDOWN_MS}, may_be_sent = FALSE
      FROM kept WHERE reminders.guild_id = kept.guild_id AND reminders.user_id = kept.user_id
    ), summed AS (
      INSERT INTO monthly_votes AS months (guild_id, month, votes, doubled)
      SELECT guild_id, month, votes, coalesce(doubled, 0)
      FROM unnest($15::text[], $16::bigint[], $17::int[], $18::int[]) AS summed (guild_id, month, votes, doubled)
      WHERE (SELECT count(*) FROM counted) > 0
      ON CONFLICT (guild_id, month) DO UPDATE
      SET votes = months.votes + excluded.votes, doubled = months.doubled + excluded.doubled
      RETURNING guild_id, month, votes
    )
    SELECT guild_id, month, votes FROM summed WHERE guild_id = ANY ($19::text[])`,
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
export async function castVotes(tx: Transaction, casts: readonly Cast[]): Promise<Outcome<CastOutcome>[]> {
  const accounts = await enterNetworks(tx, casts);
  const isCrowded = (cast: Cast) =>
    cast.evidence.network !== null && (accounts.get(cast) ?? 0) > cast.evidence.network.maxAccounts;
  const accepted = await claimCooldowns(
    tx,
    casts.filter((cast) => !isCrowded(cast)),
  );
  const isAccepted = new Set(accepted.map(({ cast }) => cast));
  const refused = casts.filter((cast) => !isAccepted.has(cast));
  const followed = accepted.filter(hasFollowUps);
  const [sums, refusals] = await Promise.all([
    writeVotes(tx, accepted, accounts),
    explainRefusals(tx, refused, isCrowded),
    // Usually, nothing else depends on these votes.
    followed.length > 0 ? undefined : tx.commit(),
  ]);
  if (followed.length > 0) await followUp(tx, followed, sums);
  return casts.map((cast) => refusals.get(cast) ?? { result: { kind: 'accepted', vote: cast.vote } });
}

/** The result of a vote that cannot be stored. Only an import of future votes can have written it before. */
export function refuseExisting({ vote }: Cast, error: unknown): CastOutcome | undefined {
  return isUniqueViolation(error, 'votes_pkey') ? { kind: 'cooldown', lastVoteAt: vote.castAt } : undefined;
}

type GuildRow = FollowUpsOfGuild & { guild_id: string; user_id: null; last_seq: number };
type VoteRow = { guild_id: string; user_id: string };

type Numbered = AcceptedVote & { cast: Cast; guild: GuildRow };

const voterName = (guildId: string, userId: string) => `${guildId} ${userId}`;

/** The votes that are accepted, in the order of their guilds and numbers. */
async function claimCooldowns(tx: Queryable, casts: readonly Cast[]): Promise<Numbered[]> {
  const asked = casts.map(({ vote: { guildId, userId, castAt } }) => [guildId, userId, castAt]);
  const rows = await execute<GuildRow | VoteRow>(tx, 'claim', ...columnsOf(asked));
  const voters = new Set(
    rows.flatMap((row) => (row.user_id === null ? [] : [voterName(row.guild_id, row.user_id)])),
  );
  const isClaimed = ({ vote: { guildId, userId } }: Cast) =>
    voters.size === 0 || voters.has(voterName(guildId, userId));
  const claimed = Map.groupBy(casts.filter(isClaimed), ({ vote }) => vote.guildId);
  return rows.flatMap((guild) => {
    if (guild.user_id !== null) return [];
    const votes = claimed.get(guild.guild_id) ?? [];
    const before = guild.last_seq - votes.length;
    return votes.map((cast, i) => ({ cast, vote: cast.vote, seq: before + i + 1, guild }));
  });
}

/** Writes votes in the order of their guilds, and returns the sums of the months of guilds with endpoints. */
async function writeVotes(
  tx: Queryable,
  numbered: readonly Numbered[],
  accounts: ReadonlyMap<Cast, number>,
): Promise<MonthSum[]> {
  if (numbered.length === 0) return [];
  const marks = marksOfEach(
    numbered.map(({ cast }) => cast),
    accounts,
  );
  const votes = numbered.map(({ cast: { vote, evidence }, seq }, i) => {
    const { guildId, castAt, userId, externalId, isDoubled } = vote;
    const name = [externalId, nameKeyOf(vote)];
    const network = evidence.network?.hash ?? null;
    return [guildId, castAt, userId, ...name, isDoubled || null, seq, network, marks[i] || null];
  });
  const guilds = [...Map.groupBy(numbered, ({ guild }) => guild)].map(([guild, group]) => ({
    guild,
    votes: group.map(({ cast: { vote }, seq }) => ({ castAt: vote.castAt, isDoubled: vote.isDoubled, seq })),
  }));
  const hours = guilds.flatMap(({ guild, votes }) =>
    sumBy(hourOf, votes).map((sum) => [
      guild.guild_id,
      sum.start,
      sum.votes,
      sum.doubled || null,
      sum.firstSeq,
    ]),
  );
  const months = guilds.flatMap(({ guild, votes }) =>
    sumBy(monthOf, votes).map((sum) => [guild.guild_id, sum.start, sum.votes, sum.doubled || null]),
  );
  const summed = guilds.flatMap(({ guild }) => (guild.subscriptions.length > 0 ? [guild.guild_id] : []));
  const columns = [...columnsOf(votes), ...columnsOf(hours), ...columnsOf(months), arrayOf(summed)];
  return execute<MonthSum>(tx, 'insert', ...columns);
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

type ReasonRow = (BanRow | { user_id: null }) & { last_vote_at: number | null };

async function explainRefusals(
  tx: Queryable,
  casts: readonly Cast[],
  isCrowded: (cast: Cast) => boolean,
): Promise<Map<Cast, Outcome<CastOutcome>>> {
  const values = casts.map(({ vote: { guildId, userId } }) => [guildId, userId]);
  const rows = await execute<ReasonRow>(tx, 'explain', ...columnsOf(values));
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
  ...values: unknown[]
): Promise<R[]> {
  if (values.length === 0) return [];
  return (await tx.query<R>({ name: `cast-${name}`, text: CAST_STATEMENTS[name], values })).rows;
}
