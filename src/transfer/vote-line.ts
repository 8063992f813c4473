import { formatInstant } from '../domain/clock.ts';
import { isSnowflake, isStorableExternalId } from '../domain/text.ts';
import { parseIsoDate } from '../domain/votes/period.ts';
import type { Vote } from '../domain/votes/vote.ts';

/** An invalid line of an import file. The message describes the error. */
export class BadVoteLine extends Error {}

/** One line of NDJSON, as `votes export` writes and `votes import` reads it. */
export function formatVoteLine(vote: Vote): string {
  return JSON.stringify({
    guild_id: vote.guildId,
    user_id: vote.userId,
    timestamp: formatInstant(vote.castAt),
    ...(vote.externalId === null ? {} : { external_id: vote.externalId }),
    is_doubled: vote.isDoubled,
  });
}

export function parseVoteLine(line: string): Vote {
  const { guild_id, user_id, timestamp, external_id = null, is_doubled = false } = parseObject(line);
  if (!isSnowflakeText(guild_id)) throw new BadVoteLine('"guild_id" must be a string of 15 to 20 digits');
  if (!isSnowflakeText(user_id)) throw new BadVoteLine('"user_id" must be a string of 15 to 20 digits');
  const castAt = typeof timestamp === 'string' ? parseIsoDate(timestamp) : undefined;
  if (castAt === undefined) throw new BadVoteLine('"timestamp" must be an ISO 8601 date-time');
  if (external_id !== null && !(typeof external_id === 'string' && isStorableExternalId(external_id))) {
    throw new BadVoteLine('"external_id" must be text of 1 to 191 characters, or left out');
  }
  if (typeof is_doubled !== 'boolean') throw new BadVoteLine('"is_doubled" must be true or false');
  return { guildId: guild_id, userId: user_id, castAt, externalId: external_id, isDoubled: is_doubled };
}

function parseObject(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    throw new BadVoteLine('not valid JSON');
  }
  throw new BadVoteLine('not a JSON object');
}

function isSnowflakeText(value: unknown): value is string {
  return typeof value === 'string' && isSnowflake(value);
}
