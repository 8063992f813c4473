/** Responses of the API. */
export const GUILD = '100000000000000001';
export const USER = '200000000000000001';

export const VOTED = {
  ok: true,
  guild_id: GUILD,
  has_voted: true,
  is_doubled: true,
  last_vote_at: '2026-11-15T11:30:00.000Z',
  next_vote_at: '2026-11-15T12:30:00.000Z',
  cooldown_remaining_seconds: 1800,
};

export const NOT_VOTED = {
  ok: true,
  guild_id: GUILD,
  has_voted: false,
  is_doubled: false,
  last_vote_at: null,
  next_vote_at: null,
  cooldown_remaining_seconds: 0,
};

export function rateLimited(retryAfter: number) {
  return {
    status: 429,
    body: { ok: false, error: 'RATE_LIMITED', message: 'Too many requests.', retry_after: retryAfter },
    headers: { 'retry-after': String(retryAfter) },
  };
}

type PageFields = {
  timestamps?: string[];
  from?: string | null;
  to?: string | null;
  nextCursor?: string | null;
};

export function pageBody({ timestamps = [], from, to, nextCursor = null }: PageFields = {}) {
  return {
    ok: true,
    guild_id: GUILD,
    votes: timestamps.map((timestamp) => ({ user_id: USER, timestamp, is_doubled: false })),
    total: timestamps.length,
    pagination: { limit: 100, has_more: nextCursor !== null, next_cursor: nextCursor },
    period: { from: from ?? '2026-11-01T00:00:00.000Z', to: to ?? '2026-11-15T12:00:00.000Z' },
  };
}
