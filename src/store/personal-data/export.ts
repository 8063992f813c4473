/** Everything that is stored about a user, for `votary user export`. */
import type { Instant } from '../../domain/clock.ts';
import type { Ban } from '../../domain/votes/bans.ts';
import type { Database } from '../database.ts';
import { NEXT_GUILDS } from '../guilds/guilds.ts';
import type { MemberState } from '../guilds/voter-roles.ts';
import type { ErasedIdOf } from './erased-ids.ts';

/** A row as it is stored; `claimed_at` is null for a vote that was not claimed, `batch` for one that was not voided. */
export type PersonalVote = {
  guild_id: string;
  cast_at: Instant;
  external_id: string | null;
  is_doubled: boolean | number;
  marks: number;
  network: string | null;
  claimed_at: Instant | null;
  batch: string | null;
  /** By consumers other than `default`. */
  claims: Readonly<Record<string, Instant>>;
};

export type PersonalAccount = {
  profile: {
    name: string;
    avatar: string | null;
    show_name: boolean | number;
    seen_at: Instant;
  } | null;
  ban: Omit<Ban, 'userId'> | null;
  signedOutAt: Instant | null;
  reminders: {
    guild_id: string;
    locale: string;
    active_at: Instant;
    next_attempt_at: Instant | null;
  }[];
  voterRoles: { guild_id: string; role_id: string; state: MemberState; check_at: Instant }[];
};

export type PersonalEvent = { guild_id: string; event_id: string; body: string };

/** `actor_id` is null where somebody else did something to the user. */
export type PersonalAction = {
  at: Instant;
  actor_id: string | null;
  action: string;
  guild_id: string | null;
  detail: string | null;
};

export type PersonalActivity = {
  guild_id: string;
  at: Instant;
  first_at: Instant;
  count: number;
  action: string;
  detail: string | null;
};

export interface PersonalExportStore {
  account(userId: string): Promise<PersonalAccount>;
  /** Guild by guild, oldest first: votes, and then those that were voided. */
  votesOf(userId: string): AsyncGenerator<PersonalVote>;
  cooldownsOf(userId: string): AsyncGenerator<{ guild_id: string; last_vote_at: Instant }>;
  /** Webhook events about the user's votes. */
  eventsOf(userId: string): AsyncGenerator<PersonalEvent>;
  /** Stored responses to claims of the user's votes. */
  responsesOf(userId: string): AsyncGenerator<{ guild_id: string; created_at: Instant; body: string }>;
  /** What the user did as an admin. */
  activitiesOf(userId: string): AsyncGenerator<PersonalActivity>;
  /** What the user did as an operator, and what operators did to them. */
  operatorActionsOf(userId: string): AsyncGenerator<PersonalAction>;
}

const PAGE = 1000;
const GUILDS_AT_ONCE = 200;

export function createPersonalExport(database: Database, erasedIdOf: ErasedIdOf): PersonalExportStore {
  const sql = prepare(database);

  async function* guildPages(): AsyncGenerator<{ after: string; last: string }> {
    for (let after = ''; ; ) {
      const last = (await sql.guilds({ after, limit: GUILDS_AT_ONCE })).at(-1)?.guild_id;
      if (last === undefined) return;
      yield { after, last };
      after = last;
    }
  }

  async function* guildsOf(userId: string): AsyncGenerator<string> {
    for await (const page of guildPages())
      for (const { guild_id: guildId } of await sql.guildsOf({ ...page, userId })) yield guildId;
  }

  async function* votesIn(
    guildId: string,
    userId: string,
    find: typeof sql.votes,
  ): AsyncGenerator<PersonalVote> {
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const votes = await find({ guildId, userId, after, limit: PAGE });
      const last = votes.at(-1);
      if (!last) return;
      const claims = await sql.consumerClaims({ guildId, userId, after, last: last.cast_at });
      for (const vote of votes) {
        const own = claims.filter(({ cast_at }) => cast_at === vote.cast_at);
        yield { ...vote, claims: Object.fromEntries(own.map((claim) => [claim.consumer, claim.claimed_at])) };
      }
      if (votes.length < PAGE) return;
      after = last.cast_at;
    }
  }

  return {
    async account(userId) {
      const ids = { userId, erasedId: await erasedIdOf(userId) };
      const [profile = null] = await sql.profile({ userId });
      const [ban = null] = await sql.ban(ids);
      const [signOut] = await sql.signedOutAt(ids);
      const reminders = await sql.reminders({ userId });
      const voterRoles = await sql.voterRoles({ userId });
      return { profile, ban, signedOutAt: signOut?.signed_out_at ?? null, reminders, voterRoles };
    },
    async *votesOf(userId) {
      for await (const guildId of guildsOf(userId)) {
        yield* votesIn(guildId, userId, sql.votes);
        yield* votesIn(guildId, userId, sql.voidedVotes);
      }
    },
    async *cooldownsOf(userId) {
      for await (const page of guildPages()) yield* await sql.cooldowns({ ...page, userId });
    },
    async *eventsOf(userId) {
      for await (const guildId of guildsOf(userId)) {
        for (let after = ''; ; ) {
          const events = await sql.events({ guildId, userId, after, limit: PAGE });
          for (const { event_id, body } of events)
            if (body !== null) yield { guild_id: guildId, event_id, body };
          if (events.length < PAGE) break;
          after = events.at(-1)?.event_id ?? '';
        }
      }
    },
    async *responsesOf(userId) {
      for await (const guildId of guildsOf(userId)) yield* await sql.responses({ guildId, userId });
    },
    async *activitiesOf(userId) {
      for await (const page of guildPages()) yield* await sql.activities({ ...page, userId });
    },
    async *operatorActionsOf(userId) {
      for (let position = { at: Number.MIN_SAFE_INTEGER, id: 0 }; ; ) {
        const page = await sql.operatorActions({ ...position, userId, limit: PAGE });
        for (const { is_found, action_id, ...action } of page) if (is_found) yield action;
        const end = page.at(-1);
        if (!end || page.length < PAGE) return;
        position = { at: end.at, id: end.action_id };
      }
    },
  };
}

