/** Why a delivery is rejected, and what to do about it. */
export const REFUSALS = {
  INVALID_SECRET:
    'The secret is not a webhook secret: copy the one that starts with whsec_ from the dashboard.',
  BODY_NOT_RAW:
    'The body was parsed before its signature could be checked: pass the raw body, exactly as it arrived. ' +
    "With Express use express.raw({ type: 'application/json' }) on this route; with Fastify a content type parser " +
    "with { parseAs: 'string' }.",
  BODY_CUT_OFF: 'The connection was closed before the whole body arrived.',
  BODY_TOO_LARGE: 'The body is larger than any event.',
  MISSING_HEADERS: 'The headers webhook-id, webhook-timestamp and webhook-signature are required, once each.',
  INVALID_TIMESTAMP: 'The header webhook-timestamp is not a time in Unix seconds.',
  TIMESTAMP_TOO_OLD: 'The delivery was signed too long ago: check the clock of this machine.',
  TIMESTAMP_TOO_NEW: 'The delivery was signed in the future: check the clock of this machine.',
  MALFORMED_SIGNATURE:
    'The header webhook-signature contains no signature of the form v1,<base64 of 32 bytes>.',
  SIGNATURE_MISMATCH: 'The signature does not match this body and this secret.',
  INVALID_PAYLOAD: 'The signature is valid, but the body is not an event that this version understands.',
} as const;

export type WebhookRefusalReason = keyof typeof REFUSALS;
