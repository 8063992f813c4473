/** Votes cast on the store, by many users for 50 guilds. */
import type { Bench } from '../bench.ts';
import { guildId, NOW } from '../data-sets/shape.ts';
import { compareWrites, type WriteFigures } from './writes.ts';

const GUILDS = 50;
const FIRST_USER = 400_000_000_000_000_000n;

export function measureCasts(bench: Bench): Promise<WriteFigures> {
  return compareWrites(bench, 'casts', async (store) => {
    for (let guild = 0; guild < GUILDS; guild += 1) {
      await store.guilds.add({ guildId: guildId(guild), name: `Community ${guild}`, createdAt: NOW });
    }
    return async (i) => {
      const userId = String(FIRST_USER + BigInt(i));
      const vote = {
        guildId: guildId(i % GUILDS),
        userId,
        externalId: null,
        isDoubled: false,
        castAt: NOW + i,
      };
      const { kind } = await store.votes.cast(vote);
      if (kind !== 'accepted') throw new Error(`a vote was not accepted: ${kind}`);
    };
  });
}
