/** One vote for each user, for one of some guilds, claimed on the store of a service by that user with an Idempotency-Key. */
import { tuneV8 } from '../../src/cli/serve/v8-flags.ts';
import { claimWindow } from '../../src/domain/votes/vote.ts';
import { openStore } from '../../src/store/open.ts';
import { guildId, NOW, userId } from '../data-sets/shape.ts';
import { readOptions } from './protocol.ts';
import { offerWrites, type WritesOptions } from './task.ts';

const { database, guilds, limit } = readOptions<WritesOptions>();
const store = await openStore(database);
for (let guild = 0; guild < guilds; guild += 1) {
  await store.guilds.add({ guildId: guildId(guild), name: `Community ${guild}`, createdAt: NOW });
}
const votes = Array.from({ length: limit }, (_, i) => {
  const vote = { guildId: guildId(i % guilds), userId: userId(0, i), externalId: null, isDoubled: false };
  return { ...vote, castAt: NOW - i };
});
await store.votes.import(
  (async function* () {
    yield votes;
  })(),
  NOW,
);
tuneV8();

offerWrites(async (i) => {
  const claim = await store.claims.claim({
    guildId: guildId(i % guilds),
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
});
