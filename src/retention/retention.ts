/**
 * Deletes expired data, one bounded batch at a time, so that requests run in between:
 *
 *   const retain = createRetention(store, { onFailure });
 *   await retain(clock());   // call often; does work once an hour
 *
 * Each kind of data is a step of its own: one that fails is reported and repeated soon, and the others go on.
 */
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../domain/clock.ts';
import { oldestKeptNetwork } from '../domain/votes/networks.ts';
import { IDEMPOTENCY_MS } from '../domain/votes/vote.ts';
import { KEEP_ACTIVITIES_MS, MAX_ACTIVITIES_PER_GUILD } from '../store/activities.ts';
import { KEEP_AUDIT_MS } from '../store/moderation/audit.ts';
import type { Store } from '../store/store.ts';
import { KEEP_USERS_MS, SESSION_MS } from '../store/users.ts';

/** How far back the delivery log and replays go. */
const KEEP_EVENTS_MS = 30 * DAY_MS;
const EVENTS_BATCH = 500;

const ACTIVITY_GUILDS_BATCH = 50;

/** The number of attempts kept in a guild's delivery log: those of its latest events. */
const MAX_ATTEMPTS_PER_GUILD = 10_000;
const ATTEMPT_GUILDS_BATCH = 50;
const ATTEMPTS_BATCH = 500;

const KEYS_BATCH = 500;

const REMOVAL_BATCH = 500;

/** Reminders of users who have not voted for this long are turned off. */
const KEEP_REMINDERS_MS = 365 * DAY_MS;
const REMINDERS_BATCH = 500;

/** How long bans are kept after they end. */
const KEEP_ENDED_BANS_MS = 30 * DAY_MS;
const OPERATOR_BATCH = 500;

const KEEP_TALLIES_MS = 365 * DAY_MS;

const INTEGRITY_BATCH = 500;

const USERS_BATCH = 500;

const ROUND_EVERY_MS = HOUR_MS;
const RETRY_MS = MINUTE_MS;

export type RetainedStore = Pick<
  Store,
  | 'guilds'
  | 'webhooks'
  | 'activities'
  | 'claims'
  | 'reminders'
  | 'moderation'
  | 'audit'
  | 'integrity'
  | 'operator'
  | 'users'
>;

/** Deletes one batch; returns true when nothing is left until the next round. */
type Step = (now: Instant) => Promise<boolean>;

type Options = {
  /** Called with the name of a step that failed. */
  onFailure(step: string, error: unknown): void;
  maxAttempts?: number;
  /** Between steps; the rest waits for the next call. */
  isStopping?(): boolean;
};

/** Never rejects. */
export function createRetention(
  store: RetainedStore,
  { onFailure, maxAttempts = MAX_ATTEMPTS_PER_GUILD, isStopping = () => false }: Options,
): (now: Instant) => Promise<void> {
  const steps: Record<string, Step> = {
    webhook_events: pruneEvents(store),
    webhook_attempts: pruneAttempts(store, maxAttempts),
    activities: pruneActivities(store),
    idempotency_keys: pruneKeys(store),
    released_claims: pruneReleases(store),
    reminders: pruneReminders(store),
    bans: pruneBans(store),
    networks_of_voided_votes: pruneVoidedNetworks(store),
    operator_log: pruneAudit(store),
    tallies: pruneTallies(store),
    networks: pruneIntegrity(store),
    users: pruneUsers(store),
    sign_outs: pruneSignOuts(store),
    removed_guilds: finishRemovals(store),
  };
  const rounds = Object.entries(steps).map(([name, step]) => ({ name, step, dueAt: 0 }));
  return async (now) => {
    for (const round of rounds) {
      if (isStopping()) return;
      if (now < round.dueAt) continue;
      try {
        if (await round.step(now)) round.dueAt = now + ROUND_EVERY_MS;
      } catch (error) {
        round.dueAt = now + RETRY_MS;
        onFailure(round.name, error);
      }
    }
  };
}

