import type { Instant } from '../../../domain/clock.ts';
import { nameKeyOf } from '../../../domain/votes/claim.ts';
import { COOLDOWN_MS } from '../../../domain/votes/cooldown.ts';
import { isBanned } from '../../../domain/votes/voiding.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import { type BanRow, toBan } from '../../moderation.ts';
import { hourOf, monthOf } from '../../shared/hours.ts';
import { type CastOutcome, UnknownGuildError } from '../../store.ts';
import { planVoteEvents } from '../../webhooks/vote-events.ts';
import { type Connection, type Connections, inTransaction } from '../connection.ts';
import { createEventWriter } from '../webhooks/events.ts';

/** `cast` of the vote store: whoever moves the cooldown row forward has the vote, all others are refused. */
export function createCast(database: Connections): (vote: Vote) => Promise<CastOutcome> {
  const { writer } = database;
  const sql = prepare(writer);
  const writeEvents = createEventWriter(writer);

  function claim({ guildId, userId, castAt }: Vote): boolean {
    return sql.claim.get(userId, castAt, guildId, COOLDOWN_MS) !== undefined;
  }

  function keep(vote: Vote): boolean {
    const { guildId, castAt, userId, externalId, isDoubled } = vote;
    const doubled = Number(isDoubled);
    const seq = sql.number.get(guildId)?.last_seq;
    const kept = sql.keep.run(guildId, castAt, userId, externalId, nameKeyOf(vote), doubled, seq);
    if (kept.changes === 0) return false;
    sql.countHour.run(guildId, hourOf(castAt), doubled, seq);
    const month = sql.countMonth.get(guildId, monthOf(castAt), doubled);
    writeEvents(guildId, (subscriptions) => planVoteEvents(vote, month?.votes ?? 1, subscriptions));
    return true;
  }

  function decide(vote: Vote): CastOutcome {
    const ban = sql.findBan.get(vote.userId);
    if (ban && isBanned(ban, vote.castAt)) return { accepted: false, ban: toBan(ban) };
    if (claim(vote)) {
      // Only an import of votes from the future can have put this very vote there before.
      return keep(vote) ? { accepted: true, vote } : { accepted: false, lastVoteAt: vote.castAt };
    }
    const cooldown = sql.lastVoteAt.get(vote.guildId, vote.userId);
    if (!cooldown) throw new UnknownGuildError(vote.guildId);
    return { accepted: false, lastVoteAt: cooldown.last_vote_at };
  }

  return (vote) => database.write(() => inTransaction(writer, () => decide(vote)));
}

function prepare(db: Connection) {
  return {
    // The primary key of cooldowns. No row comes back while the cooldown lasts, or when there is no such guild.
    claim: db.prepare<[string, Instant, string, number], { last_vote_at: Instant }>(
      `INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
       SELECT guild_id, ?, ? FROM guilds WHERE guild_id = ?
       ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
       WHERE cooldowns.last_vote_at <= excluded.last_vote_at - ?
       RETURNING last_vote_at`,
    ),
    // The primary key.
    findBan: db.prepare<[string], BanRow>(
      'SELECT user_id, since, until, reason FROM voter_bans WHERE user_id = ?',
    ),
    number: db.prepare<[string], { last_seq: number }>(
      `INSERT INTO vote_sequences (guild_id, last_seq) VALUES (?, 1)
       ON CONFLICT (guild_id) DO UPDATE SET last_seq = last_seq + 1 RETURNING last_seq`,
    ),
    keep: db.prepare(
      `INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (guild_id, cast_at, user_id) DO NOTHING`,
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
    lastVoteAt: db.prepare<[string, string], { last_vote_at: Instant }>(
      'SELECT last_vote_at FROM cooldowns WHERE guild_id = ? AND user_id = ?',
    ),
  };
}
