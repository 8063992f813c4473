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
import type { HotCache } from '../hot-cache.ts';
import { createEventWriter } from '../webhooks/events.ts';
import { createGoalCheck } from './goals.ts';
import { createVoteInsert } from './insert-vote.ts';
import { createVoterTotals } from './standing.ts';
import { createRoleCheck } from './voter-roles.ts';

/** What a vote depends on. The flags tell which statements it needs: for most votes, none of those. */
type Found = {
  lastVoteAt: Instant | null;
  lastSeq: number;
  epoch: number;
  mayBeBanned: 0 | 1;
  hasReminder: 0 | 1;
  hasRole: 0 | 1;
  hasGoal: 0 | 1;
  hasEndpoint: 0 | 1;
};

// The primary key of each table. No row for an unknown guild.
export const FIND_STATE = `
  SELECT (SELECT last_vote_at FROM cooldowns c WHERE c.guild_id = g.guild_id AND c.user_id = ?) AS lastVoteAt,
    coalesce((SELECT last_seq FROM vote_sequences s WHERE s.guild_id = g.guild_id), 0) AS lastSeq,
    (SELECT coalesce(max(epoch), 0) FROM feed_epochs) AS epoch,
    EXISTS (SELECT 1 FROM voter_bans WHERE user_id = ?) AS mayBeBanned,
    EXISTS (SELECT 1 FROM reminders r WHERE r.guild_id = g.guild_id AND r.user_id = ?) AS hasReminder,
    EXISTS (SELECT 1 FROM voter_roles v WHERE v.guild_id = g.guild_id) AS hasRole,
    EXISTS (SELECT 1 FROM vote_goals v WHERE v.guild_id = g.guild_id) AS hasGoal,
    EXISTS (SELECT 1 FROM webhook_endpoints w WHERE w.guild_id = g.guild_id) AS hasEndpoint
  FROM guilds g WHERE g.guild_id = ?`;

/** `cast` of the vote store. It runs inside a write transaction, so what it reads cannot change before it writes. */
export function createCast(
  database: Connections,
  { cache, networks }: { cache: HotCache; networks: MemoryNetworks },
): VoteStore['cast'] {
  const { writer } = database;
  const sql = prepare(writer);
  const insert = createVoteInsert(writer, cache);
  const writeEvents = createEventWriter(writer);
  const totalsOf = createVoterTotals(writer);
  const reachGoal = createGoalCheck(writer);
  const checkRole = createRoleCheck(writer);

  function insertVote(vote: Vote, found: Found, marks: number, network: string | null): boolean {
    const { guildId, castAt, userId, isDoubled } = vote;
    const doubled = Number(isDoubled);
    const nameKey = nameKeyOf(vote);
    const shared =
      nameKey === null ? undefined : sql.shared.get(guildId, nameKey, castAt - SHARED_NAME_MS, userId);
    const allMarks = marks | (shared ? MARK_BITS.shared_name : 0);
    const seq = 1 + Math.max(found.lastSeq, found.epoch);
    sql.advance.run(guildId, userId, castAt);
    sql.number.run(guildId, seq);
    if (!insert(vote, { nameKey, seq, marks: allMarks, network })) return false;
    sql.countHour.run(guildId, hourOf(castAt), doubled, seq);
    sql.countMonth.run(guildId, monthOf(castAt), doubled);
    if (found.hasReminder) sql.remind.run(castAt, castAt + COOLDOWN_MS, guildId, userId);
    if (found.hasRole) checkRole(guildId, [userId], castAt);
    const readMonth = () => sql.readMonth.get(guildId, monthOf(castAt))?.votes ?? 1;
    const reached = found.hasGoal ? reachGoal({ vote, seq, readMonth }) : undefined;
    if (found.hasEndpoint) {
      const readSums = () => ({ votesThisMonth: readMonth(), ...totalsOf(guildId, userId, castAt) });
      writeEvents(guildId, (subscriptions) => [
        ...planVoteEvents(vote, readSums, subscriptions),
        ...(reached ? planGoalEvents(reached, subscriptions) : []),
      ]);
    }
    return true;
  }

  /** Counts the account on its networks, up to the first that is crowded. Returns how many count. */
  function enter(network: CastNetwork, userId: string, castAt: Instant): number {
    const entered: WeightedUsage[] = [];
    for (const { hash, weight } of countedNetworks(network)) {
      entered.push({ ...networks.usage(hash, userId, castAt), weight });
      if (countAccounts(entered) > network.maxAccounts) break;
      database.onRollback(networks.add(hash, userId, castAt));
    }
    return countAccounts(entered);
  }

  function decide(vote: Vote, { marks, network }: CastEvidence): CastOutcome {
    const { guildId, userId, castAt } = vote;
    const found = sql.find.get(userId, userId, userId, guildId);
    const ban = !found || found.mayBeBanned ? sql.findBan.get(userId) : undefined;
    if (ban && isBanned(ban, castAt)) return { kind: 'banned', ban: toBan(ban) };
    const accounts = network ? enter(network, userId, castAt) : 0;
    if (network && accounts > network.maxAccounts) return { kind: 'crowded' };
    if (!found) throw new UnknownGuildError(guildId);
    const { lastVoteAt } = found;
    if (lastVoteAt !== null && lastVoteAt > castAt - COOLDOWN_MS) return { kind: 'cooldown', lastVoteAt };
    const isBusy = network !== null && accounts >= network.busyFrom;
    const allMarks = isBusy ? marks | MARK_BITS.busy_network : marks;
    const isInserted = insertVote(vote, found, allMarks, network?.hash ?? null);
    // Only an import of future votes can have written this vote before.
    return isInserted ? { kind: 'accepted', vote } : { kind: 'cooldown', lastVoteAt: castAt };
  }

  return (vote, evidence = NO_EVIDENCE) => database.write(() => decide(vote, evidence));
}

