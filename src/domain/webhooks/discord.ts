/** Messages in Discord channels: the webhook URLs people enter, their templates, and the message of an event. */

import type { Locale } from '../locale.ts';
import { isRecord } from '../record.ts';
import { GOAL_PERIODS } from '../votes/goal.ts';
import { channelMessages } from './discord-messages.ts';
import type { SubscribableEvent, WebhookEventType } from './event.ts';
import { eventData } from './payload.ts';

/** Discord's own API; VOTARY_DISCORD_API names another. */
export const DISCORD_API = 'https://discord.com/api/v10';

/** Discord counts the limits of an embed in characters; staying below them in UTF-16 units fits either way. */
const MAX_DESCRIPTION = 4096;
const MAX_TITLE = 256;
const MAX_NAME = 64;

export const TEMPLATE_MAX_LENGTH = 1000;

const HOSTS = /^(?:ptb\.|canary\.)?discord(?:app)?\.com$/;
const PATH = /^\/api(?:\/v\d{1,2})?\/webhooks\/(\d{15,20})\/([\w-]{60,100})\/?$/;

/** `url` identifies the webhook and is not secret; with the token, anyone can post in the channel. */
export type DiscordWebhook = { url: string; token: string };

/** Reads the URL that Discord shows for a channel webhook; `undefined` for anything else. */
export function parseDiscordUrl(text: string): DiscordWebhook | undefined {
  const url = URL.parse(text.trim());
  if (!url || !isDiscordUrl(url) || url.port !== '' || url.username !== '' || url.password !== '')
    return undefined;
  const [, id, token] = PATH.exec(url.pathname) ?? [];
  if (id === undefined || token === undefined) return undefined;
  const thread = url.searchParams.get('thread_id');
  const query = thread !== null && /^\d{15,20}$/.test(thread) ? `?thread_id=${thread}` : '';
  return { url: `https://discord.com/api/webhooks/${id}${query}`, token };
}

/** Whether a URL belongs to Discord's webhooks, complete or not. */
export function isDiscordUrl(url: URL): boolean {
  return url.protocol === 'https:' && HOSTS.test(url.hostname) && url.pathname.startsWith('/api/');
}

/** Where a message is posted. `api` is the base URL of Discord's API. */
export function postUrl({ url, token }: DiscordWebhook, api: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.set('wait', 'true');
  return `${api}/webhooks/${pathname.split('/').at(-1)}/${token}?${searchParams}`;
}

/** The texts of an endpoint; an event without one gets the default text. */
export type Templates = Partial<Record<SubscribableEvent, string>>;

const EVERYWHERE = ['user', 'community', 'link'] as const;

export const TEMPLATE_FIELDS: Record<SubscribableEvent, readonly string[]> = {
  vote_received: [...EVERYWHERE, 'total', 'streak', 'month'],
  vote_available: EVERYWHERE,
  reward_granted: EVERYWHERE,
  vote_voided: EVERYWHERE,
  goal_reached: ['community', 'link', 'goal', 'votes', 'period'],
};

/** Anything in braces, so that a misspelled field is detected before it appears in the channel. */
const FIELD = /(\{[^{}\n]*\})/;
const CONTROL = /[^\P{Cc}\n]/u;

/** Whether a template is short enough and has only fields that its event has. */
export function isTemplate(event: SubscribableEvent, text: string): boolean {
  if (Array.from(text).length > TEMPLATE_MAX_LENGTH || !text.isWellFormed() || CONTROL.test(text))
    return false;
  const fields = text.split(FIELD).filter((_, index) => index % 2 === 1);
  return fields.every((field) => TEMPLATE_FIELDS[event].includes(field.slice(1, -1)));
}

/** The text for endpoints without a template. */
export function defaultTemplate(event: SubscribableEvent, language: Locale): string {
  return channelMessages[language].messages[event];
}

export type MessageContext = {
  community: string;
  /** The page to vote on; null when the public URL of the site is not known. */
  link: string | null;
  language: Locale;
  templates: Templates;
};

const COLORS: Partial<Record<WebhookEventType, number>> = { vote_voided: 0xc0392b, webhook_test: 0x7f8c8d };
const COLOR = 0x2f6fed;

/** The body to post for an event. Names are escaped, and nobody is notified, whatever they contain. */
export function discordMessage(type: WebhookEventType, body: string, context: MessageContext): string {
  const { community, link, language } = context;
  const { messages, labels, days, periods, test, voteNow } = channelMessages[language];
  const event: unknown = JSON.parse(body);
  const data = eventData(body);
  const { total_votes: total, streak_days: streak, votes_this_month: month } = data;
  const template = type === 'webhook_test' ? undefined : context.templates[type];
  const period = GOAL_PERIODS.find((known) => known === data.period);
  const values = {
    ...{ user: userName(data), community: escapeMarkdown(community), link, total, streak, month },
    ...{ goal: data.goal, votes: data.votes, period: period && periods[period] },
  };
  const text = template ?? messages[type] + (link === null ? '' : `\n[${voteNow}]({link})`);
  const field = (name: string, value: unknown) =>
    typeof value === 'number'
      ? [{ name, value: name === labels.streak ? days(value) : String(value), inline: true }]
      : [];
  const fields = [
    ...field(labels.total, total),
    ...field(labels.streak, streak),
    ...field(labels.month, month),
  ];
  const embed = {
    title: escapeMarkdown(community).slice(0, MAX_TITLE),
    ...(link === null ? {} : { url: link }),
    description: render(text, values),
    color: COLORS[type] ?? COLOR,
    ...(isRecord(event) ? { timestamp: event.timestamp } : {}),
    // A template decides which figures to show.
    ...(template === undefined && fields.length > 0 ? { fields } : {}),
    ...(data.test === true ? { footer: { text: test } } : {}),
  };
  return JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } });
}

/** The name the vote was cast under, else a mention, which Discord shows as a name and which notifies nobody. */
function userName({ external_id: name, user_id: id }: Readonly<Record<string, unknown>>): string {
  const shown = typeof name === 'string' ? escapeMarkdown(name) : '';
  return shown.trim() === '' ? `<@${id}>` : shown;
}

/** Whole pieces only: cutting between a backslash and its character would undo the escaping. */
function render(template: string, values: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [index, part] of template.split(FIELD).entries()) {
    const pieces = index % 2 === 1 ? [String(values[part.slice(1, -1)] ?? '–')] : Array.from(part);
    for (const piece of pieces) {
      if (text.length + piece.length >= MAX_DESCRIPTION) return `${text}…`;
      text += piece;
    }
  }
  return text;
}

/** Characters that start a new line, or change the direction or the look of what follows them. */
const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const INVISIBLE = /[\p{Cf}\u115f\u1160\u3164\uffa0]/gu;
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** A name as plain text: on one line, without markdown, links, mentions and time stamps. */
export function escapeMarkdown(text: string): string {
  const characters = Array.from(text.replace(LINE_BREAKS, ' ').replace(INVISIBLE, ''));
  const cut = characters.length > MAX_NAME ? [...characters.slice(0, MAX_NAME - 1), '…'] : characters;
  return cut.join('').replace(PUNCTUATION, '\\$&');
}
