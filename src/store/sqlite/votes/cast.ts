import type { Instant } from '../../../domain/clock.ts';
import { isBanned } from '../../../domain/votes/bans.ts';
import { MARK_BITS, SHARED_NAME_MS } from '../../../domain/votes/marks.ts';
import { countAccounts, type WeightedUsage } from '../../../domain/votes/networks.ts';
import { hourOf, monthOf } from '../../../domain/votes/period.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import { COOLDOWN_MS, nameKeyOf } from '../../../domain/votes/vote.ts';
import { BAN_COLUMNS, type BanRow, toBan } from '../../moderation/bans.ts';
import type { MemoryNetworks } from '../../rates.ts';
import { UnknownGuildError } from '../../store.ts';
import {
  type CastEvidence,
  type CastNetwork,
  type CastOutcome,
  countedNetworks,
  NO_EVIDENCE,
  type VoteStore,
} from '../../votes/votes.ts';
import { planGoalEvents, planVoteEvents } from '../../webhooks/events.ts';
import type { Connection, Connections } from '../connection.ts';
import { createEventWriter } from '../webhooks/events.ts';
import { createGoalCheck } from './goals.ts';
import { createVoterTotals } from './standing.ts';
import { createRoleCheck } from './voter-roles.ts';

/** `cast` of the vote store: the call that advances the cooldown row casts the vote; all others are refused. */
export function createCast(database: Connections, networks: MemoryNetworks): VoteStore['cast'] {
  const { writer } = database;
  const sql = prepare(writer);
  const writeEvents = createEventWriter(writer);
  const totalsOf = createVoterTotals(writer);
  const reachGoal = createGoalCheck(writer);
  const checkRole = createRoleCheck(writer);

  function claim({ guildId, userId, castAt }: Vote): boolean {
    return sql.claim.get(userId, castAt, guildId, COOLDOWN_MS) !== undefined;
  }

  function insertVote(vote: Vote, marks: number, network: string | null): boolean {
    const { guildId, castAt, userId, externalId, isDoubled } = vote;
    const doubled = Number(isDoubled);
    const nameKey = nameKeyOf(vote);
    const shared =
      nameKey === null ? undefined : sql.shared.get(guildId, nameKey, castAt - SHARED_NAME_MS, userId);
    const allMarks = marks | (shared ? MARK_BITS.shared_name : 0);
    const seq = sql.number.get(guildId)?.last_seq ?? 0;
    const kept = sql.insertVote.run(
      guildId,
      castAt,
      userId,
      externalId,
      nameKey,
      doubled,
      seq,
      allMarks,
      network,
    );
    if (kept.changes === 0) return false;
    sql.countHour.run(guildId, hourOf(castAt), doubled, seq);
    sql.remind.run(castAt, castAt + COOLDOWN_MS, guildId, userId);
    checkRole(guildId, [userId], castAt);
    const votesThisMonth = sql.countMonth.get(guildId, monthOf(castAt), doubled)?.votes ?? 1;
    const readSums = () => ({ votesThisMonth, ...totalsOf(guildId, userId, castAt) });
    const reached = reachGoal({ vote, seq, votesThisMonth });
    writeEvents(guildId, (subscriptions) => [
      ...planVoteEvents(vote, readSums, subscriptions),
      ...(reached ? planGoalEvents(reached, subscriptions) : []),
    ]);
    return true;
  }

  /** Counts the account on its networks, up to the first that is crowded. Returns how many count. */
  function enter(network: CastNetwork, userId: string, castAt: Instant): number {
    const entered: WeightedUsage[] = [];
    for (const { hash, weight } of countedNetworks(network)) {
      entered.push({ ...networks.usage(hash, userId, castAt), weight });
      if (countAccounts(entered) > network.maxAccounts) break;
      networks.add(hash, userId, castAt);
    }
    return countAccounts(entered);
  }

  function decide(vote: Vote, { marks, network }: CastEvidence): CastOutcome {
    const { userId, castAt } = vote;
    const ban = sql.findBan.get(userId);
    if (ban && isBanned(ban, castAt)) return { kind: 'banned', ban: toBan(ban) };
    const accounts = network ? enter(network, userId, castAt) : 0;
    if (network && accounts > network.maxAccounts) return { kind: 'crowded' };
    if (claim(vote)) {
      const isBusy = network !== null && accounts >= network.busyFrom;
      const isInserted = insertVote(
        vote,
        isBusy ? marks | MARK_BITS.busy_network : marks,
        network?.hash ?? null,
      );
      // Only an import of future votes can have written this vote before.
      if (!isInserted) return { kind: 'cooldown', lastVoteAt: castAt };
      return { kind: 'accepted', vote };
    }
    const cooldown = sql.lastVoteAt.get(vote.guildId, vote.userId);
    if (!cooldown) throw new UnknownGuildError(vote.guildId);
    return { kind: 'cooldown', lastVoteAt: cooldown.last_vote_at };
  }

  return (vote, evidence = NO_EVIDENCE) => database.write(() => decide(vote, evidence));
}

