/** The webhook worker of the service: sends the events of votes that were cast before, one endpoint for each guild. */

import { deriveSecrets } from '../../src/domain/secrets.ts';
import { openStore } from '../../src/store/open.ts';
import { createEndpoints } from '../../src/webhooks/endpoints.ts';
import { endpointDeps } from '../../src/webhooks/open.ts';
import { WebhookWorker } from '../../src/webhooks/worker.ts';
import { SECRET } from '../data-sets/keys.ts';
import { guildId } from '../data-sets/shape.ts';
import { readOptions } from './protocol.ts';
import { offerTask } from './task.ts';

export type DeliveriesOptions = { path: string; urls: string[] };

const FIRST_USER = 400_000_000_000_000_000n;

const { path, urls } = readOptions<DeliveriesOptions>();
const clock = Date.now;
const store = await openStore({ kind: 'sqlite', path });
const secrets = deriveSecrets(SECRET);
const deps = endpointDeps({ store, clock, random: Math.random, secrets, allowsLoopback: true });
const endpoints = createEndpoints(deps);
for (const [i, url] of urls.entries()) {
  await store.guilds.add({ guildId: guildId(i), name: `Community ${i}`, createdAt: clock() });
  const added = await endpoints.addEndpoint(guildId(i), { url, events: ['vote_received'] }, null);
  if (!added.ok) throw new Error(`${url} was not accepted: ${added.fault}`);
}
const logger = {
  error: (details: object, message: string) =>
    process.stdout.write(`${message} ${JSON.stringify(details)}\n`),
};
const worker = new WebhookWorker({ ...deps, logger });
let users = 0n;

async function cast(count: number): Promise<void> {
  const castAt = clock();
  await Promise.all(
    Array.from({ length: count }, (_, i) => {
      users += 1n;
      const userId = String(FIRST_USER + users);
      const vote = { guildId: guildId(i % urls.length), userId, externalId: null, isDoubled: false, castAt };
      return store.votes.cast(vote);
    }),
  );
}

async function deliver(): Promise<void> {
  await worker.runDue();
  const { due, scheduled } = await store.webhooks.backlog(clock());
  if (due + scheduled > 0) throw new Error(`${due + scheduled} events were not delivered`);
}

offerTask(deliver, cast);
