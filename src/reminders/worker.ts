/**
 * Decides which reminders are sent, and what happens after each attempt; src/discord sends them. Each is sent exactly
 * once. Any number of processes can share a database.
 *
 *   const worker = new ReminderWorker({ store, clock, send, logger });
 *   worker.start();
 *   await worker.stop();
 */
import type { Logger } from 'pino';
import { type Clock, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import type { ReminderResult } from '../domain/reminders.ts';
import { PollingWorker } from '../polling-worker.ts';
import type { GuildRules } from '../store/moderation/integrity.ts';
import type { ClaimedReminder } from '../store/reminders.ts';
import type { Store } from '../store/store.ts';

/** A reminder that is due, and the rules of its guild, on which the message depends. */
export type DueReminder = ClaimedReminder & { rules: GuildRules };

/** The result of an attempt. Where it is not given, the message was certainly not sent. */
export type SendOutcome =
  | { kind: 'sent' }
  /** Nothing can be sent to anybody before that time. */
  | { kind: 'limited'; retryAfterMs: number; error: string }
  /** The user accepts no messages. */
  | { kind: 'forbidden'; error: string }
  /** The credentials are wrong. */
  | { kind: 'unauthorized'; error: string }
  /** A retry cannot succeed. */
  | { kind: 'rejected'; error: string }
  /** `mayBeSent`: the message may have arrived. */
  | { kind: 'unknown'; error: string; mayBeSent: boolean };

/** If `mayBeSent` is set, checks first whether the message arrived. Rejects only for reasons of our own. */
export type SendReminder = (reminder: DueReminder) => Promise<SendOutcome>;

type Deps = {
  store: Pick<Store, 'reminders' | 'integrity'>;
  clock: Clock;
  send: SendReminder;
  logger: Pick<Logger, 'info' | 'error'>;
  onResult?(result: ReminderResult): void;
};

/** A reminder that is later than this is not sent, because it is no longer useful. */
const MAX_LATE_MS = 2 * HOUR_MS;

const POLL_MS = SECOND_MS;
const BATCH = 5;

/** Is longer than all requests for one reminder take together. */
const CLAIM_MS = MINUTE_MS;

const RETRY_MS = 30 * SECOND_MS;
const RETRY_UNAUTHORIZED_MS = 5 * MINUTE_MS;

const RESULTS = {
  sent: 'sent',
  limited: 'limited',
  forbidden: 'refused',
  unauthorized: 'retried',
  rejected: 'rejected',
  unknown: 'retried',
} as const satisfies Record<SendOutcome['kind'], ReminderResult>;

export class ReminderWorker extends PollingWorker {
  readonly #deps: Deps;
  #pausedUntil: Instant = 0;

  constructor(deps: Deps) {
    super(POLL_MS);
    this.#deps = deps;
  }

  /** Sends everything that is due. */
  protected async pass(): Promise<void> {
    try {
      await this.#sendAll();
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'discord: reminders cannot be read');
    }
  }

  async #sendAll(): Promise<void> {
    const { store, clock } = this.#deps;
    while (!this.isStopping) {
      const now = clock();
      if (now < this.#pausedUntil) return;
      const claimed = await store.reminders.claim({ now, until: now + CLAIM_MS, limit: BATCH });
      if (claimed.length === 0) return;
      await Promise.all(claimed.map((reminder) => this.#handle(reminder)));
    }
  }

  async #handle(reminder: ClaimedReminder): Promise<void> {
    const { store, clock, logger } = this.#deps;
    const isLate = clock() - reminder.dueAt > MAX_LATE_MS;
    if (isLate || reminder.isSanctioned) {
      this.#deps.onResult?.('dropped');
      return store.reminders.finish(reminder);
    }
    try {
      const rules = await store.integrity.rules(reminder.guildId);
      await this.#record(reminder, await this.#deps.send({ ...reminder, rules }));
    } catch (error) {
      // The claim expires, and the reminder is retried.
      logger.error({ err: error }, 'discord: a reminder was not recorded');
    }
  }

  async #record(reminder: ClaimedReminder, outcome: SendOutcome): Promise<void> {
    const { store, clock, logger, onResult } = this.#deps;
    const details = outcome.kind === 'sent' ? {} : { reason: outcome.kind, error: outcome.error };
    switch (outcome.kind) {
      case 'sent':
        await store.reminders.finish(reminder);
        break;
      case 'limited':
        this.#pausedUntil = clock() + outcome.retryAfterMs;
        await store.reminders.retry(reminder, this.#pausedUntil, reminder.mayBeSent);
        break;
      case 'forbidden':
        logger.info(
          details,
          'discord: a user does not accept direct messages; their reminders were turned off',
        );
        await store.reminders.disableAll(reminder.userId);
        break;
      case 'unauthorized':
        logger.error(details, 'discord: the bot token was rejected; check VOTARY_DISCORD_BOT_TOKEN');
        await store.reminders.retry(reminder, clock() + RETRY_UNAUTHORIZED_MS, reminder.mayBeSent);
        break;
      case 'rejected':
        logger.error(details, 'discord: a reminder was rejected');
        await store.reminders.finish(reminder);
        break;
      case 'unknown':
        logger.info(details, 'discord: a reminder will be retried');
        await store.reminders.retry(reminder, clock() + RETRY_MS, outcome.mayBeSent);
        break;
    }
    onResult?.(RESULTS[outcome.kind]);
  }
}
