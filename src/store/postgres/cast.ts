import { COOLDOWN_MS } from '../../domain/cooldown.ts';
import type { Vote } from '../../domain/vote.ts';
import type { CastOutcome } from '../store.ts';
import type { Queryable } from './connection.ts';

const SQL = {
  // The primary key of cooldowns. A simultaneous vote waits here for the row; no row comes back while the cooldown lasts.
  claim: `
    INSERT INTO cooldowns (guild_id, user_id, last_vote_at) VALUES ($1, $2, $3)
    ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
    WHERE cooldowns.last_vote_at <= excluded.last_vote_at - $4::bigint
    RETURNING last_vote_at`,
  keep: `
    INSERT INTO votes (guild_id, cast_at, user_id, external_id, is_doubled) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT DO NOTHING`,
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
  return { accepted: false, lastVoteAt: rows[0]?.last_vote_at ?? vote.castAt };
}

async function claim(inside: Queryable, { guildId, userId, castAt }: Vote): Promise<boolean> {
  const values = [guildId, userId, castAt, COOLDOWN_MS];
  const { rows } = await inside.query({ name: 'claim', text: SQL.claim, values });
  return rows.length > 0;
}

async function keep(inside: Queryable, vote: Vote): Promise<boolean> {
  const values = [vote.guildId, vote.castAt, vote.userId, vote.externalId, vote.isDoubled];
  const { rowCount } = await inside.query({ name: 'keep', text: SQL.keep, values });
  return rowCount === 1;
}
