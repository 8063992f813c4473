import { isBanned } from '../../../domain/votes/bans.ts';
import { MARK_BITS, SHARED_NAME_MS } from '../../../domain/votes/marks.ts';
import { accountLimit, NETWORK_WINDOW_MS, weightedCount } from '../../../domain/votes/networks.ts';
import { dayOf, hourOf, monthOf } from '../../../domain/votes/period.ts';
import type { Vote, VoterTotals } from '../../../domain/votes/vote.ts';
import { COOLDOWN_MS, nameKeyOf } from '../../../domain/votes/vote.ts';
import { type BanRow, toBan } from '../../moderation/bans.ts';
import { UnknownGuildError } from '../../store.ts';
import {
  type CastEvidence,
  type CastNetwork,
  type CastOutcome,
  countedNetworks,
  NO_EVIDENCE,
} from '../../votes.ts';
import { planVoteEvents, type Subscription, wantsTotals } from '../../webhooks/events.ts';
import type { Queryable } from '../connection/connection.ts';
import { writeEvents } from '../webhooks/events.ts';
import { STREAK_BEFORE } from './standing.ts';

/** Advances the cooldown for users of `source`, which is the guild and what is joined with it. */
function claimFrom(source: string, condition: string): string {
  return `
    INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
    SELECT guild_id, $2, $3 FROM ${source} WHERE guild_id = $1 AND ${condition}
      AND NOT EXISTS (SELECT FROM voter_bans WHERE user_id = $2 AND (until IS NULL OR until > $3))
    FOR KEY SHARE OF guilds
    ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
    WHERE cooldowns.last_vote_at <= excluded.last_vote_at - $4::bigint
    RETURNING last_vote_at`;
}

/** The parameters of the hash and the limit of a network, of which `index` are before it. */
const networkParameters = (index: number) => ({ hash: `$${5 + 2 * index}`, limit: `$${6 + 2 * index}::int` });

/** Counts the account on one network, unless that or the one before is crowded. */
function enterNetwork(index: number): string {
  const { hash, limit } = networkParameters(index);
  const before =
    index === 0
      ? ''
      : `FROM entered${index - 1} WHERE with_voter <= ${networkParameters(index - 1).limit} AND`;
  return `
    entered${index} AS (
      INSERT INTO network_accounts AS kept (network, accounts, with_voter, resets_at)
      SELECT ${hash}, jsonb_build_object($2::text, $3::bigint), 1, $3::bigint + ${NETWORK_WINDOW_MS}
      ${before || 'WHERE'} ${limit} > 0
      ON CONFLICT (network) DO UPDATE SET
        resets_at = greatest(kept.resets_at, excluded.resets_at),
        (accounts, with_voter) = (
          SELECT CASE WHEN count(*) FILTER (WHERE key <> $2) < ${limit}
            THEN coalesce(jsonb_object_agg(key, value) FILTER (WHERE key <> $2), '{}') || excluded.accounts
            ELSE jsonb_object_agg(key, value) END, 1 + count(*) FILTER (WHERE key <> $2)
          FROM jsonb_each(kept.accounts) WHERE value::bigint > $3::bigint - ${NETWORK_WINDOW_MS})
      RETURNING with_voter
    )`;
}

/**
 * Counts the account on its networks first, the smallest one first, until one is crowded. A concurrent vote from a
 * network waits for its row, which contains all its accounts, so the count is exact. Rows are locked from smaller to
 * wider networks, so votes cannot deadlock; the other locks come after these.
 */
function claimOnNetworks(networks: number): string {
  const indexes = Array.from({ length: networks }, (_, index) => index);
  const last = networks - 1;
  const claimed = claimFrom(`guilds, entered${last}`, `with_voter <= ${networkParameters(last).limit}`);
  return `
    WITH ${indexes.map(enterNetwork).join(',')}, claimed AS (${claimed}
    )
    SELECT ARRAY[${indexes.map((index) => `(SELECT with_voter FROM entered${index})`).join(', ')}] AS accounts,
      EXISTS (SELECT FROM claimed) AS claimed`;
}