function prepare(db: Connection) {
  return {
    // The primary key of cooldowns. No row is returned during the cooldown or for an unknown guild.
    claim: db.prepare<[string, Instant, string, number], { last_vote_at: Instant }>(
      `INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
       SELECT guild_id, ?, ? FROM guilds WHERE guild_id = ?
       ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
       WHERE cooldowns.last_vote_at <= excluded.last_vote_at - ?
       RETURNING last_vote_at`,
    ),
    // The primary key.
    findBan: db.prepare<[string], BanRow>(`SELECT ${BAN_COLUMNS} FROM voter_bans WHERE user_id = ?`),
    // Index votes_by_external_id: at most the votes of one user in a day, or the first of another.
    shared: db.prepare<[string, string, Instant, string], { one: number }>(
      `SELECT 1 AS one FROM votes INDEXED BY votes_by_external_id
       WHERE guild_id = ? AND name_key = ? AND cast_at > ? AND user_id <> ? LIMIT 1`,
    ),
    // The primary keys of vote_sequences and feed_epochs.
    number: db.prepare<[string], { last_seq: number }>(
      `INSERT INTO vote_sequences (guild_id, last_seq) VALUES (?, (SELECT coalesce(max(epoch), 0) + 1 FROM feed_epochs))
       ON CONFLICT (guild_id) DO UPDATE SET last_seq = max(last_seq + 1, excluded.last_seq) RETURNING last_seq`,
    ),
    insertVote: db.prepare(
      `INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, marks, network)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (guild_id, cast_at, user_id) DO NOTHING`,
    ),
    countHour: db.prepare(
      `INSERT INTO hourly_votes (guild_id, hour, votes, doubled, first_seq) VALUES (?, ?, 1, ?, ?)
       ON CONFLICT (guild_id, hour) DO UPDATE SET votes = votes + 1, doubled = doubled + excluded.doubled,
         first_seq = coalesce(first_seq, excluded.first_seq)`,
    ),
    countMonth: db.prepare<[string, Instant, number], { votes: number }>(
      `INSERT INTO monthly_votes (guild_id, month, votes, doubled) VALUES (?, ?, 1, ?)
       ON CONFLICT (guild_id, month) DO UPDATE SET votes = votes + 1, doubled = doubled + excluded.doubled
       RETURNING votes`,
    ),
    // The primary key. Few users have a row.
    remind: db.prepare(
      `UPDATE reminders SET active_at = ?, next_attempt_at = ?, may_be_sent = 0 WHERE guild_id = ? AND user_id = ?`,
    ),
    lastVoteAt: db.prepare<[string, string], { last_vote_at: Instant }>(
      'SELECT last_vote_at FROM cooldowns WHERE guild_id = ? AND user_id = ?',
    ),
  };
}
