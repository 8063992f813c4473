import { isSnowflake } from '../../../domain/identifiers.ts';
import { firstText } from '../../../domain/text.ts';
import { positionOf, type Vote, type VotePosition } from '../../../domain/votes/vote.ts';
import type { VoteStore } from '../../../store/store.ts';

/** Whose votes are asked for: as it was typed, and as an id; null stands for everybody. */
export type UserFilter = { user: string; userId: string | null; isWrong: boolean };

export function readUserFilter(query: unknown): UserFilter {
  const user = (firstText(query, 'user') ?? '').trim();
  const userId = isSnowflake(user) ? user : null;
  return { user, userId, isWrong: user !== '' && userId === null };
}

/**
 * Pages of votes, newest first, that stay where they are while new votes arrive: an address names the vote
 * that a page starts after, never a page number.
 */

export const PAGE_SIZE = 50;

export type Turn = { to: 'newest' } | { to: 'older' | 'newer'; than: VotePosition };

/** `older` and `newer` are what to put into the address of the next page; null where there is none. */
export type VotePage = { votes: Vote[]; older: string | null; newer: string | null };

const POSITION = /^(-?\d{1,15})_(\d{15,20})$/;
const END_OF_TIME = Date.parse('9999-12-31T23:59:59.999Z') + 1;

/** An address that was cut or mistyped leads to the newest votes. */
export function readTurn(query: unknown): Turn {
  const before = readPosition(firstText(query, 'before'));
  if (before) return { to: 'older', than: before };
  const after = readPosition(firstText(query, 'after'));
  return after ? { to: 'newer', than: after } : { to: 'newest' };
}

export async function readVotePage(
  store: Pick<VoteStore, 'recent' | 'page'>,
  guildId: string,
  userId: string | null,
  turn: Turn,
): Promise<VotePage> {
  if (turn.to === 'newer') {
    const period = { from: turn.than.castAt, to: END_OF_TIME };
    const found = await store.page({ guildId, userId, period }, turn.than, PAGE_SIZE + 1);
    // The newest page is always a full one, whatever page somebody came back from.
    if (found.length > PAGE_SIZE) return pageOf(found.slice(0, PAGE_SIZE).reverse(), true, true);
  }
  const before = turn.to === 'older' ? turn.than : null;
  const found = await store.recent(guildId, userId, before, PAGE_SIZE + 1);
  return pageOf(found.slice(0, PAGE_SIZE), before !== null, found.length > PAGE_SIZE);
}

function pageOf(votes: Vote[], hasNewer: boolean, hasOlder: boolean): VotePage {
  const first = votes[0];
  const last = votes.at(-1);
  return {
    votes,
    newer: hasNewer && first ? writePosition(positionOf(first)) : null,
    older: hasOlder && last ? writePosition(positionOf(last)) : null,
  };
}

function writePosition({ castAt, userId }: VotePosition): string {
  return `${castAt}_${userId}`;
}

function readPosition(text: string | undefined): VotePosition | undefined {
  const [, castAt, userId] = POSITION.exec(text ?? '') ?? [];
  return userId === undefined ? undefined : { castAt: Number(castAt), userId };
}
