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
import { keptSince } from '../domain/votes/period.ts';
import { IDEMPOTENCY_MS } from '../domain/votes/vote.ts';
import { KEEP_ACTIVITIES_MS, MAX_ACTIVITIES_PER_GUILD } from '../store/activities.ts';
import { KEEP_REACHED_GOALS_MS } from '../store/guilds/goals.ts';
import { KEEP_DUE_MEMBERS_MS } from '../store/guilds/voter-roles.ts';
import { KEEP_AUDIT_MS } from '../store/moderation/audit.ts';
import { KEEP_ENDED_TOKENS_MS } from '../store/moderation/tokens.ts';
import type { Store } from '../store/store.ts';
import { KEEP_RESPONSES_MS } from '../store/stored-responses.ts';
import { KEEP_USERS_MS, SESSION_MS } from '../store/users.ts';
import { FIRST_OLD_VOTES } from '../store/votes/old-votes.ts';

/** Rows that one statement deletes. */
const BATCH_SIZE = 500;

/** How far back the delivery log and replays go. */
const KEEP_EVENTS_MS = 30 * DAY_MS;

const ACTIVITY_GUILDS_BATCH = 50;

/** The number of attempts kept in a guild's delivery log: those of its latest events. */
const MAX_ATTEMPTS_PER_GUILD = 10_000;
const ATTEMPT_GUILDS_BATCH = 50;

/** Reminders of users who have not voted for this long are turned off. */
const KEEP_REMINDERS_MS = 365 * DAY_MS;

/** How long bans are kept after they end. */
const KEEP_ENDED_BANS_MS = 30 * DAY_MS;

const KEEP_TALLIES_MS = 365 * DAY_MS;

const ROUND_EVERY_MS = HOUR_MS;
const RETRY_MS = MINUTE_MS;

export type RetainedStore = Pick<
  Store,
  | 'guilds'
  | 'goals'
  | 'voterRoles'
  | 'webhooks'
  | 'activities'
  | 'claims'
  | 'reminders'
  | 'moderation'
  | 'audit'
  | 'integrity'
  | 'operator'
  | 'users'
  | 'oldVotes'
  | 'tokens'
  | 'responses'
>;

/** Deletes one batch; returns true when nothing is left until the next round. */
type Step = (now: Instant) => Promise<boolean>;

type Options = {
  /** Called with the name of a step that failed. */
  onFailure(step: string, error: unknown): void;
  maxAttempts?: number;
  /** Votes are deleted after so many days; null: never. */
  keepVotesDays?: number | null;
  /** Between steps; the rest waits for the next call. */
  isStopping?(): boolean;
};

/** Never rejects. */
export function createRetention(
  store: RetainedStore,
  {
    onFailure,
    maxAttempts = MAX_ATTEMPTS_PER_GUILD,
    keepVotesDays = null,
    isStopping = () => false,
  }: Options,
): (now: Instant) => Promise<void> {
  const { webhooks, claims, reminders, moderation, audit, integrity, users, tokens, responses } = store;
  const steps: Record<string, Step> = {
    webhook_events: inBatches((now, limit) => webhooks.prune(now - KEEP_EVENTS_MS, limit)),
    webhook_attempts: pruneAttempts(store, maxAttempts),
    activities: pruneActivities(store),
    idempotency_keys: inBatches((now, limit) => claims.pruneKeys(now - IDEMPOTENCY_MS, limit)),
    // The next claim of such a vote has a later time anyway, unless a clock is a day behind.
    released_claims: inBatches((now, limit) => claims.pruneReleases(now - IDEMPOTENCY_MS, limit)),
    reached_goals: inBatches((now, limit) => store.goals.prune(now - KEEP_REACHED_GOALS_MS, limit)),
    voter_roles: inBatches((now, limit) => store.voterRoles.prune(now - KEEP_DUE_MEMBERS_MS, limit)),
    reminders: inBatches((now, limit) => reminders.prune(now - KEEP_REMINDERS_MS, limit)),
    bans: inBatches((now, limit) => moderation.pruneBans(now - KEEP_ENDED_BANS_MS, limit)),
    networks_of_voided_votes: inBatches((now, limit) =>
      moderation.pruneNetworks(oldestKeptNetwork(now), limit),
    ),
    operator_log: inBatches((now, limit) => audit.prune(now - KEEP_AUDIT_MS, limit)),
    tokens: inBatches((now, limit) => tokens.prune(now - KEEP_ENDED_TOKENS_MS, limit)),
    stored_responses: inBatches((now, limit) => responses.prune(now - KEEP_RESPONSES_MS, limit)),
    tallies: pruneTallies(store),
    networks: inBatches((now, limit) => integrity.prune(now, limit)),
    users: inBatches((now, limit) => users.prune(now - KEEP_USERS_MS, limit)),
    sign_outs: inBatches((now, limit) => users.pruneSignOuts(now - SESSION_MS, limit)),
    removed_guilds: finishRemovals(store),
    ...(keepVotesDays === null ? {} : { votes: pruneVotes(store, keepVotesDays) }),
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

/** `prune` returns how many rows it deleted; fewer than `limit` means that nothing is left. */
function inBatches(prune: (now: Instant, limit: number) => Promise<number>): Step {
  return async (now) => (await prune(now, BATCH_SIZE)) < BATCH_SIZE;
}

/** Continues removals that were interrupted, and those that a command is working on. */
function finishRemovals({ guilds }: Pick<Store, 'guilds'>): Step {
  return async () => {
    const [guildId] = await guilds.unfinishedRemovals(1);
    if (guildId === undefined) return true;
    await guilds.removeBatch(guildId, BATCH_SIZE);
    return false;
  };
}

function pruneAttempts({ webhooks }: Pick<Store, 'webhooks'>, keep: number): Step {
  let after = '';
  return async () => {
    for (let guilds = 0; guilds < ATTEMPT_GUILDS_BATCH; guilds += 1) {
      const pruned = await webhooks.pruneAttempts({ after, keep, limit: BATCH_SIZE });
      if (!pruned) {
        after = '';
        return true;
      }
      // A full batch means that this guild has more to delete.
      if (pruned.dropped < BATCH_SIZE) after = pruned.guildId;
      await yieldToRequests();
    }
    return false;
  };
}

/** The rest waits for the next call: votes are still being cast. A batch is of one guild, and can be small. */
const VOTES_AT_ONCE = 4 * BATCH_SIZE;
const VOTE_BATCHES_AT_ONCE = 25;

function pruneVotes({ oldVotes }: Pick<Store, 'oldVotes'>, keepDays: number): Step {
  let position = FIRST_OLD_VOTES;
  return async (now) => {
    let votes = 0;
    for (let batch = 0; batch < VOTE_BATCHES_AT_ONCE && votes < VOTES_AT_ONCE; batch += 1) {
      const pruned = await oldVotes.prune(keptSince(now, keepDays), position, BATCH_SIZE);
      position = pruned?.next ?? FIRST_OLD_VOTES;
      if (!pruned) return true;
      votes += pruned.dropped;
      await yieldToRequests();
    }
    return false;
  };
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
