/**
 * Deletes what is no longer kept, one bounded batch at a time, so that requests get their turn in between:
 *
 *   const retain = createRetention(store);
 *   await retain(clock());   // called often; has something to do once an hour
 */
import { DAY_MS, HOUR_MS, type Instant } from '../domain/clock.ts';
import { KEEP_ACTIVITIES_MS, MAX_ACTIVITIES_PER_GUILD } from './activities.ts';
import type { Store } from './store.ts';

/** The delivery log, and what can be replayed, reaches back this far. */
const KEEP_EVENTS_MS = 30 * DAY_MS;
const EVENTS_BATCH = 500;

const ACTIVITY_GUILDS_BATCH = 50;

const ROUND_EVERY_MS = HOUR_MS;

export type RetainedStore = Pick<Store, 'webhooks' | 'activities'>;

/** Deletes one batch; `true` when there is nothing left to delete until the next round. */
type Step = (now: Instant) => Promise<boolean>;

export function createRetention(store: RetainedStore): (now: Instant) => Promise<void> {
  const rounds = [pruneEvents(store), pruneActivities(store)].map((step) => ({ step, dueAt: 0 }));
  return async (now) => {
    for (const round of rounds) {
      if (now >= round.dueAt && (await round.step(now))) round.dueAt = now + ROUND_EVERY_MS;
    }
  };
}

function pruneEvents({ webhooks }: Pick<Store, 'webhooks'>): Step {
  return async (now) => (await webhooks.prune(now - KEEP_EVENTS_MS, EVENTS_BATCH)) < EVENTS_BATCH;
}

function pruneActivities({ activities }: Pick<Store, 'activities'>): Step {
  let position = '';
  return async (now) => {
    const rule = { before: now - KEEP_ACTIVITIES_MS, maxRows: MAX_ACTIVITIES_PER_GUILD };
    position = (await activities.prune(rule, position, ACTIVITY_GUILDS_BATCH)) ?? '';
    return position === '';
  };
}
