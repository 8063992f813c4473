/** The communities that the site lists, from `GET /manage/v1/guilds`. */
import type { Guild, VotaryManager } from '@votary/sdk/manage';
import { HttpError } from './http.ts';

/** Requests of visitors must not use up the rate limit of the token, which votes need too. */
const CACHE_MS = 10_000;

export type Communities = {
  list(): Promise<Guild[]>;
  find(guildId: string): Promise<Guild>;
  /** Something was changed: the next list is requested again. */
  forget(): void;
};

export function createCommunities(manager: VotaryManager): Communities {
  let cached: { guilds: Promise<Guild[]>; until: number } | undefined;
  const list = (): Promise<Guild[]> => {
    if (cached && Date.now() < cached.until) return cached.guilds;
    const guilds = requestAll(manager);
    const entry = { guilds, until: Date.now() + CACHE_MS };
    cached = entry;
    guilds.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return guilds;
  };
  return {
    list,
    find: async (guildId) => {
      const found = (await list()).find((guild) => guild.guildId === guildId);
      if (!found) throw new HttpError(404, 'This community is not listed here.');
      return found;
    },
    forget: () => {
      cached = undefined;
    },
  };
}

async function requestAll(manager: VotaryManager): Promise<Guild[]> {
  const guilds: Guild[] = [];
  for await (const guild of manager.guilds()) {
    if (guild.listed && guild.sanction === null) guilds.push(guild);
  }
  return guilds.sort((a, b) => a.name.localeCompare(b.name));
}
