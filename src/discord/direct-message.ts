/** Sends a reminder to a user as a direct message. */
import { hash } from 'node:crypto';
import { isRecord } from '../domain/record.ts';
import { voteUrl } from '../domain/votes/vote-link.ts';
import type { DueReminder, SendOutcome, SendReminder } from '../reminders/worker.ts';
import { type AppMessage, actionButton, bold, directMessage, linkButton } from './interaction.ts';
import { appMessages } from './messages.ts';
import { DiscordFailure, type DiscordRest } from './rest.ts';

/** How many of the last messages are searched for one that may have been sent. */
const SEARCHED_MESSAGES = 25;

/** `siteUrl`: the public URL of the site. */
export function createReminderSender(rest: DiscordRest, siteUrl: string): SendReminder {
  /** A crash, or a lost response, leaves open whether the message arrived. Its button identifies it. */
  async function wasDelivered(channelId: string, { guildId, dueAt }: DueReminder): Promise<boolean> {
    const route = `/channels/${channelId}/messages?limit=${SEARCHED_MESSAGES}`;
    const sent = JSON.stringify(await rest.request('GET', route));
    return sent.includes(JSON.stringify(`remind-off:${guildId}:${dueAt}`));
  }

  return async (reminder) => {
    let { mayBeSent } = reminder;
    try {
      const channel = await rest.request('POST', '/users/@me/channels', { recipient_id: reminder.userId });
      const channelId = isRecord(channel) ? String(channel.id) : '';
      if (mayBeSent && (await wasDelivered(channelId, reminder))) return { kind: 'sent' };
      mayBeSent = true;
      // While an earlier attempt may still be in progress, Discord itself drops a second message with the same nonce.
      const once = { nonce: nonceOf(reminder), enforce_nonce: true };
      const message = reminderMessage(reminder, siteUrl);
      await rest.request('POST', `/channels/${channelId}/messages`, { ...message, ...once });
      return { kind: 'sent' };
    } catch (error) {
      if (error instanceof DiscordFailure) return failed(error, mayBeSent);
      throw error;
    }
  };
}

function failed({ reason, message: error, retryAfterMs }: DiscordFailure, mayBeSent: boolean): SendOutcome {
  switch (reason) {
    case 'limited':
      return { kind: reason, error, retryAfterMs };
    case 'unknown':
      return { kind: reason, error, mayBeSent };
    default:
      return { kind: reason, error };
  }
}

function reminderMessage(
  { guildId, guildName, locale, dueAt, rules }: DueReminder,
  siteUrl: string,
): AppMessage {
  const texts = appMessages[locale];
  const stop = actionButton(texts.buttons.stop, { action: 'remind-off', guildId }, String(dueAt));
  const name = bold(guildName);
  if (rules.signedLinksOnly)
    return directMessage(`${texts.reminder(name)}\n${texts.signedLinksOnly(name)}`, [stop]);
  const page = linkButton(texts.buttons.votePage, voteUrl(siteUrl, guildId));
  const vote = actionButton(texts.buttons.vote, { action: 'vote', guildId });
  return directMessage(texts.reminder(name), rules.membersOnly ? [page, stop] : [vote, page, stop]);
}

/** Is the same for every attempt, and has at most 25 characters, as Discord requires. */
function nonceOf({ guildId, userId, dueAt }: DueReminder): string {
  return hash('sha256', `${guildId}:${userId}:${dueAt}`, 'base64url').slice(0, 24);
}
