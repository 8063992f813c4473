/** One vote for each user, for one of 50 guilds, claimed by that user with an Idempotency-Key. */
import { claimWindow } from '../../src/domain/votes/vote.ts';
import type { Bench } from '../bench.ts';
import { guildId, NOW, userId } from '../data-sets/shape.ts';
import { compareWrites, type WriteFigures } from './writes.ts';

const GUILDS = 50;

export function measureClaims(bench: Bench): Promise<WriteFigures> {
  return compareWrites(bench, 'claims', async (store, limit) => {
    for (let guild = 0; guild < GUILDS; guild += 1) {
      await store.guilds.add({ guildId: guildId(guild), name: `Community ${guild}`, createdAt: NOW });
    }
    const votes = Array.from({ length: limit }, (_, i) => {
      const vote = { guildId: guildId(i % GUILDS), userId: userId(0, i), externalId: null, isDoubled: false };
      return { ...vote, castAt: NOW - i };
    });
    await store.votes.import(
      (async function* () {
        yield votes;
      })(),
      NOW,
    );
    return async (i) => {
      const claim = await store.claims.claim({
        guildId: guildId(i % GUILDS),
        identity: { userId: userId(0, i) },
        window: claimWindow(NOW, 24),
        oneRewardPerName: true,
        consumer: 'default',
        playerNames: 'exact',
        now: NOW,
        idempotency: { key: `key-${i}`, requestHash: 'bench' },
        render: (outcome) => JSON.stringify(outcome),
      });
      if (claim.kind !== 'done' || !claim.claimed)
        throw new Error(`a vote was not claimed: ${JSON.stringify(claim)}`);
    };
  });
}