const SQL = {
  // The primary key of cooldowns. A concurrent vote waits here for the row; no row is returned during the cooldown,
  // for an unknown guild, or for a banned user. The guild is locked first, in the same order as its removal.
  claim: claimFrom('guilds', 'TRUE'),
  // Other casts of the guild wait for the row of its sequence until this transaction ends, so votes become visible in
  // the order of their numbers. Each part reads the previous one, which sets the order of the locks: sequence, vote,
  // hour, month. The endpoints of the guild are read in the same statement, so a guild without any costs nothing
  // extra.
  insertVote: `
    WITH numbered AS (
      INSERT INTO vote_sequences AS sequence (guild_id, last_seq)
      VALUES ($1, (SELECT coalesce(max(epoch), 0) + 1 FROM feed_epochs))
      ON CONFLICT (guild_id) DO UPDATE SET last_seq = greatest(sequence.last_seq + 1, excluded.last_seq)
      RETURNING last_seq
    ), kept AS (
      INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, marks, network)
      SELECT $1, $2::bigint, $3, $4, $8, $5, last_seq, $9::int | CASE WHEN EXISTS (
        SELECT FROM votes AS other
        WHERE other.guild_id = $1 AND other.name_key = $8 AND other.cast_at > $2::bigint - ${SHARED_NAME_MS} AND other.user_id <> $3
      ) THEN ${MARK_BITS.shared_name} ELSE 0 END, $10 FROM numbered
      ON CONFLICT (guild_id, cast_at, user_id) DO NOTHING RETURNING guild_id, is_doubled::int AS doubled, seq
    ), counted AS (
      INSERT INTO hourly_votes AS hours (guild_id, hour, votes, doubled, first_seq)
      SELECT guild_id, $6, 1, doubled, seq FROM kept
      ON CONFLICT (guild_id, hour) DO UPDATE
      SET votes = hours.votes + 1, doubled = hours.doubled + excluded.doubled,
          first_seq = coalesce(hours.first_seq, excluded.first_seq)
      RETURNING hours.guild_id
    ), reminded AS (
      UPDATE reminders SET active_at = $2, next_attempt_at = $2::bigint + ${COOLDOWN_MS}, may_be_sent = FALSE FROM kept
      WHERE reminders.guild_id = kept.guild_id AND reminders.user_id = $3
    )
    INSERT INTO monthly_votes AS months (guild_id, month, votes, doubled)
    SELECT guild_id, $7, 1, $5::boolean::int FROM counted
    ON CONFLICT (guild_id, month) DO UPDATE
    SET votes = months.votes + 1, doubled = months.doubled + excluded.doubled
    RETURNING votes, ARRAY(
      SELECT json_build_object('endpoint_id', endpoint_id, 'events', events)
      FROM webhook_endpoints WHERE webhook_endpoints.guild_id = $1
    ) AS subscriptions`,
  // Index votes_by_user. A separate statement, for endpoints that need it: as an unused part of `insertVote`, it made
  // every vote 6 % slower.
  totals: `
    SELECT (SELECT count(*) FROM votes WHERE guild_id = $1 AND user_id = $2 AND cast_at <= $3) AS "totalVotes",
      1 + (${STREAK_BEFORE('$2', '$4::bigint')}) AS "streakDays"`,
  findBan: 'SELECT user_id, since, until, reason FROM voter_bans WHERE user_id = $1',
  lastVoteAt: 'SELECT last_vote_at FROM cooldowns WHERE guild_id = $1 AND user_id = $2',
} as const;

