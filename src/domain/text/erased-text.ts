/**
 * Stored JSON without an erased user: events, responses and log entries.
 *
 *   anonymizeJson(body, { guildId, userId, anonymousId });
 */
import { voteId } from '../votes/vote.ts';

export type Replacement = { guildId: string; userId: string; anonymousId: string };

/** Every id of the user is replaced, also those of their votes, and the external ids of their votes are removed. */
export function anonymizeJson(text: string, replacement: Replacement): string {
  const instants = [...text.matchAll(ISO_INSTANT)].map(([instant]) => Date.parse(instant));
  const voteIds = new Map(
    [...new Set(instants)].map((castAt) => {
      const { guildId, userId, anonymousId } = replacement;
      return [voteId({ guildId, userId, castAt }), voteId({ guildId, userId: anonymousId, castAt })];
    }),
  );
  return JSON.stringify(anonymize(JSON.parse(text), { ...replacement, voteIds }));
}

const ISO_INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

type Context = Replacement & { voteIds: ReadonlyMap<string, string> };

function anonymize(value: unknown, context: Context): unknown {
  if (typeof value === 'string') return context.voteIds.get(value) ?? anonymizeText(value, context);
  if (Array.isArray(value)) return value.map((item) => anonymize(item, context));
  if (typeof value !== 'object' || value === null) return value;
  const isOfUser = Object.values(value).includes(context.userId);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isOfUser && name === 'external_id' ? null : anonymize(item, context),
    ]),
  );
}

/** Replaces the id where it is not a part of a longer number. */
export function anonymizeText(
  text: string,
  { userId, anonymousId }: Pick<Replacement, 'userId' | 'anonymousId'>,
): string {
  return text.replace(/\d+/g, (digits) => (digits === userId ? anonymousId : digits));
}
