/** Votes cast on the store of a service, by many users for some guilds. */
import { tuneV8 } from '../../src/cli/serve/v8-flags.ts';
import { openStore } from '../../src/store/open.ts';
import { guildId, NOW } from '../data-sets/shape.ts';
import { readOptions } from './protocol.ts';
import { offerWrites, type WritesOptions } from './task.ts';

const FIRST_USER = 400_000_000_000_000_000n;

const { database, guilds } = readOptions<WritesOptions>();
const store = await openStore(database);
for (let guild = 0; guild < guilds; guild += 1) {
  await store.guilds.add({ guildId: guildId(guild), name: `Community ${guild}`, createdAt: NOW });
}
tuneV8();

offerWrites(async (i) => {
  const userId = String(FIRST_USER + BigInt(i));
  const of = { guildId: guildId(i % guilds), userId, externalId: null, isDoubled: false };
  const { kind } = await store.votes.cast({ ...of, castAt: NOW + i });
  if (kind !== 'accepted') throw new Error(`a vote was not accepted: ${kind}`);
});
