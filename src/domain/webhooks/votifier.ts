/**
 * Votifier v2, the protocol by which Minecraft servers (NuVotifier) receive votes. The server greets with a challenge,
 * the client sends one signed vote, and the server answers in JSON.
 */
import { createHmac } from 'node:crypto';
import { isRecord } from '../record.ts';
import { checkWebhookUrl, type ReachRule, type WebhookUrlFault } from './destination.ts';
import type { FailureCode } from './failure-messages.ts';

const DEFAULT_PORT = 8192;
const MAGIC = 0x733a;
const HEADER_BYTES = 4;

/** Letters, digits and what appears in host names: the frame must be ASCII, and servers list it in their settings. */
const SERVICE_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;
const TOKEN = /^[!-~]{1,256}$/;
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?$/;

/** A Java name has 3 to 16 of these; names of Bedrock players start with a prefix, mostly a dot. */
const NAME = /^[.*~+!-]?[A-Za-z0-9_]+$/;
const MIN_NAME = 3;
const MAX_VOTIFIER_NAME = 16;

export const DEFAULT_SERVICE_NAME = 'Votary';

export function isServiceName(text: string): boolean {
  return SERVICE_NAME.test(text);
}

export function isVotifierToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Reads `host` or `host:port` as votifier://host:port, if a connection to it is allowed. */
export function parseVotifierAddress(
  text: string,
  rule: ReachRule,
): { ok: true; url: string } | { ok: false; fault: WebhookUrlFault } {
  const [, host, port = String(DEFAULT_PORT)] = ADDRESS.exec(text.trim()) ?? [];
  if (host === undefined || Number(port) > 65535) return { ok: false, fault: 'not-a-url' };
  const checked = checkWebhookUrl(`https://${host}:${port}/`, rule);
  if (!checked.ok) return checked;
  return { ok: true, url: `votifier://${new URL(checked.url).hostname}:${Number(port)}` };
}

/** The address as users enter it. */
export function votifierAddress(url: string): string {
  return url.replace(/^votifier:\/\//, '');
}

/** The name to send, or why a server would not accept it. */
export function votifierName(externalId: unknown): { name: string } | { failure: FailureCode } {
  if (typeof externalId !== 'string' || externalId === '') return { failure: 'NAME_MISSING' };
  if (externalId.length > MAX_VOTIFIER_NAME) return { failure: 'NAME_TOO_LONG' };
  const isName = externalId.length >= MIN_NAME && NAME.test(externalId);
  return isName ? { name: externalId } : { failure: 'NAME_NOT_MINECRAFT' };
}

/** The challenge of the first line that a server sends, or what the server is instead. */
export function parseGreeting(line: string): { challenge: string } | { failure: FailureCode } {
  const [, version, challenge] = /^VOTIFIER (\d+)(?:\.[\w.]+)?(?: (\S+))?\s*$/.exec(line) ?? [];
  if (version === undefined) return { failure: 'NOT_VOTIFIER' };
  return Number(version) >= 2 && challenge !== undefined ? { challenge } : { failure: 'VOTIFIER_V1' };
}

export type VotifierVote = { serviceName: string; username: string; timestamp: number };

/** A placeholder: servers require the address of the voter, which Votary does not store. */
const NO_ADDRESS = '127.0.0.1';

/** The frame of one vote. */
export function encodeVote(vote: VotifierVote, challenge: string, token: string): Buffer {
  const payload = JSON.stringify({ ...vote, address: NO_ADDRESS, challenge });
  const signature = createHmac('sha256', token).update(payload).digest('base64');
  const message = Buffer.from(JSON.stringify({ payload, signature }));
  const frame = Buffer.alloc(HEADER_BYTES);
  frame.writeUInt16BE(MAGIC, 0);
  frame.writeUInt16BE(message.length, 2);
  return Buffer.concat([frame, message]);
}

/** The meaning of NuVotifier's error messages, by a part of their text. */
const REASONS: readonly [RegExp, FailureCode][] = [
  [/username too long/i, 'NAME_TOO_LONG'],
  [/signature|invalid token/i, 'VOTIFIER_WRONG_TOKEN'],
  [/unknown service/i, 'VOTIFIER_UNKNOWN_SERVICE'],
];

/** What a reply means: null for an accepted vote; `undefined` while the text is not a complete reply. */
export function parseReply(text: string): FailureCode | null | undefined {
  const reply = parseJson(text);
  if (!isRecord(reply)) return undefined;
  if (reply.status === 'ok') return null;
  const message = [reply.cause, reply.error, reply.errorMessage].join(' ');
  return REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? 'VOTIFIER_REJECTED';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
