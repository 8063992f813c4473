/**
 * Responses that are returned again for a repeated Idempotency-Key of the management API:
 *
 *   const reservation = await store.responses.reserve({ tokenId, key, requestHash, now });
 *   if (reservation.kind === 'reserved') … process the request, then `complete` or `release`
 *
 * A reservation keeps other requests with the same key waiting, in any process. After a crash it expires.
 */
import { DAY_MS, type Instant, MINUTE_MS } from '../domain/clock.ts';
import type { Database } from './database.ts';

/** Which request has this key. */
export type KeyedRequest = { tokenId: string; key: string; requestHash: string; now: Instant };

/** `since` identifies the reservation among those of the same key. */
export type Reservation = { tokenId: string; key: string; since: Instant };

export type StoredResponse = { status: number; sealedBody: string };

export type ReserveOutcome =
  | { kind: 'reserved'; reservation: Reservation }
  | { kind: 'stored'; response: StoredResponse }
  /** Another request with the same key is being processed. */
  | { kind: 'busy' }
  /** The key was used within the last 24 hours with another request. */
  | { kind: 'mismatch' };

export interface StoredResponseStore {
  reserve(request: KeyedRequest): Promise<ReserveOutcome>;
  complete(reservation: Reservation, response: StoredResponse): Promise<void>;
  /** The key counts as unused. */
  release(reservation: Reservation): Promise<void>;
  /** Deletes at most `limit` responses from before `before`. Returns the number. */
  prune(before: Instant, limit: number): Promise<number>;
}

/** How long a response is returned again. */
export const KEEP_RESPONSES_MS = DAY_MS;

/** A request that takes longer than this has ended with its process. */
export const ABANDONED_AFTER_MS = 2 * MINUTE_MS;

type ResponseRow = { request_hash: string; status: number | null; body: string | null };

/** The primary key, in every statement that does not name an index. */
export function createStoredResponseStore({
  read,
  write,
  dialect: { indexedBy, lock },
}: Database): StoredResponseStore {
  const reserve = write(`
    INSERT INTO stored_responses (token_id, key, request_hash, created_at)
    VALUES (@tokenId, @key, @requestHash, @now)
    ON CONFLICT (token_id, key) DO UPDATE
      SET request_hash = excluded.request_hash, created_at = excluded.created_at, status = NULL, body = NULL
      WHERE stored_responses.created_at <= @expired
        OR (stored_responses.body IS NULL AND stored_responses.created_at <= @abandoned)`);
  const find = read<ResponseRow>(
    'SELECT request_hash, status, body FROM stored_responses WHERE token_id = @tokenId AND key = @key',
  );
  const complete = write(`
    UPDATE stored_responses SET status = @status, body = @body
    WHERE token_id = @tokenId AND key = @key AND created_at = @since AND body IS NULL`);
  const release = write(`
    DELETE FROM stored_responses
    WHERE token_id = @tokenId AND key = @key AND created_at = @since AND body IS NULL`);
  // Index stored_responses_by_age. Rows that another process is deleting are skipped.
  const prune = write(`
    DELETE FROM stored_responses WHERE (token_id, key) IN (
      SELECT token_id, key FROM stored_responses ${indexedBy('stored_responses_by_age')}
      WHERE created_at < @before LIMIT @limit + 0 ${lock('FOR UPDATE SKIP LOCKED')}
    )`);
  return {
    async reserve({ tokenId, key, requestHash, now }) {
      const limits = { expired: now - KEEP_RESPONSES_MS, abandoned: now - ABANDONED_AFTER_MS };
      if ((await reserve({ tokenId, key, requestHash, now, ...limits })) > 0)
        return { kind: 'reserved', reservation: { tokenId, key, since: now } };
      const [row] = await find({ tokenId, key });
      // Released in between: the caller tries again.
      if (!row) return { kind: 'busy' };
      if (row.request_hash !== requestHash) return { kind: 'mismatch' };
      const { status, body } = row;
      if (status === null || body === null) return { kind: 'busy' };
      return { kind: 'stored', response: { status, sealedBody: body } };
    },
    async complete({ tokenId, key, since }, { status, sealedBody: body }) {
      await complete({ tokenId, key, since, status, body });
    },
    async release({ tokenId, key, since }) {
      await release({ tokenId, key, since });
    },
    prune: (before, limit) => prune({ before, limit }),
  };
}
