/** Messages of the app: text that cannot mention, link or format by accident, and rows of buttons. */
import { type Instant, SECOND_MS } from '../domain/clock.ts';
import { isSnowflake } from '../domain/text.ts';

/** As Discord's API has it. `flags`: only the person who used the command sees it, and links have no preview. */
export type AppMessage = {
  content: string;
  components: { type: 1; components: Button[] }[];
  flags: number;
  allowed_mentions: { parse: [] };
};

type Button =
  | { type: 2; style: 5; label: string; url: string }
  | { type: 2; style: 1 | 2; label: string; custom_id: string };

export const EPHEMERAL = 64;
const SUPPRESS_EMBEDS = 4;

/** An answer to a command or button. */
export function answer(content: string, buttons: readonly Button[] = []): AppMessage {
  return { ...directMessage(content, buttons), flags: EPHEMERAL | SUPPRESS_EMBEDS };
}

export function directMessage(content: string, buttons: readonly Button[] = []): AppMessage {
  return {
    content,
    components: buttons.length === 0 ? [] : [{ type: 1, components: [...buttons] }],
    flags: SUPPRESS_EMBEDS,
    allowed_mentions: { parse: [] },
  };
}

export function linkButton(label: string, url: string): Button {
  return { type: 2, style: 5, label, url };
}

/** What a button does, for which guild. `mark` identifies the message that the button is on. */
export type ButtonAction = { action: (typeof ACTIONS)[number]; guildId: string };

const ACTIONS = ['vote', 'remind-on', 'remind-off'] as const;

export function actionButton(label: string, { action, guildId }: ButtonAction, mark?: string): Button {
  const parts = [action, guildId, ...(mark === undefined ? [] : [mark])];
  return { type: 2, style: action === 'vote' ? 1 : 2, label, custom_id: parts.join(':') };
}

export function readAction(customId: string): ButtonAction | undefined {
  const [name, guildId = ''] = customId.split(':');
  const action = ACTIONS.find((known) => known === name);
  return action && isSnowflake(guildId) ? { action, guildId } : undefined;
}

/** Control characters break lines; the others change the direction of the text around them. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/**
 * Untrusted text as it is. Discord reads a backslash before any ASCII punctuation as "no formatting", so neither
 * Markdown nor mentions, links, invitations and emoji codes have an effect.
 */
export function plain(text: string): string {
  const shown = text.toWellFormed().replace(UNSAFE, ' ').trim();
  return shown.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

export function bold(text: string): string {
  return `**${plain(text)}**`;
}

/** A time in the language and time zone of the reader: "in 42 minutes", or a date. */
export function relativeTime(at: Instant): string {
  return `<t:${Math.ceil(at / SECOND_MS)}:R>`;
}

export function fullTime(at: Instant): string {
  return `<t:${Math.ceil(at / SECOND_MS)}:f>`;
}
