/**
 * Signatures of the Standard Webhooks specification, version 1: HMAC-SHA256 over `id.timestamp.body`.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { type Instant, SECOND_MS } from '../clock.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export type SignedMessage = { id: string; at: Instant; body: string };

export function generateWebhookSecret(random: (size: number) => Buffer = randomBytes): string {
  return SECRET_PREFIX + random(SECRET_BYTES).toString('base64');
}

/**
 * The headers that a receiver verifies. During a secret rotation there are two signatures, and either one is enough.
 */
export function signatureHeaders(
  { id, at, body }: SignedMessage,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at / SECOND_MS));
  const content = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(content, secret)}`).join(' '),
  };
}

function sign(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