/** Continues removals that were interrupted, and those that a command is working on. */
function finishRemovals({ guilds }: Pick<Store, 'guilds'>): Step {
  return async () => {
    const [guildId] = await guilds.unfinishedRemovals(1);
    if (guildId === undefined) return true;
    await guilds.removeBatch(guildId, REMOVAL_BATCH);
    return false;
  };
}

function pruneEvents({ webhooks }: Pick<Store, 'webhooks'>): Step {
  return async (now) => (await webhooks.prune(now - KEEP_EVENTS_MS, EVENTS_BATCH)) < EVENTS_BATCH;
}

function pruneAttempts({ webhooks }: Pick<Store, 'webhooks'>, keep: number): Step {
  let after = '';
  return async () => {
    for (let guilds = 0; guilds < ATTEMPT_GUILDS_BATCH; guilds += 1) {
      const pruned = await webhooks.pruneAttempts({ after, keep, limit: ATTEMPTS_BATCH });
      if (!pruned) {
        after = '';
        return true;
      }
      // A full batch means that this guild has more to delete.
      if (pruned.dropped < ATTEMPTS_BATCH) after = pruned.guildId;
      await yieldToRequests();
    }
    return false;
  };
}

function pruneKeys({ claims }: Pick<Store, 'claims'>): Step {
  return async (now) => (await claims.pruneKeys(now - IDEMPOTENCY_MS, KEYS_BATCH)) < KEYS_BATCH;
}

/** The next claim of such a vote has a later time anyway, unless a clock is a day behind. */
function pruneReleases({ claims }: Pick<Store, 'claims'>): Step {
  return async (now) => (await claims.pruneReleases(now - IDEMPOTENCY_MS, KEYS_BATCH)) < KEYS_BATCH;
}

function pruneReminders({ reminders }: Pick<Store, 'reminders'>): Step {
  return async (now) => (await reminders.prune(now - KEEP_REMINDERS_MS, REMINDERS_BATCH)) < REMINDERS_BATCH;
}

function pruneBans({ moderation }: Pick<Store, 'moderation'>): Step {
  return async (now) =>
    (await moderation.pruneBans(now - KEEP_ENDED_BANS_MS, OPERATOR_BATCH)) < OPERATOR_BATCH;
}

function pruneVoidedNetworks({ moderation }: Pick<Store, 'moderation'>): Step {
  return async (now) =>
    (await moderation.pruneNetworks(oldestKeptNetwork(now), OPERATOR_BATCH)) < OPERATOR_BATCH;
}

function pruneAudit({ audit }: Pick<Store, 'audit'>): Step {
  return async (now) => (await audit.prune(now - KEEP_AUDIT_MS, OPERATOR_BATCH)) < OPERATOR_BATCH;
}

function pruneIntegrity({ integrity }: Pick<Store, 'integrity'>): Step {
  return async (now) => (await integrity.prune(now, INTEGRITY_BATCH)) < INTEGRITY_BATCH;
}

function pruneUsers({ users }: Pick<Store, 'users'>): Step {
  return async (now) => (await users.prune(now - KEEP_USERS_MS, USERS_BATCH)) < USERS_BATCH;
}

function pruneSignOuts({ users }: Pick<Store, 'users'>): Step {
  return async (now) => (await users.pruneSignOuts(now - SESSION_MS, USERS_BATCH)) < USERS_BATCH;
}

function pruneTallies({ operator }: Pick<Store, 'operator'>): Step {
  return async (now) => {
    await operator.pruneTallies(now - KEEP_TALLIES_MS);
    return true;
  };
}

function pruneActivities({ activities }: Pick<Store, 'activities'>): Step {
  let position = '';
  return async (now) => {
    const rule = { before: now - KEEP_ACTIVITIES_MS, maxRows: MAX_ACTIVITIES_PER_GUILD };
    position = (await activities.prune(rule, position, ACTIVITY_GUILDS_BATCH)) ?? '';
    return position === '';
  };
}
