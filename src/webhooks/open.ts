/**
 * The webhooks of a running service: the worker that sends events, and endpoint administration for the
 * dashboard.
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
import { createSenders } from './attempt.ts';
import { createEndpoints, type EndpointDeps } from './endpoints.ts';
import { createResolver } from './resolve.ts';
import { DEFAULT_LIMITS, Slots } from './slots.ts';
import { WebhookWorker, type WorkerLog } from './worker.ts';

export type WebhookDeps = {
  store: Store;
  clock: Clock;
  random: Random;
  secrets: Secrets;
  /** Whether endpoints on this machine are allowed: only in the demo. */
  allowsLoopback: boolean;
  /** Private networks that endpoints may be in, by address or CIDR. Default: none. */
  allowed?: readonly string[];
  /** The public URL of the site, for links in messages. Default: no links. */
  siteUrl?: string | null;
  /** The base URL of Discord's API. Default: Discord itself. */
  discordApi?: string | null;
};

export type Webhooks = {
  endpoints: Endpoints;
  /** Sends what was queued for this guild without waiting for the next poll. */
  wake(guildId: string): void;
  start(): void;
  stop(): Promise<void>;
  /** The number of attempts that wait for a response. */
  readonly inProgress: number;
};

export function openWebhooks(options: WebhookDeps & { logger: WorkerLog }): Webhooks {
  const deps = endpointDeps(options);
  const worker = new WebhookWorker({ ...deps, logger: options.logger });
  const wake = (guildId: string) => worker.wake(guildId);
  return {
    endpoints: createEndpoints({ ...deps, onQueued: wake }),
    wake,
    start: () => worker.start(),
    stop: () => worker.stop(),
    get inProgress() {
      return deps.slots.inProgress;
    },
  };
}

/** The real dependencies of endpoint administration; the command line uses them without a worker. */
export function endpointDeps(options: WebhookDeps): EndpointDeps {
  const { store, clock, random, secrets, allowsLoopback, allowed = [] } = options;
  const { siteUrl = null, discordApi = null } = options;
  const reach = { rule: { allowsLoopback, allowed }, resolve: createResolver() };
  const senders = createSenders({ ...reach, timeoutMs: SEND_TIMEOUT_MS, discordApi });
  const slots = new Slots(DEFAULT_LIMITS);
  return { ...reach, ...senders, store, clock, random, sealKey: secrets.sealKey, slots, siteUrl };
}
