/**
 * The activity log of a guild, for its admins: who generated or revealed a key, and who changed what.
 *
 *   await store.activities.record({ guildId, at, actor, action: 'key_shown' });
 */
import { hash } from 'node:crypto';
import { DAY_MS, HOUR_MS, type Instant } from '../domain/clock.ts';
import type { ProfileInput } from '../domain/guild.ts';
import type { Goal } from '../domain/votes/goal.ts';
import type { PlayerNameRule } from '../domain/votes/player-names.ts';
import type { DoublingRule } from '../domain/votes/vote.ts';
import type { VoterRole } from '../domain/votes/voter-role.ts';
import type { SubscribableEvent } from '../domain/webhooks/event.ts';
import type { Database } from './database.ts';
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
  | 'banner_changed'
  | 'banner_removed'
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
  | 'goal_changed'
  | 'voter_role_changed'
  | 'player_names_changed'
  | 'listforge_consumer_changed'
  | 'consumer_removed'
  | 'claim_released'
  | 'test_vote_sent'
  | 'webhook_changed'
  | 'webhook_secret_shown';

/** What was changed, without secrets: only the host of a URL, because its path may contain one. */
export type ActivityDetail = {
  endpoint?: EndpointLabel;
  change?: EndpointChange;
  doubling?: Change<DoublingRule>;
  rules?: Change<GuildRules>;
  oneRewardPerName?: Change<boolean>;
  /** Null: no goal. */
  goal?: Change<Goal | null>;
  /** Null: no voter role. */
  voterRole?: Change<VoterRole | null>;
  guildName?: Change<string>;
  /** The changed fields, as submitted in the form. */
  profile?: Partial<Record<keyof ProfileInput, Change<string>>>;
  /** The vote whose claim was released. */
  vote?: { id: string; castAt: Instant };
  /** A consumer other than `default`: that of a released claim, or one that was removed. */
  consumer?: string;
  playerNames?: Change<PlayerNameRule>;
  listforgeConsumer?: Change<string>;
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
}

export const KEEP_ACTIVITIES_MS = 365 * DAY_MS;
export const MAX_ACTIVITIES_PER_GUILD = 2000;

/** The maximum number of entries per read. */
const MAX_ACTIVITIES_READ = 200;

/** The latest entry for each of these actions is kept as long as the guild exists. */
const KEPT_ACTIONS: readonly ActivityAction[] = [
  'key_generated',
  'key_shown',
  'key_copied',
  'webhook_secret_shown',
  'link_secret_shown',
];

/** A row of `activities`. Only the store writes it, so action and detail are trusted. */
type ActivityRow = {
  guild_id: string;
  at: Instant;
  actor_id: string | null;
  actor_name: string | null;
  action: ActivityAction;
  detail: string | null;
  count: number;
  first_at: Instant;
};

/** Equal for actions that share an entry. */
function mergeKeyOf({ at, actor, action }: Activity, detail: string | null): string {
  const identity = JSON.stringify([actor?.userId ?? null, action, detail, Math.floor(at / HOUR_MS)]);
  return hash('sha256', identity, 'hex').slice(0, 32);
}

function toActivity(row: ActivityRow): RecordedActivity {
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

export function createActivityStore(database: Database): ActivityStore {
  const sql = prepare(database);
  return {
    async record(activity) {
      const { guildId, at, actor, action } = activity;
      const detail = activity.detail === undefined ? null : JSON.stringify(activity.detail);
      const { userId, name } = actor ?? { userId: null, name: null };
      const mergeKey = mergeKeyOf(activity, detail);
      await sql.record({ guildId, at, userId, name, action, detail, mergeKey });
    },
    async recent(guildId, limit) {
      return (await sql.recent({ guildId, limit: Math.min(limit, MAX_ACTIVITIES_READ) })).map(toActivity);
    },
    async prune({ before, maxRows }, after, guilds) {
      const last = (await sql.guildsAfter({ after, guilds })).at(-1)?.guild_id;
      if (last === undefined) return undefined;
      // One by one, so that other writes can run in between.
      for (const { guild_id: guildId } of await sql.toPrune({ after, last, maxRows, before }))
        await sql.prune({ guildId, before, maxRows, keptActions: KEPT_ACTIONS });
      return last;
    },
  };
}

function prepare({ read, write, dialect: { greatest, inList, lock } }: Database) {
  return {
    // Index activities_merged.
    record: write(`
      INSERT INTO activities (guild_id, at, first_at, actor_id, actor_name, action, detail, merge_key)
      SELECT guild_id, @at, @at, @userId, @name, @action, @detail, @mergeKey FROM guilds
      WHERE guild_id = @guildId ${lock('FOR KEY SHARE')}
      ON CONFLICT (guild_id, merge_key) DO UPDATE
      SET count = activities.count + 1, at = ${greatest}(activities.at, excluded.at),
        actor_name = excluded.actor_name`),
    // Index activities_by_guild on SQLite, the primary key on PostgreSQL; read backwards.
    recent: read<ActivityRow>(`
      SELECT guild_id, at, actor_id, actor_name, action, detail, count, first_at FROM activities
      WHERE guild_id = @guildId ORDER BY at DESC, activity_id DESC LIMIT @limit + 0`),
    guildsAfter: read<{ guild_id: string }>(
      'SELECT guild_id FROM guilds WHERE guild_id > @after ORDER BY guild_id LIMIT @guilds + 0',
    ),
    // Only the index of `recent`: most guilds have nothing to delete, and their rows are not read.
    toPrune: read<{ guild_id: string }>(`
      SELECT guild_id FROM activities WHERE guild_id > @after AND guild_id <= @last
      GROUP BY guild_id HAVING count(*) > @maxRows OR min(at) < @before`),
    prune: write(`
      DELETE FROM activities WHERE guild_id = @guildId AND (at, activity_id) IN (
        SELECT at, activity_id FROM (
          SELECT activity_id, at, action,
            row_number() OVER (ORDER BY at DESC, activity_id DESC) AS place,
            row_number() OVER (PARTITION BY action, actor_id ORDER BY at DESC, activity_id DESC) AS own_place
          FROM activities WHERE guild_id = @guildId
        ) AS ranked
        WHERE (at < @before OR place > @maxRows) AND NOT (own_place = 1 AND action ${inList('@keptActions')})
      )`),
  };
}
