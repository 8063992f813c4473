/** The child process of crash.ci.test.ts: casts votes and sends webhooks until it is killed. */
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { announceChanges } from '../../../src/store/announce.ts';
import { openStore } from '../../../src/store/open.ts';
import { openWebhooks } from '../../../src/webhooks/open.ts';
import type { CrashTask, Told } from './crash.ts';

const { database, guildId, masterSecret, firstUser }: CrashTask = JSON.parse(process.env.TASK ?? '');

const store = await openStore(database);
const webhooks = openWebhooks({
  store,
  clock: Date.now,
  random: Math.random,
  secrets: deriveSecrets(masterSecret),
  allowsLoopback: true,
  // Errors of a database that stops together with the process are ignored.
  logger: { error: () => {} },
});
webhooks.start();
const announced = announceChanges(store, {
  onVote: () => {},
  onEvents: (guild) => webhooks.wake(guild),
  onAccess: () => {},
});

for (let user = BigInt(firstUser); ; user += 1n) {
  const userId = String(user);
  tell({ kind: 'casting', userId });
  const vote = { guildId, userId, castAt: Date.now(), externalId: null, isDoubled: false };
  const { kind } = await announced.votes.cast(vote);
  if (kind === 'accepted') tell({ kind: 'accepted', userId });
}

function tell(message: Told): void {
  process.send?.(message);
}
