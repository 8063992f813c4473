import type { Instant } from '../../domain/clock.ts';
import { recentWindow } from '../../domain/cooldown.ts';
import { isSnowflake, isStorableExternalId } from '../../domain/identifiers.ts';
import { isRecord } from '../../domain/record.ts';
import type { SoughtVote } from '../../store/store.ts';

/**
 * The vote that a request will ask for if it gets that far, so that it can be looked for together with the key.
 * `null` for everything that is not plainly one valid identifier: that is judged in its turn.
 */
export function soughtVote(query: unknown, now: Instant): SoughtVote | null {
  if (!isRecord(query)) return null;
  const { discord_id: userId, external_id: externalId } = query;
  const window = recentWindow(now);
  if (typeof userId === 'string' && !externalId && isSnowflake(userId)) return { userId, window };
  if (typeof externalId === 'string' && !userId && isStorableExternalId(externalId))
    return { externalId, window };
  return null;
}
