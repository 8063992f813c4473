/**
 * The background work of a running service: webhooks, retention, reminders, voter roles and the operators' figures.
 *
 *   const workers = openWorkers(config, { store, clock, random: Math.random, secrets, logger, … });
 *   workers.start();   // once the database is open
 *   await workers.stop();
 */
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { DiscordApp } from './discord/app.ts';
import type { Clock } from './domain/clock.ts';
import type { Secrets } from './domain/secrets.ts';
import type { Random } from './domain/webhooks/delivery.ts';
import type { Metrics } from './observability/metrics.ts';
import { ReminderWorker } from './reminders/worker.ts';
import { RetentionWorker } from './retention/worker.ts';
import { Tallies } from './store/moderation/tallies.ts';
import type { Store } from './store/store.ts';
import { VoterRoleWorker } from './voter-roles/worker.ts';
import { openWebhooks, type Webhooks } from './webhooks/open.ts';

export type Workers = {
  webhooks: Webhooks;
  tallies: Tallies;
  start(): void;
  /** Starts nothing new and waits for work in progress. */
  stop(): Promise<void>;
};

type WorkerDeps = {
  store: Store;
  clock: Clock;
  random: Random;
  secrets: Secrets;
  logger: Logger;
  metrics: Metrics;
  discordApp: Pick<DiscordApp, 'sendReminder' | 'changeRole'>;
  /** Whether webhooks to this machine are allowed. */
  isDemo: boolean;
};

export function openWorkers(config: Config, deps: WorkerDeps): Workers {
  const { store, clock, random, secrets, logger, metrics, isDemo } = deps;
  const { sendReminder, changeRole } = deps.discordApp;
  const webhooks = openWebhooks({
    store,
    clock,
    random,
    secrets,
    logger,
    allowsLoopback: isDemo,
    allowed: config.webhookAllow,
    siteUrl: config.publicUrl,
    discordApi: config.discordApi,
  });
  const retention = new RetentionWorker({ store, clock, keepVotesDays: config.keepVotesDays, logger });
  const reminders =
    sendReminder &&
    new ReminderWorker({ store, clock, send: sendReminder, logger, onResult: metrics.reminder });
  const voterRoles =
    changeRole &&
    new VoterRoleWorker({ store, clock, change: changeRole, logger, onResult: metrics.voterRole });
  const tallies = new Tallies(store.operator, clock);
  const workers = [webhooks, retention, reminders, voterRoles, tallies].filter((worker) => worker !== null);
  return {
    webhooks,
    tallies,
    start: () => {
      for (const worker of workers) worker.start();
    },
    stop: async () => {
      for (const worker of workers.toReversed()) await worker.stop();
    },
  };
}
