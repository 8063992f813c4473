import { IDEMPOTENCY_KEY, type Messages } from './messages.ts';

/** What a parameter must look like, where it is not a Discord id. */
const PATTERNS: Record<string, string> = {
  [IDEMPOTENCY_KEY]: 'must be 1 to 255 visible ASCII characters.',
  month: 'must be a month such as 2026-11.',
};

export const en = {
  errors: {
    API_NOT_SET:
      'No API key was sent, or a placeholder was sent instead. Copy your key from the dashboard (Developer & API) and send it as "Authorization: Bearer <API_KEY>".',
    INVALID_API_TOKEN:
      'This API key is not valid. It may be incomplete or may have been regenerated: copy the current key from the dashboard.',
    PREMIUM_REQUIRED:
      'Listing votes requires an active Premium subscription for this community. Activation can take up to one hour.',
    MISSING_IDENTIFIER: 'Specify whose vote to check: send either discord_id or external_id.',
    MULTIPLE_IDENTIFIERS: 'Send either discord_id or external_id, not both.',
    INVALID_DATE: 'A date is not valid. Use ISO 8601 in UTC, for example 2026-01-31T00:00:00.000Z.',
    INVALID_DATE_RANGE: 'The start of the period (from) must be earlier than its end (to).',
    DATE_RANGE_TOO_LARGE: 'The period must not be longer than 31 days. Split it into several requests.',
    INVALID_CURSOR:
      'This cursor is not valid here. Send next_cursor unchanged, to the same endpoint and with the same dates.',
    INVALID_USER_ID: 'The user id must be 15 to 20 digits.',
    INVALID_VOTE_ID: 'The vote id must be vote_ followed by 32 hexadecimal digits, as returned by a claim.',
    IDEMPOTENCY_MISMATCH:
      'This Idempotency-Key was used within the last 24 hours with different parameters. Use a new key for a new request.',
    RATE_LIMITED: 'Too many requests. Wait for the number of seconds in retry_after, then try again.',
    METHOD_NOT_ALLOWED:
      'This URL does not support this method. The Allow header lists the supported methods.',
    HTTPS_REQUIRED: 'Plain HTTP is not accepted. Use the same URL with https://.',
    BAD_REQUEST: 'The request could not be understood. Check its syntax and headers.',
    REQUEST_TIMEOUT: 'The request did not arrive in time. Try again.',
    HEADERS_TOO_LARGE: 'The URL or the headers of the request are too long.',
    INTERNAL_ERROR: 'Something went wrong on our side. Try again in a moment.',
  },
  rules: {
    string: () => 'must be sent only once.',
    maxLength: (bound) => `must be at most ${bound} characters long.`,
    regex: (_bound, field) => PATTERNS[field] ?? 'must be 15 to 20 digits.',
    integer: () => 'must be an integer.',
    min: (bound) => `must be at least ${bound}.`,
    max: (bound) => `must be at most ${bound}.`,
    maxItems: (bound) => `must not be sent more than ${bound} times.`,
  },
  fieldMessage: (field, rule) => `The parameter ${field} ${rule}`,
} satisfies Messages;
