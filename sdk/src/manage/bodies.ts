/** Converts the arguments of `VotaryManager` methods to bodies and paths, and checks what the service cannot check. */

import { readDate, readText } from '../arguments.ts';
import { invalid } from '../connection.ts';
import { VotaryError } from '../errors/votary-error.ts';
import type { DateInput } from '../types.ts';
import type { GuildChange, NewBan, NewGuild, NewVoid, NewVote } from './types.ts';

export function guildBody({ guildId, name }: NewGuild) {
  return { guild_id: readText(guildId, 'guildId'), name };
}

export function changeBody(change: GuildChange) {
  const { name, listed, premiumUntil, sanction, rateLimit, playerNames, goal } = change;
  return {
    name,
    listed,
    premium_until: dateOrNull(premiumUntil, 'premiumUntil'),
    sanction,
    rate_limit: rateLimit,
    player_names: playerNames,
    goal,
  };
}

export function voteBody({ guildId, userId, externalId, network }: NewVote) {
  return {
    guild_id: readText(guildId, 'guildId'),
    user_id: readText(userId, 'userId'),
    external_id: externalId,
    network,
  };
}

export function banBody({ userId, until, reason, publicReason }: NewBan) {
  return {
    user_id: readText(userId, 'userId'),
    until: dateOrNull(until, 'until'),
    reason,
    public_reason: publicReason,
  };
}

export function voidBody(given: NewVoid) {
  return {
    guild_id: readText(given.guildId, 'guildId'),
    user_id: readText(given.userId, 'userId'),
    external_id: given.externalId,
    mark: given.mark,
    network_of: given.networkOf,
    from: dateOrNull(given.from, 'from'),
    to: dateOrNull(given.to, 'to'),
    reason: given.reason,
    dry_run: given.dryRun,
  };
}

/** Null means "no date", and is sent. */
function dateOrNull(value: DateInput | null | undefined, name: string): string | null | undefined {
  return value === null ? null : readDate(value, name);
}

/** Other characters could change the path: `guilds/..` would be another resource. */
export function guildPath(guildId: string): string {
  const id = readText(guildId, 'guildId') ?? '';
  if (/^[0-9A-Za-z]+$/.test(id)) return `/guilds/${id}`;
  throw invalid('guildId must be the Discord id of a community: 15 to 20 digits');
}

export function userPath(collection: 'bans' | 'users', userId: string): string {
  const id = readText(userId, 'userId') ?? '';
  if (/^[0-9A-Za-z]+$/.test(id)) return `/${collection}/${id}`;
  throw new VotaryError('INVALID_USER_ID', 'userId must be the Discord id of a user: 15 to 20 digits');
}

export function batchPath(batch: string): string {
  if (typeof batch === 'string' && /^\w+$/.test(batch)) return `/voids/${batch}`;
  throw invalid('batch must be the batch of a createVoid call');
}
