import type { Period } from '../domain/period.ts';
import { positionOf, type Vote, type VotePosition } from '../domain/vote.ts';
import type { VoteStore } from './store.ts';

const PAGE_SIZE = 1000;

/**
 * Streams a guild's votes, or those of one user in it, page after page. No transaction and no cursor stays open between two pages, so a slow
 * reader holds nothing in the database.
 */
export async function* exportVotes(
  page: VoteStore['page'],
  guildId: string,
  period: Period,
  userId: string | null = null,
): AsyncGenerator<Vote> {
  let after: VotePosition | null = null;
  let votes: Vote[];
  do {
    votes = await page({ guildId, userId, period }, after, PAGE_SIZE);
    yield* votes;
    const last = votes.at(-1);
    if (last) after = positionOf(last);
  } while (votes.length === PAGE_SIZE);
}
