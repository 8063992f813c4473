import { generateApiKey, hashApiKey } from '../../src/domain/keys/api-key.ts';
import { guildId, type Shape } from './shape.ts';

export type BenchGuild = { guildId: string; name: string; keyHash: string };

/** The master secret of every bench process: data sets outlive the process that created them. */
export const SECRET = 'a secret that is known to everybody';

/** The key of a guild, the same in every run. Valid in format and length, but not secret. */
export function keyOf(guild: number): string {
  let state = (guild + 1) * 2_654_435_761;
  return generateApiKey((bound) => {
    // Any sequence that differs per guild works; this is the MINSTD generator.
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  });
}

export function allGuilds({ guilds, lists }: Shape): BenchGuild[] {
  return Array.from({ length: guilds + lists.length }, (_, guild) => ({
    guildId: guildId(guild),
    name: `Community ${guild}`,
    keyHash: hashApiKey(keyOf(guild)),
  }));
}
