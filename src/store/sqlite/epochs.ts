import type { Instant } from '../../domain/clock.ts';
import type { Connection } from './connection.ts';

/** Starts an epoch of the feed: later than any earlier one, even if the clock was set back. */
export function beginEpoch(db: Connection, now: Instant): void {
  const insert = db.prepare(
    'INSERT INTO feed_epochs (epoch) SELECT max(?, coalesce(max(epoch), 0) + 1) FROM feed_epochs',
  );
  insert.run(now);
}
