/**
 * Sends the reminders that are due as direct messages, each exactly once. Any number of processes can share a database.
 *
 *   const worker = new ReminderWorker({ store, clock, rest, siteUrl, logger });
 *   worker.start();
 *   await worker.stop();
 */
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { type Clock, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { isRecord } from '../domain/record.ts';
import type { ReminderResult } from '../domain/reminders.ts';
import { voteUrl } from '../domain/votes/vote-link.ts';
import type { Store } from '../store/store.ts';
import type { ClaimedReminder } from '../store/users.ts';
import { type AppMessage, actionButton, bold, directMessage, linkButton } from './interaction.ts';
import { appMessages } from './messages.ts';
import { DiscordFailure, type DiscordRest, type Failure } from './rest.ts';

type Deps = {
  store: Pick<Store, 'reminders' | 'integrity'>;
  clock: Clock;
  rest: DiscordRest;
  /** The public URL of the site. */
  siteUrl: string;
  logger: Pick<Logger, 'info' | 'error'>;
  onResult?(result: ReminderResult): void;
};

/** A reminder that is later than this is not sent, because it is no longer useful. */
const MAX_LATE_MS = 2 * HOUR_MS;

const POLL_MS = SECOND_MS;
const BATCH = 5;

/** Longer than the requests of one reminder together. */
const CLAIM_MS = MINUTE_MS;

const RETRY_MS = 30 * SECOND_MS;
const RETRY_UNAUTHORIZED_MS = 5 * MINUTE_MS;

/** How many of the last messages are searched for one that may have been sent. */
const SEARCHED_MESSAGES = 25;

export class ReminderWorker {
  readonly #deps: Deps;
  #poll: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopping = false;
  #pausedUntil: Instant = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  start(): void {
    this.#poll ??= setInterval(() => void this.runDue(), POLL_MS);
    void this.runDue();
  }

  /** Starts nothing new and waits for messages that are being sent. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#poll);
    await this.#running;
  }

  /** Sends everything that is due. One pass at a time; never rejects. */
  runDue(): Promise<void> {
    this.#running ??= this.#sendAll()
      .catch((error: unknown) => this.#deps.logger.error({ err: error }, 'discord: reminders cannot be read'))
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #sendAll(): Promise<void> {
    const { store, clock } = this.#deps;
    while (!this.#isStopping) {
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
    const attempt = { mayBeSent: reminder.mayBeSent };
    try {
      await this.#send(reminder, attempt);
      await store.reminders.finish(reminder);
      this.#deps.onResult?.('sent');
    } catch (error) {
      if (error instanceof DiscordFailure) return this.#handleFailure(reminder, error, attempt.mayBeSent);
      // The claim expires, and the reminder is retried.
      logger.error({ err: error }, 'discord: a reminder was not recorded');
    }
  }

  async #send(reminder: ClaimedReminder, attempt: { mayBeSent: boolean }): Promise<void> {
    const { rest } = this.#deps;
    const { userId } = reminder;
    const message = await this.#messageFor(reminder);
    const channel = await rest.request('POST', '/users/@me/channels', { recipient_id: userId });
    const channelId = isRecord(channel) ? String(channel.id) : '';
    if (reminder.mayBeSent && (await this.#wasDelivered(channelId, reminder))) return;
    attempt.mayBeSent = true;
    // While an earlier attempt may still be in progress, Discord itself drops a second message with the same nonce.
    const once = { nonce: nonceOf(reminder), enforce_nonce: true };
    await rest.request('POST', `/channels/${channelId}/messages`, { ...message, ...once });
  }

  /** A crash, or a lost response, leaves open whether the message arrived. Its button identifies it. */
  async #wasDelivered(channelId: string, reminder: ClaimedReminder): Promise<boolean> {
    const route = `/channels/${channelId}/messages?limit=${SEARCHED_MESSAGES}`;
    const sent = JSON.stringify(await this.#deps.rest.request('GET', route));
    return sent.includes(JSON.stringify(`remind-off:${reminder.guildId}:${reminder.dueAt}`));
  }

  async #messageFor({ guildId, guildName, locale, dueAt }: ClaimedReminder): Promise<AppMessage> {
    const { store, siteUrl } = this.#deps;
    const { membersOnly, signedLinksOnly } = await store.integrity.rules(guildId);
    const texts = appMessages[locale];
    const stop = actionButton(texts.buttons.stop, { action: 'remind-off', guildId }, String(dueAt));
    const name = bold(guildName);
    if (signedLinksOnly)
      return directMessage(`${texts.reminder(name)}\n${texts.signedLinksOnly(name)}`, [stop]);
    const page = linkButton(texts.buttons.votePage, voteUrl(siteUrl, guildId));
    const vote = actionButton(texts.buttons.vote, { action: 'vote', guildId });
    return directMessage(texts.reminder(name), membersOnly ? [page, stop] : [vote, page, stop]);
  }

  async #handleFailure(
    reminder: ClaimedReminder,
    failure: DiscordFailure,
    mayBeSent: boolean,
  ): Promise<void> {
    const { store, clock, logger } = this.#deps;
    const { reason, retryAfterMs } = failure;
    const details = { reason, error: failure.message };
    this.#deps.onResult?.(RESULTS[reason]);
    switch (reason) {
      case 'limited':
        this.#pausedUntil = clock() + retryAfterMs;
        return store.reminders.retry(reminder, this.#pausedUntil, reminder.mayBeSent);
      case 'forbidden':
        logger.info(
          details,
          'discord: a user does not accept direct messages; their reminders were turned off',
        );
        return void (await store.reminders.disableAll(reminder.userId));
      case 'unauthorized':
        logger.error(details, 'discord: the bot token was rejected; check VOTARY_DISCORD_BOT_TOKEN');
        return store.reminders.retry(reminder, clock() + RETRY_UNAUTHORIZED_MS, reminder.mayBeSent);
      case 'rejected':
        logger.error(details, 'discord: a reminder was rejected');
        return store.reminders.finish(reminder);
      case 'unknown':
        logger.info(details, 'discord: a reminder will be retried');
        return store.reminders.retry(reminder, clock() + RETRY_MS, mayBeSent);
    }
  }
}

const RESULTS = {
  limited: 'limited',
  forbidden: 'refused',
  unauthorized: 'retried',
  rejected: 'rejected',
  unknown: 'retried',
} as const satisfies Record<Failure, ReminderResult>;

/** At most 25 characters, the same for every attempt. */
function nonceOf({ guildId, userId, dueAt }: ClaimedReminder): string {
  return hash('sha256', `${guildId}:${userId}:${dueAt}`, 'base64url').slice(0, 24);
}
