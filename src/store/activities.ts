/**
 * The activity log of a guild, for its admins: who generated or revealed a key, and who changed what.
 *
 *   await store.activities.record({ guildId, at, actor, action: 'key_shown' });
 */
import { hash } from 'node:crypto';
import { DAY_MS, HOUR_MS, type Instant } from '../domain/clock.ts';
import type { ProfileInput } from '../domain/guild.ts';
import type { DoublingRule } from '../domain/votes/vote.ts';
import type { SubscribableEvent } from '../domain/webhooks/event.ts';
import type { GuildRules } from './moderation/integrity.ts';

/** `actor` is null for the operator's command line. */
export type Activity = {
  guildId: string;
  at: Instant;
  actor: { userId: string; name: string } | null;
  action: ActivityAction;
  detail?: ActivityDetail;
};

export type ActivityAction =
  | 'guild_listed'
  | 'guild_renamed'
  | 'guild_hidden'
  | 'guild_shown'
  | 'profile_changed'
  | 'key_generated'
  | 'key_shown'
  | 'key_copied'
  | 'key_revoked'
  | 'doubling_changed'
  | 'rules_changed'
  | 'link_secret_rotated'
  | 'link_secret_revoked'
  | 'link_secret_shown'
  | 'name_rule_changed'
  | 'claim_released'
  | 'webhook_changed'
  | 'webhook_secret_shown';

/** What was changed, without secrets: only the host of a URL, because its path may contain one. */
export type ActivityDetail = {
  endpoint?: EndpointLabel;
  change?: EndpointChange;
  doubling?: Change<DoublingRule>;
  rules?: Change<GuildRules>;
  oneRewardPerName?: Change<boolean>;
  guildName?: Change<string>;
  /** The changed fields, as submitted in the form. */
  profile?: Partial<Record<keyof ProfileInput, Change<string>>>;
  /** The vote whose claim was released. */
  vote?: { id: string; castAt: Instant };
};

/** An endpoint as it was at that time. */
export type EndpointLabel = { id: string; name: string | null; host: string };

export type EndpointChange =
  | { kind: 'added' | 'removed' | 'enabled' | 'paused' | 'resumed' | 'secret_rotated' | 'secret_replaced' }
  | {
      kind: 'edited';
      host?: Change<string>;
      events?: Change<SubscribableEvent[]>;
      name?: Change<string | null>;
      /** The texts of a channel, or the service name of a server. */
      options?: true;
      /** A new token. */
      token?: true;
    };

type Change<T> = { from: T; to: T };

/** The same action `count` times from `firstAt` to `at`, all within one hour. */
export type RecordedActivity = Activity & { firstAt: Instant; count: number };

/** Keeps entries newer than `before`, at most `maxRows` per guild. */
export type RetentionRule = { before: Instant; maxRows: number };

export interface ActivityStore {
  /**
   * Actions that the same actor repeats within a clock hour are counted in one entry. Ignored for a guild that was
   * removed in the meantime.
   */
  record(activity: Activity): Promise<void>;
  /** Newest first, at most 200. */
  recent(guildId: string, limit: number): Promise<RecordedActivity[]>;
  /**
   * Deletes entries that the rule does not keep, for at most `guilds` guilds with an id after `afterGuildId`. The
   * last time that each user generated or revealed a key or revealed a webhook secret is always kept. Returns the
   * last guild that was processed, to continue from; `undefined` when none is left.
   */
  prune(rule: RetentionRule, afterGuildId: string, guilds: number): Promise<string | undefined>;
  milestones(guildId: string): Promise<Milestones>;
  /** The API keys of these guilds were used. Only the first time is stored. */
  recordRequests(guildIds: readonly string[], at: Instant): Promise<void>;
  hideChecklist(guildId: string, at: Instant): Promise<void>;
}

/** The completed setup steps, and whether the admins have dismissed the checklist. */
export type Milestones = {
  firstRequestAt: Instant | null;
  hasClaims: boolean;
  isChecklistHidden: boolean;
};

export const KEEP_ACTIVITIES_MS = 365 * DAY_MS;
export const MAX_ACTIVITIES_PER_GUILD = 2000;

/** The maximum number of entries per read. */
export const MAX_ACTIVITIES_READ = 200;

/** The latest entry for each of these actions is kept as long as the guild exists. */
export const KEPT_ACTIONS: readonly ActivityAction[] = [
  'key_generated',
  'key_shown',
  'key_copied',
  'webhook_secret_shown',
  'link_secret_shown',
];

/** A row of `activities`. Only the store writes it, so action and detail are trusted. */
export type ActivityRow = {
  guild_id: string;
  at: Instant;
  actor_id: string | null;
  actor_name: string | null;
  action: ActivityAction;
  detail: string | null;
  count: number;
  first_at: Instant;
};

export type MilestonesRow = {
  first_request_at: Instant | null;
  checklist_hidden_at: Instant | null;
  has_claims: boolean | number;
};

export function toMilestones(row: MilestonesRow | undefined): Milestones {
  return {
    firstRequestAt: row?.first_request_at ?? null,
    hasClaims: Boolean(row?.has_claims),
    isChecklistHidden: (row?.checklist_hidden_at ?? null) !== null,
  };
}

/** guild_id, at, first_at, actor_id, actor_name, action, detail, merge_key */
export function toColumns(activity: Activity): (string | Instant | null)[] {
  const { guildId, at, actor, action, detail } = activity;
  const text = detail === undefined ? null : JSON.stringify(detail);
  const actorId = actor?.userId ?? null;
  const identity = JSON.stringify([actorId, action, text, Math.floor(at / HOUR_MS)]);
  const mergeKey = hash('sha256', identity, 'hex').slice(0, 32);
  return [guildId, at, at, actorId, actor?.name ?? null, action, text, mergeKey];
}

export function toActivity(row: ActivityRow): RecordedActivity {
  const { guild_id: guildId, at, actor_id: userId, actor_name: name, action, detail, count } = row;
  return {
    guildId,
    at,
    actor: userId === null ? null : { userId, name: name ?? '' },
    action,
    ...(detail === null ? {} : { detail: JSON.parse(detail) }),
    firstAt: row.first_at,
    count,
  };
}
