import type { Instant } from '../../domain/clock.ts';
import { COOLDOWN_MS } from '../../domain/cooldown.ts';
import type { Vote } from '../../domain/vote.ts';
import type { CastOutcome } from '../store.ts';
import { type Connection, type Connections, inTransaction } from './connection.ts';

/** `cast` of the vote store: whoever moves the cooldown row forward has the vote, all others are refused. */
export function createCast(database: Connections): (vote: Vote) => Promise<CastOutcome> {
  const { writer } = database;
  const sql = prepare(writer);

  function claim({ guildId, userId, castAt }: Vote): boolean {
    return sql.claim.get(guildId, userId, castAt, COOLDOWN_MS) !== undefined;
  }

  function keep({ guildId, castAt, userId, externalId, isDoubled }: Vote): boolean {
    return sql.keep.run(guildId, castAt, userId, externalId, Number(isDoubled)).changes > 0;
  }

  function decide(vote: Vote): CastOutcome {
    if (claim(vote)) {
      // Only an import of votes from the future can have put this very vote there before.
      return keep(vote) ? { accepted: true, vote } : { accepted: false, lastVoteAt: vote.castAt };
    }
    const lastVoteAt = sql.lastVoteAt.get(vote.guildId, vote.userId)?.last_vote_at ?? vote.castAt;
    return { accepted: false, lastVoteAt };
  }

  return (vote) => database.write(() => inTransaction(writer, () => decide(vote)));
}

function prepare(db: Connection) {
  return {
    // The primary key of cooldowns. No row comes back while the cooldown lasts.
    claim: db.prepare<[string, string, Instant, number], { last_vote_at: Instant }>(
      `INSERT INTO cooldowns (guild_id, user_id, last_vote_at) VALUES (?, ?, ?)
       ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
       WHERE cooldowns.last_vote_at <= excluded.last_vote_at - ?
       RETURNING last_vote_at`,
    ),
    keep: db.prepare(
      `INSERT INTO votes (guild_id, cast_at, user_id, external_id, is_doubled) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    ),
    lastVoteAt: db.prepare<[string, string], { last_vote_at: Instant }>(
      'SELECT last_vote_at FROM cooldowns WHERE guild_id = ? AND user_id = ?',
    ),
  };
}
