/**
 * Interactions: verifies and parses what Discord sends, and builds the responses. Bodies are parsed only if their
 * signature is valid, and text in responses cannot mention, link or format by accident.
 *
 *   const verify = createVerifier(publicKey);
 *   if (!verify({ signature, timestamp, body }, clock())) …        // 401
 *   const interaction = readInteraction(body);
 */
import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { isSnowflake } from '../domain/identifiers.ts';
import { chooseLocale, type Locale } from '../domain/locale.ts';
import { isRecord } from '../domain/record.ts';

export type SignedBody = { signature: string; timestamp: string; body: Buffer };

/** Older interactions are rejected: Discord expects a response within three seconds. */
export const MAX_AGE_MS = 5 * MINUTE_MS;

/** The DER header of an Ed25519 public key, which Discord leaves out. */
const SPKI_PREFIX = '302a300506032b6570032100';

/** Whether the application of this key signed the body, at a time close to now. */
export function createVerifier(publicKey: string): (signed: SignedBody, now: Instant) => boolean {
  const der = Buffer.from(SPKI_PREFIX + publicKey, 'hex');
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return ({ signature, timestamp, body }, now) => {
    if (!/^[0-9a-f]{128}$/i.test(signature) || !/^\d{1,12}$/.test(timestamp)) return false;
    if (Math.abs(Number(timestamp) * SECOND_MS - now) > MAX_AGE_MS) return false;
    return verifySignature(
      null,
      Buffer.concat([Buffer.from(timestamp), body]),
      key,
      Buffer.from(signature, 'hex'),
    );
  };
}

/** Who triggered the interaction, and where. `guildId` is null in direct messages. */
export type Caller = { userId: string; guildId: string | null; locale: Locale };

/** The values that are needed to edit the response later. */
export type FollowUp = { applicationId: string; token: string };

export type Interaction =
  | { kind: 'ping' }
  /** `option` is the subcommand. */
  | ({ kind: 'command'; name: string; option: string | null } & Caller & FollowUp)
  | ({ kind: 'button'; customId: string } & Caller & FollowUp);

const PING = 1;
const COMMAND = 2;
const COMPONENT = 3;

/** `undefined`: not an interaction that this application asked for. */
export function readInteraction(body: Buffer): Interaction | undefined {
  const payload = parse(body);
  if (!isRecord(payload)) return undefined;
  if (payload.type === PING) return { kind: 'ping' };
  const details = readDetails(payload);
  const { data } = payload;
  if (!details || !isRecord(data)) return undefined;
  if (payload.type === COMMAND && typeof data.name === 'string') {
    return { kind: 'command', name: data.name, option: subcommandOf(data), ...details };
  }
  if (payload.type === COMPONENT && typeof data.custom_id === 'string') {
    return { kind: 'button', customId: data.custom_id, ...details };
  }
  return undefined;
}

/** In a guild the user is inside `member`, in a direct message at the top. */
function readDetails(payload: Readonly<Record<string, unknown>>): (Caller & FollowUp) | undefined {
  const { token, application_id: applicationId, guild_id: guildId = null, member, locale } = payload;
  const user = isRecord(member) ? member.user : payload.user;
  const userId = isRecord(user) ? user.id : undefined;
  if (!isId(userId) || !isId(applicationId) || typeof token !== 'string' || token === '') return undefined;
  if (guildId !== null && !isId(guildId)) return undefined;
  const language = typeof locale === 'string' ? chooseLocale({ parameter: locale }) : chooseLocale({});
  return { userId, guildId, locale: language, applicationId, token };
}

function subcommandOf({ options }: Readonly<Record<string, unknown>>): string | null {
  const first: unknown = Array.isArray(options) ? options[0] : undefined;
  return isRecord(first) && typeof first.name === 'string' ? first.name : null;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isSnowflake(value);
}

/**
 * A message in the format of Discord's API. `flags`: only the person who used the command sees it, and links have no
 * preview.
 */
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

/** A response to a command or button. */
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
 * Untrusted text as plain text. Discord reads a backslash before any ASCII punctuation as "no formatting", so
 * Markdown, mentions, links, invitations and emoji codes have no effect.
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