/** The primary key, in every statement that does not name an index. */
function prepare({ read, dialect: { indexedBy, position } }: Database) {
  const mentions = (column: string) => `${position}(${column}, @userId) > 0`;
  const votesFrom = (table: string, batch: string, index: string) => `
    SELECT v.guild_id, v.cast_at, v.external_id, v.is_doubled, v.marks, v.network, c.claimed_at, ${batch} AS batch
    FROM ${table} v ${index}
    LEFT JOIN vote_claims c ON c.guild_id = v.guild_id AND c.cast_at = v.cast_at AND c.user_id = v.user_id
    WHERE v.guild_id = @guildId AND v.user_id = @userId AND v.cast_at > @after
    ORDER BY v.cast_at LIMIT @limit + 0`;
  return {
    profile: read<NonNullable<PersonalAccount['profile']>>(
      'SELECT name, avatar, show_name, seen_at FROM users WHERE user_id = @userId',
    ),
    ban: read<NonNullable<PersonalAccount['ban']>>(
      `SELECT since, until, reason, public_reason AS "publicReason" FROM voter_bans WHERE user_id IN (@userId, @erasedId) ORDER BY since DESC`,
    ),
    signedOutAt: read<{ signed_out_at: Instant | null }>(
      'SELECT max(signed_out_at) AS signed_out_at FROM sign_outs WHERE user_id IN (@userId, @erasedId)',
    ),
    // Index reminders_by_user.
    reminders: read<PersonalAccount['reminders'][number]>(`
      SELECT guild_id, locale, active_at, next_attempt_at FROM reminders WHERE user_id = @userId ORDER BY guild_id`),
    // Index voter_role_members_by_user.
    voterRoles: read<PersonalAccount['voterRoles'][number]>(`
      SELECT guild_id, role_id, state, check_at FROM voter_role_members WHERE user_id = @userId
      ORDER BY guild_id, role_id`),
    guilds: read<{ guild_id: string }>(NEXT_GUILDS),
    // Index votes_by_user; all voided votes of each guild.
    guildsOf: read<{ guild_id: string }>(`
      SELECT guild_id FROM guilds WHERE guild_id > @after AND guild_id <= @last AND (
        EXISTS (SELECT 1 FROM votes ${indexedBy('votes_by_user')}
          WHERE votes.guild_id = guilds.guild_id AND votes.user_id = @userId)
        OR EXISTS (SELECT 1 FROM cooldowns WHERE cooldowns.guild_id = guilds.guild_id AND cooldowns.user_id = @userId)
        OR EXISTS (SELECT 1 FROM voided_votes v WHERE v.guild_id = guilds.guild_id AND v.user_id = @userId)
      ) ORDER BY guild_id`),
    // Index votes_by_user.
    votes: read<Omit<PersonalVote, 'claims'>>(votesFrom('votes', 'NULL', indexedBy('votes_by_user'))),
    // The primary key: all claims of the guild in the time of the page.
    consumerClaims: read<{ cast_at: Instant; consumer: string; claimed_at: Instant }>(`
      SELECT cast_at, consumer, claimed_at FROM consumer_claims
      WHERE guild_id = @guildId AND cast_at > @after AND cast_at <= @last AND user_id = @userId
      ORDER BY cast_at, consumer`),
    voidedVotes: read<Omit<PersonalVote, 'claims'>>(votesFrom('voided_votes', 'v.batch', '')),
    cooldowns: read<{ guild_id: string; last_vote_at: Instant }>(`
      SELECT guilds.guild_id, last_vote_at FROM guilds
      JOIN cooldowns ON cooldowns.guild_id = guilds.guild_id AND user_id = @userId
      WHERE guilds.guild_id > @after AND guilds.guild_id <= @last ORDER BY guilds.guild_id`),
    events: read<{ event_id: string; body: string | null }>(`
      SELECT event_id, CASE WHEN ${mentions('body')} THEN body END AS body FROM webhook_events
      WHERE guild_id = @guildId AND event_id > @after ORDER BY event_id LIMIT @limit + 0`),
    responses: read<{ guild_id: string; created_at: Instant; body: string }>(`
      SELECT guild_id, created_at, body FROM idempotency_keys
      WHERE guild_id = @guildId AND ${mentions('body')} ORDER BY key`),
    // Index activities_by_guild on SQLite, the primary key on PostgreSQL: all entries of a page of guilds.
    activities: read<PersonalActivity>(`
      SELECT guild_id, at, first_at, count, action, detail FROM activities
      WHERE guild_id > @after AND guild_id <= @last AND actor_id = @userId ORDER BY guild_id, at, activity_id`),
    // Index operator_actions_by_time on SQLite, the primary key on PostgreSQL: the whole log, in pages.
    operatorActions: read<PersonalAction & { action_id: number; is_found: boolean | number }>(`
      SELECT at, action_id, CASE WHEN actor_id = @userId THEN actor_id END AS actor_id, action, guild_id, detail,
        coalesce(actor_id = @userId, FALSE) OR ${mentions('detail')} AS is_found
      FROM operator_actions ${indexedBy('operator_actions_by_time')}
      WHERE (at, action_id) > (@at, @id) ORDER BY at, action_id LIMIT @limit + 0`),
  };
}
