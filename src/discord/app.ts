/**
 * The Discord app of a running service: what the interactions endpoint needs, and the worker that sends reminders.
 *
 *   const app = await openDiscordApp(config, { store, clock, logger });
 *   buildServer({ discordApp: app.endpoint, … });
 *   app.start();
 *   await app.stop();
 */
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Clock } from '../domain/clock.ts';
import type { ReminderResult } from '../domain/votes/integrity.ts';
import type { Store } from '../store/store.ts';
import { ReminderWorker } from './reminders.ts';
import { type DiscordRest, openDiscordRest } from './rest.ts';
import type { DiscordAppDeps } from './routes.ts';

export type DiscordEndpoint = Pick<DiscordAppDeps, 'publicKey' | 'rest' | 'hasReminders' | 'deferAfterMs'>;

export const NO_DISCORD_APP: DiscordEndpoint = { publicKey: null, rest: null, hasReminders: false };

export type DiscordApp = { endpoint: DiscordEndpoint; start(): void; stop(): Promise<void> };

export type DiscordSettings = Pick<Config, 'discordApp' | 'discordApi' | 'publicUrl'>;

type Deps = { store: Store; clock: Clock; logger: Logger; onResult?(result: ReminderResult): void };

export async function openDiscordApp(config: DiscordSettings, deps: Deps): Promise<DiscordApp> {
  const { logger } = deps;
  const { publicKey, botToken } = config.discordApp;
  if (publicKey === null) {
    logger.info('the Discord app is off: set VOTARY_DISCORD_PUBLIC_KEY');
    return { endpoint: NO_DISCORD_APP, start: () => undefined, stop: async () => undefined };
  }
  const rest = await openDiscordRest({ api: config.discordApi, botToken });
  const worker = openReminders(config, rest, deps);
  return {
    endpoint: { publicKey, rest, hasReminders: worker !== undefined },
    start: () => worker?.start(),
    async stop() {
      await worker?.stop();
      rest.close();
    },
  };
}

/** Reminders are messages of the bot with a link to the site. */
function openReminders(config: DiscordSettings, rest: DiscordRest, deps: Deps): ReminderWorker | undefined {
  const missing = [
    ...(config.discordApp.botToken === null ? ['VOTARY_DISCORD_BOT_TOKEN'] : []),
    ...(config.publicUrl === null ? ['VOTARY_PUBLIC_URL'] : []),
  ];
  if (missing.length === 0 && config.publicUrl !== null)
    return new ReminderWorker({ ...deps, rest, siteUrl: config.publicUrl });
  deps.logger.info(`the Discord app sends no reminders: set ${missing.join(' and ')}`);
  return undefined;
}
