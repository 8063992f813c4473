/** Finds the community that a page is about. The database is not queried for text that cannot be an id. */
import type { FastifyRequest } from 'fastify';
import { type Guild, isActive } from '../domain/guild.ts';
import { isSnowflake } from '../domain/identifiers.ts';
import { firstText } from '../domain/record.ts';
import type { Store } from '../store/store.ts';
import { PageError } from './errors/page-error.ts';

type Guilds = { guilds: Pick<Store['guilds'], 'find'> };

/** The id in the URL of a page of the dashboard or the operator console. */
export function guildIdOf(request: FastifyRequest): string {
  const guildId = firstText(request.params, 'guild_id') ?? '';
  if (!isSnowflake(guildId)) throw new PageError('GUILD_NOT_FOUND');
  return guildId;
}

export async function requireGuild({ guilds }: Guilds, guildId: string): Promise<Guild> {
  const guild = isSnowflake(guildId) ? await guilds.find(guildId) : undefined;
  if (!guild) throw new PageError('GUILD_NOT_FOUND');
  return guild;
}

/** A sanctioned community has no public pages. */
export async function requireActiveGuild(store: Guilds, guildId: string): Promise<Guild> {
  const guild = await requireGuild(store, guildId);
  if (!isActive(guild)) throw new PageError('GUILD_NOT_FOUND');
  return guild;
}