/** `cast` of the vote store: the call that advances the cooldown row casts the vote; all others are refused. */
export async function castVote(
  tx: Queryable,
  vote: Vote,
  evidence: CastEvidence = NO_EVIDENCE,
): Promise<CastOutcome> {
  const { network } = evidence;
  const { isClaimed, accounts } = network
    ? await claimOnNetwork(tx, vote, network)
    : { isClaimed: await claim(tx, vote), accounts: 0 };
  if (isClaimed) {
    const isBusy = network !== null && accounts >= network.busyFrom;
    const marks = isBusy ? evidence.marks | MARK_BITS.busy_network : evidence.marks;
    // Only an import of future votes can have written this vote before.
    return (await insertVote(tx, vote, marks, network?.hash ?? null))
      ? { kind: 'accepted', vote }
      : { kind: 'cooldown', lastVoteAt: vote.castAt };
  }
  const bans = await tx.query<BanRow>({ text: SQL.findBan, values: [vote.userId] });
  const ban = bans.rows.map(toBan)[0];
  if (ban && isBanned(ban, vote.castAt)) return { kind: 'banned', ban };
  if (network && accounts > network.maxAccounts) return { kind: 'crowded' };
  const { rows } = await tx.query<{ last_vote_at: number }>({
    name: 'last-vote-at',
    text: SQL.lastVoteAt,
    values: [vote.guildId, vote.userId],
  });
  if (!rows[0]) throw new UnknownGuildError(vote.guildId);
  return { kind: 'cooldown', lastVoteAt: rows[0].last_vote_at };
}

async function claim(tx: Queryable, { guildId, userId, castAt }: Vote): Promise<boolean> {
  const values = [guildId, userId, castAt, COOLDOWN_MS];
  const { rows } = await tx.query({ name: 'claim', text: SQL.claim, values });
  return rows.length > 0;
}

/** Limits may be Infinity, which PostgreSQL does not accept. */
const MAX_INTEGER = 2 ** 31 - 1;

async function claimOnNetwork(
  tx: Queryable,
  { guildId, userId, castAt }: Vote,
  network: CastNetwork,
): Promise<{ isClaimed: boolean; accounts: number }> {
  const networks = countedNetworks(network);
  const pairs = networks.flatMap(({ hash, weight }) => [
    hash,
    Math.min(accountLimit(network.maxAccounts, weight), MAX_INTEGER),
  ]);
  const values = [guildId, userId, castAt, COOLDOWN_MS, ...pairs];
  const text = claimOnNetworks(networks.length);
  const { rows } = await tx.query<{ accounts: (number | null)[]; claimed: boolean }>({
    name: `claim-on-${networks.length}-networks`,
    text,
    values,
  });
  const [smallest = null, ...wider] = rows[0]?.accounts ?? [];
  // No vote is allowed at all.
  if (smallest === null) return { isClaimed: false, accounts: Number.POSITIVE_INFINITY };
  // Networks after a crowded one were not counted.
  const counts = [smallest, ...wider].map((accounts, index) => ({
    accounts: accounts ?? 0,
    weight: networks[index]?.weight ?? 1,
  }));
  return { isClaimed: rows[0]?.claimed ?? false, accounts: weightedCount(counts) };
}

type InsertedRow = { votes: number; subscriptions: Subscription[] };

async function insertVote(
  tx: Queryable,
  vote: Vote,
  marks: number,
  network: string | null,
): Promise<boolean> {
  const { guildId, castAt, userId, externalId, isDoubled } = vote;
  const hourAndMonth = [hourOf(castAt), monthOf(castAt)];
  const values = [
    ...[guildId, castAt, userId, externalId, isDoubled, ...hourAndMonth, nameKeyOf(vote)],
    ...[marks, network],
  ];
  const statement = { name: 'insert-vote', text: SQL.insertVote, values };
  const { rows } = await tx.query<InsertedRow>(statement);
  if (!rows[0]) return false;
  const { votes, subscriptions } = rows[0];
  const totals = wantsTotals(subscriptions) ? await readTotals(tx, vote) : NO_TOTALS;
  const readSums = () => ({ votesThisMonth: votes, ...totals });
  await writeEvents(tx, guildId, planVoteEvents(vote, readSums, subscriptions));
  return true;
}

const NO_TOTALS: VoterTotals = { totalVotes: 1, streakDays: 1 };

async function readTotals(tx: Queryable, { guildId, userId, castAt }: Vote): Promise<VoterTotals> {
  const values = [guildId, userId, castAt, dayOf(castAt)];
  const { rows } = await tx.query<VoterTotals>({ name: 'totals', text: SQL.totals, values });
  return rows[0] ?? NO_TOTALS;
}
