/**
 * Votes that a token casts for its site. Each of them would fill the log of operators, so it has one entry per token and
 * UTC day from each process, written before the first vote.
 */
import { DAY_MS } from '../domain/clock.ts';
import { type Moderator, moderate } from './moderator.ts';

type CastFor = <Result>(
  moderator: Moderator,
  tokenId: string,
  cast: () => Promise<Result>,
) => Promise<Result>;

export function createCastLog(): CastFor {
  const logged = new Map<string, { day: number; entry: Promise<void> }>();

  /** Concurrent votes wait for the same entry. One that could not be written is tried again with the next vote. */
  function logOf(moderator: Moderator, tokenId: string): Promise<void> {
    const day = Math.floor(moderator.clock() / DAY_MS);
    const known = logged.get(tokenId);
    if (known?.day === day) return known.entry;
    const action = { action: 'votes_cast', guildId: null } as const;
    const entry = moderate(moderator, action, async () => {}).catch((error: unknown) => {
      logged.delete(tokenId);
      throw error;
    });
    logged.set(tokenId, { day, entry });
    return entry;
  }

  return async (moderator, tokenId, cast) => {
    await logOf(moderator, tokenId);
    return cast();
  };
}
