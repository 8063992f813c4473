/**
 * Webhooks of a running service: a worker that sends, and what the dashboard does with endpoints.
 *
 *   const webhooks = openWebhooks({ store, clock, random: Math.random, secrets, logger, allowsLoopback: false });
 *   webhooks.start();
 *   await webhooks.stop();
 */
import type { Clock } from '../domain/clock.ts';
import type { Secrets } from '../domain/secrets.ts';
import { type Random, SEND_TIMEOUT_MS } from '../domain/webhooks/delivery.ts';
import type { Store } from '../store/store.ts';
import type { Endpoints } from '../store/webhooks/admin.ts';
import { createResolver } from './dns-resolver.ts';
import { createEndpoints, type EndpointDeps } from './endpoints.ts';
import { createSend } from './send.ts';
import { DEFAULT_LIMITS, Slots } from './slots.ts';
import { WebhookWorker, type WorkerLog } from './worker.ts';

export type WebhookWorld = {
  store: Store;
  clock: Clock;
  random: Random;
  secrets: Secrets;
  /** Whether endpoints on this machine itself may be set: in the demo only. */
  allowsLoopback: boolean;
};

export type Webhooks = {
  endpoints: Endpoints;
  /** Something was queued for this guild: sends it without waiting for the next poll. */
  poke(guildId: string): void;
  start(): void;
  stop(): Promise<void>;
};

export function openWebhooks(world: WebhookWorld & { logger: WorkerLog }): Webhooks {
  const deps = endpointDeps(world);
  const worker = new WebhookWorker({ ...deps, logger: world.logger });
  const poke = (guildId: string) => worker.poke(guildId);
  return {
    endpoints: createEndpoints({ ...deps, onQueued: poke }),
    poke,
    start: () => worker.start(),
    stop: () => worker.stop(),
  };
}

/** What endpoints need of the real world; the command line takes it without a worker. */
export function endpointDeps({ store, clock, random, secrets, allowsLoopback }: WebhookWorld): EndpointDeps {
  const reach = { rule: { allowsLoopback }, resolve: createResolver() };
  const send = createSend({ ...reach, timeoutMs: SEND_TIMEOUT_MS });
  const slots = new Slots(DEFAULT_LIMITS);
  return { ...reach, store, clock, random, sealKey: secrets.sealKey, send, slots };
}
