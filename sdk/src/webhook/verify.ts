import { FieldError, parseJson } from '../fields.ts';
import { toBytes } from './bytes.ts';
import { readEvent, type WebhookEvent } from './event.ts';
import { readHeader, type WebhookHeaders } from './headers.ts';
import { REFUSALS, type WebhookRefusalReason } from './refusal.ts';
import { decodeBase64, readSecrets } from './secret.ts';

/** `whsec_…`, or several while a secret is being rotated. */
export type WebhookSecret = string | readonly string[];

export type VerifyWebhookOptions = {
  /** The maximum difference between the time of the signature and the local time, in either direction; default 300. */
  toleranceSeconds?: number | undefined;
  /** The current time in milliseconds since 1970; default `Date.now`. */
  now?: (() => number) | undefined;
};

export type WebhookVerification =
  | { valid: true; event: WebhookEvent }
  | { valid: false; reason: WebhookRefusalReason; message: string };

const TOLERANCE_SECONDS = 300;
const SIGNATURE_BYTES = 32;
/** A delivery has two signatures while a secret is being rotated. The limit keeps an attacker from causing more work. */
const MAX_SIGNATURES = 10;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

type SignedHeaders = { id: string; timestamp: string; signature: string };

/**
 * Verifies that a webhook is from your Votary service and recent (Standard Webhooks 1.0.0), and returns its event. Never
 * throws. `rawBody` is the body exactly as it arrived: JSON that was parsed and serialized again differs, so its
 * signature does not match.
 *
 *   const result = await verifyWebhook(await request.text(), request.headers, secret);
 *   if (!result.valid) return new Response(result.message, { status: 401 });
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: WebhookSecret,
  options?: VerifyWebhookOptions | null,
): Promise<WebhookVerification> {
  const keys = readSecrets(secret);
  if (!keys) return refuse('INVALID_SECRET');
  const body = toBytes(rawBody);
  if (!body) return refuse('BODY_NOT_RAW');
  const signed = readSignedHeaders(headers);
  if (!signed) return refuse('MISSING_HEADERS');
  const now = options?.now ?? Date.now;
  const timestampProblem = checkTimestamp(
    signed.timestamp,
    now() / 1000,
    options?.toleranceSeconds ?? TOLERANCE_SECONDS,
  );
  if (timestampProblem) return refuse(timestampProblem);
  const signatures = readSignatures(signed.signature);
  if (signatures.length === 0) return refuse('MALFORMED_SIGNATURE');
  const content = concat(new TextEncoder().encode(`${signed.id}.${signed.timestamp}.`), body);
  if (!(await isSignedByAny(keys, signatures, content))) return refuse('SIGNATURE_MISMATCH');
  return readSignedEvent(signed.id, body);
}

function readSignedHeaders(headers: WebhookHeaders): SignedHeaders | undefined {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signature = readHeader(headers, 'webhook-signature');
  return id && timestamp && signature ? { id, timestamp, signature } : undefined;
}

function checkTimestamp(text: string, now: number, tolerance: number): WebhookRefusalReason | undefined {
  if (!/^\d{1,12}$/.test(text)) return 'INVALID_TIMESTAMP';
  const age = Math.floor(now) - Number(text);
  // Negated, so that a tolerance of NaN rejects everything.
  if (!(age <= tolerance)) return 'TIMESTAMP_TOO_OLD';
  return age < -tolerance ? 'TIMESTAMP_TOO_NEW' : undefined;
}

/** The well-formed `v1` signatures. Other versions, such as `v1a,…`, are ignored. */
function readSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .slice(0, MAX_SIGNATURES)
    .map((part) => decodeBase64(part.slice('v1,'.length)))
    .filter((bytes) => bytes !== undefined)
    .filter((bytes) => bytes.length === SIGNATURE_BYTES);
}

async function isSignedByAny(
  keys: Uint8Array<ArrayBuffer>[],
  signatures: Uint8Array<ArrayBuffer>[],
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify']);
    for (const signature of signatures) {
      // The runtime compares in constant time.
      if (await crypto.subtle.verify(HMAC.name, key, signature, content)) return true;
    }
  }
  return false;
}

function readSignedEvent(id: string, body: Uint8Array): WebhookVerification {
  try {
    return { valid: true, event: readEvent(id, parseJson(new TextDecoder().decode(body))) };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    return refuse('INVALID_PAYLOAD', `${REFUSALS.INVALID_PAYLOAD} Reason: ${error.message}.`);
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function refuse(reason: WebhookRefusalReason, message: string = REFUSALS[reason]): WebhookVerification {
  return { valid: false, reason, message };
}