function prepare(db: Connection) {
  return {
    find: db.prepare<[userId: string, userId: string, userId: string, guildId: string], Found>(FIND_STATE),
    // The primary key.
    advance: db.prepare<[string, string, Instant]>(
      `INSERT INTO cooldowns (guild_id, user_id, last_vote_at) VALUES (?, ?, ?)
       ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at`,
    ),
    // The primary key.
    findBan: db.prepare<[string], BanRow>(`SELECT ${BAN_COLUMNS} FROM voter_bans WHERE user_id = ?`),
    // Index votes_by_external_id: at most the votes of one user in a day, or the first of another.
    shared: db.prepare<[string, string, Instant, string], { one: number }>(
      `SELECT 1 AS one FROM votes INDEXED BY votes_by_external_id
       WHERE guild_id = ? AND name_key = ? AND cast_at > ? AND user_id <> ? LIMIT 1`,
    ),
    // The primary key.
    number: db.prepare<[string, number]>(
      `INSERT INTO vote_sequences (guild_id, last_seq) VALUES (?, ?)
       ON CONFLICT (guild_id) DO UPDATE SET last_seq = excluded.last_seq`,
    ),
    countHour: db.prepare(
      `INSERT INTO hourly_votes (guild_id, hour, votes, doubled, first_seq) VALUES (?, ?, 1, ?, ?)
       ON CONFLICT (guild_id, hour) DO UPDATE SET votes = votes + 1, doubled = doubled + excluded.doubled,
         first_seq = coalesce(first_seq, excluded.first_seq)`,
    ),
    countMonth: db.prepare<[string, Instant, number]>(
      `INSERT INTO monthly_votes (guild_id, month, votes, doubled) VALUES (?, ?, 1, ?)
       ON CONFLICT (guild_id, month) DO UPDATE SET votes = votes + 1, doubled = doubled + excluded.doubled`,
    ),
    // The primary key.
    readMonth: db.prepare<[string, Instant], { votes: number }>(
      'SELECT votes FROM monthly_votes WHERE guild_id = ? AND month = ?',
    ),
    // The primary key.
    remind: db.prepare(
      `UPDATE reminders SET active_at = ?, next_attempt_at = ?, may_be_sent = 0 WHERE guild_id = ? AND user_id = ?`,
    ),
  };
}
