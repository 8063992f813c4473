import { firstText } from '../../../domain/first-text.ts';
import { isSnowflake } from '../../../domain/identifiers.ts';

/** Whose votes are asked for: as it was typed, and as an id; null stands for everybody. */
export type UserFilter = { user: string; userId: string | null; isWrong: boolean };

export function readUserFilter(query: unknown): UserFilter {
  const user = (firstText(query, 'user') ?? '').trim();
  const userId = isSnowflake(user) ? user : null;
  return { user, userId, isWrong: user !== '' && userId === null };
}
