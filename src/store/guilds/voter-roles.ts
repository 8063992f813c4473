/**
 * Voter roles of guilds, and which users have them. A cast makes its voter due in its own transaction
 * (`sqlite/votes/voter-roles.ts` and `postgres/votes/voter-roles.ts`).
 *
 *   await store.voterRoles.set(guildId, { roleId, rule: 'recent', amount: 12 }, clock());
 *   for (const claim of await store.voterRoles.claim({ now, until, limit })) …
 *   await store.voterRoles.release(claim, now);
 *
 * A worker claims a guild, not a user: Discord limits requests by guild, and what it refuses for one user of a role it
 * refuses for all. A row of a user is deleted only when the role was certainly removed, so that a crash forgets nobody.
 */
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/clock.ts';
import { wholeMonth } from '../../domain/votes/period.ts';
import {
  isSameRole,
  type RoleProblem,
  type VoterFacts,
  type VoterRole,
  type VoterRule,
} from '../../domain/votes/voter-role.ts';
import type { Activity, ActivityStore } from '../activities.ts';
import type { Database } from '../database.ts';
import { EXISTING_GUILD } from './guilds.ts';

/** `problem` is null while everything works. */
export type VoterRoleSetting = VoterRole & { problem: { kind: RoleProblem; since: Instant } | null };

/** A guild whose users one worker checks; no other worker does before `until`. `role` is null if it was turned off. */
export type RoleClaim = { guildId: string; role: VoterRole | null; until: Instant };

/** `requested`: an attempt to add the role ended without a result, so the user may have it. */
export type MemberState = 'none' | 'requested' | 'assigned';

type MemberKey = { guildId: string; userId: string; roleId: string; version: number };

export type DueMember = MemberKey & VoterFacts & { state: MemberState };

export interface VoterRoleStore {
  /** Null for a guild without a voter role. */
  find(guildId: string): Promise<VoterRoleSetting | null>;
  /**
   * Sets the role, or turns it off with null. Users who qualify already are checked at once, like those who have an
   * earlier role. Returns false if the guild does not exist.
   */
  set(guildId: string, role: VoterRole | null, now: Instant): Promise<boolean>;
  /** Forgets the problem, so that the next attempt is made at once. */
  retry(guildId: string): Promise<void>;
  /** Claims guilds in which users are due, earliest first. */
  claim(request: { now: Instant; until: Instant; limit: number }): Promise<RoleClaim[]>;
  /** Users of the guild who are due, earliest first, with what the rule depends on. */
  due(guildId: string, now: Instant, limit: number): Promise<DueMember[]>;
  /** Before the role is added. Returns false if the user was erased in the meantime. */
  request(member: MemberKey): Promise<boolean>;
  /** After Discord refused to add the role to a user who did not have it: there is nothing to remove. */
  cancelRequest(member: MemberKey): Promise<void>;
  /** The user has the role and is checked again at `checkAt`, or before that after another vote. */
  keep(member: MemberKey, checkAt: Instant): Promise<void>;
  /** The user does not have the role. Forgets them unless they have voted since. */
  drop(member: MemberKey): Promise<void>;
  /**
   * After Discord refused to remove a role that is no longer the guild's: nobody who is due for it is checked before
   * `until`. Forgets those who have not voted since `since`.
   */
  postpone(member: MemberKey, times: { now: Instant; until: Instant; since: Instant }): Promise<void>;
  /** Nothing in the guild is checked before `at`. Does nothing to a claim that has expired. */
  release(claim: RoleClaim, at: Instant): Promise<void>;
  /** `null`: Discord accepted a change. */
  setProblem(guildId: string, problem: RoleProblem | null, now: Instant): Promise<void>;
  /** Forgets at most `limit` users who have been due since before `before`. Returns the number. */
  prune(before: Instant, limit: number): Promise<number>;
}

/** How long a role is tried to be removed while Discord refuses it; an earlier role, since the last vote of the user. */
export const KEEP_DUE_MEMBERS_MS = 30 * DAY_MS;

export type RoleOutcome = { kind: 'changed' } | { kind: 'unchanged' } | { kind: 'unknown_guild' };

/**
 * Sets the role after recording it, so that every role is in the log of the guild. Used by its admins and by operators.
 * The same role again makes another attempt after a problem.
 */
export async function changeVoterRole(
  { voterRoles, activities }: { voterRoles: VoterRoleStore; activities: ActivityStore },
  { guildId, at, actor }: Pick<Activity, 'guildId' | 'at' | 'actor'>,
  role: VoterRole | null,
): Promise<RoleOutcome> {
  const current = await voterRoles.find(guildId);
  if (isSameRole(current, role)) {
    if (current?.problem) await voterRoles.retry(guildId);
    return { kind: 'unchanged' };
  }
  const detail = { voterRole: { from: current && plainRole(current), to: role } };
  await activities.record({ guildId, at, actor, action: 'voter_role_changed', detail });
  return { kind: (await voterRoles.set(guildId, role, at)) ? 'changed' : 'unknown_guild' };
}

function plainRole({ roleId, rule, amount }: VoterRole): VoterRole {
  return { roleId, rule, amount };
}

type RoleRow = { role_id: string | null; rule: VoterRule | null; amount: number | null };
type SettingRow = RoleRow & { problem: RoleProblem | null; problem_at: Instant | null };
type ClaimRow = RoleRow & { guild_id: string };
type MemberRow = {
  user_id: string;
  role_id: string;
  state: MemberState;
  version: number;
  last_vote_at: Instant | null;
  votes_this_month: number;
};

function toRole({ role_id: roleId, rule, amount }: RoleRow): VoterRole | null {
  return roleId === null || rule === null || amount === null ? null : { roleId, rule, amount };
}

export function createVoterRoleStore(database: Database): VoterRoleStore {
  const sql = prepare(database);
  const keyOf = ({ guildId, userId, roleId }: MemberKey) => ({ guildId, userId, roleId });
  return {
    async find(guildId) {
      const [row] = await sql.find({ guildId });
      const role = row && toRole(row);
      if (!role) return null;
      const { problem: kind, problem_at: since } = row;
      return { ...role, problem: kind === null || since === null ? null : { kind, since } };
    },
    async set(guildId, role, now) {
      if (role === null) {
        await sql.turnOff({ guildId, now });
        return (await sql.exists({ guildId })).length > 0;
      }
      const { rule, amount } = role;
      const first = rule === 'month' ? wholeMonth(now).from : now - amount * HOUR_MS + 1;
      const votes = rule === 'month' ? amount : 1;
      const [changed = 0] = await sql.set({ guildId, ...role, now, first, votes });
      return changed > 0;
    },
    async retry(guildId) {
      await sql.retry({ guildId });
    },
    async claim({ now, until, limit }) {
      // Searched without the write lock of SQLite, because usually nothing is due.
      if ((await sql.anyDue({ now })).length === 0) return [];
      const rows = await sql.claim({ now, until, limit });
      return rows.map((row) => ({ guildId: row.guild_id, role: toRole(row), until }));
    },
    async due(guildId, now, limit) {
      const rows = await sql.due({ guildId, now, month: wholeMonth(now).from, limit });
      return rows.map((row) => ({
        ...{ guildId, userId: row.user_id, roleId: row.role_id, version: row.version, state: row.state },
        ...{ lastVoteAt: row.last_vote_at, votesThisMonth: row.votes_this_month },
      }));
    },
    async request(member) {
      return (await sql.request(keyOf(member))) > 0;
    },
    async cancelRequest(member) {
      await sql.cancelRequest(keyOf(member));
    },
    async keep(member, checkAt) {
      await sql.keep({ ...keyOf(member), version: member.version, checkAt });
    },
    async drop(member) {
      await sql.drop({ ...keyOf(member), version: member.version });
    },
    async postpone({ guildId, roleId }, times) {
      await sql.postpone({ guildId, roleId, ...times });
    },
    async release({ guildId, until }, at) {
      await sql.release({ guildId, until, at });
    },
    async setProblem(guildId, problem, now) {
      await (problem === null ? sql.clearProblem({ guildId }) : sql.setProblem({ guildId, problem, now }));
    },
    prune: (before, limit) => sql.prune({ before, limit }),
  };
}

const MEMBER = 'guild_id = @guildId AND user_id = @userId AND role_id = @roleId';

const ROLE = 'role_id, rule, amount';

/** The primary key, in every statement that does not name an index. */
function prepare({ read, write, writeAndRead, transaction, writeTogether, dialect }: Database) {
  const { indexedBy, lock } = dialect;
  // The row of the guild is locked before those of its users, like in a cast, and users in the order of their ids.
  const checkAll = `
    UPDATE voter_role_members SET check_at = @now, version = version + 1
    WHERE guild_id = @guildId AND (user_id, role_id) IN (
      SELECT user_id, role_id FROM voter_role_members WHERE guild_id = @guildId
      ORDER BY user_id, role_id ${lock('FOR UPDATE')})`;
  // The rows are locked in the same order as by `checkAll`.
  const dueForEarlier = `guild_id = @guildId AND (user_id, role_id) IN (
      SELECT user_id, role_id FROM voter_role_members m ${indexedBy('voter_role_members_due')}
      WHERE m.guild_id = @guildId AND m.check_at <= @now AND m.role_id = @roleId
        AND NOT EXISTS (SELECT 1 FROM voter_roles r WHERE r.guild_id = m.guild_id AND r.role_id = m.role_id)
      ORDER BY user_id, role_id ${lock('FOR UPDATE OF m')})`;
  const due = `${indexedBy('voter_roles_due')} WHERE due_at <= @now AND paused_until <= @now`;
  return {
    exists: read(`SELECT guild_id FROM guilds WHERE ${EXISTING_GUILD}`),
    find: read<SettingRow>(`SELECT ${ROLE}, problem, problem_at FROM voter_roles WHERE guild_id = @guildId`),
    // The last step reads all votes of the guild since `first`, with the primary key of votes, or votes_by_user.
    set: writeTogether(
      `INSERT INTO voter_roles (guild_id, ${ROLE}, due_at)
       SELECT guild_id, @roleId, @rule, CAST(@amount AS BIGINT), CAST(@now AS BIGINT)
       FROM guilds WHERE ${EXISTING_GUILD} ${lock('FOR KEY SHARE')}
       ON CONFLICT (guild_id) DO UPDATE SET role_id = excluded.role_id, rule = excluded.rule,
         amount = excluded.amount, due_at = excluded.due_at, paused_until = 0, problem = NULL, problem_at = NULL`,
      checkAll,
      `INSERT INTO voter_role_members (guild_id, user_id, role_id, state, check_at)
       SELECT v.guild_id, v.user_id, @roleId, 'none', CAST(@now AS BIGINT)
       FROM votes v JOIN voter_roles r ON r.guild_id = v.guild_id
       WHERE v.guild_id = @guildId AND v.cast_at >= @first
       GROUP BY v.guild_id, v.user_id HAVING count(*) >= CAST(@votes AS BIGINT) ORDER BY v.user_id
       ON CONFLICT DO NOTHING`,
    ),
    turnOff: writeTogether(
      `UPDATE voter_roles SET role_id = NULL, rule = NULL, amount = NULL, due_at = @now, paused_until = 0,
         problem = NULL, problem_at = NULL WHERE guild_id = @guildId`,
      checkAll,
    ),
    retry: write(`
      UPDATE voter_roles SET paused_until = 0, problem = NULL, problem_at = NULL WHERE guild_id = @guildId`),
    // Index voter_roles_due.
    anyDue: read(`SELECT guild_id FROM voter_roles ${due} LIMIT 1`),
    // Index voter_roles_due; guilds that another worker is claiming are skipped.
    claim: writeAndRead<ClaimRow>(`
      UPDATE voter_roles SET paused_until = @until WHERE guild_id IN (
        SELECT guild_id FROM voter_roles ${due} ORDER BY due_at LIMIT @limit + 0 ${lock('FOR UPDATE SKIP LOCKED')}
      ) RETURNING guild_id, ${ROLE}`),
    // Indexes voter_role_members_due and votes_by_user.
    due: read<MemberRow>(`
      SELECT m.user_id, m.role_id, m.state, m.version, (
        SELECT max(cast_at) FROM votes v ${indexedBy('votes_by_user')}
        WHERE v.guild_id = m.guild_id AND v.user_id = m.user_id
      ) AS last_vote_at, (
        SELECT count(*) FROM votes v ${indexedBy('votes_by_user')}
        WHERE v.guild_id = m.guild_id AND v.user_id = m.user_id AND v.cast_at >= @month
      ) AS votes_this_month
      FROM voter_role_members m ${indexedBy('voter_role_members_due')}
      WHERE m.guild_id = @guildId AND m.check_at <= @now ORDER BY m.check_at LIMIT @limit + 0`),
    request: write(`UPDATE voter_role_members SET state = 'requested' WHERE ${MEMBER}`),
    cancelRequest: write(
      `UPDATE voter_role_members SET state = 'none' WHERE ${MEMBER} AND state = 'requested'`,
    ),
    keep: write(`
      UPDATE voter_role_members SET state = 'assigned',
        check_at = CASE WHEN version = @version THEN CAST(@checkAt AS BIGINT) ELSE check_at END WHERE ${MEMBER}`),
    drop: transaction(
      `UPDATE voter_role_members SET state = 'none' WHERE ${MEMBER}`,
      `DELETE FROM voter_role_members WHERE ${MEMBER} AND version = @version`,
    ),
    // Indexes voter_role_members_due and votes_by_user on SQLite. PostgreSQL may read all users of the guild in their order.
    postpone: writeTogether(
      `DELETE FROM voter_role_members WHERE ${dueForEarlier} AND NOT EXISTS (
         SELECT 1 FROM votes v ${indexedBy('votes_by_user')} WHERE v.guild_id = voter_role_members.guild_id
           AND v.user_id = voter_role_members.user_id AND v.cast_at >= @since)`,
      `UPDATE voter_role_members SET check_at = @until WHERE ${dueForEarlier}`,
    ),
    // The first step waits for casts of the guild, so that the second sees what they made due. Index
    // voter_role_members_due.
    release: transaction(
      'UPDATE voter_roles SET paused_until = @at WHERE guild_id = @guildId AND paused_until = @until',
      `UPDATE voter_roles SET due_at = (
         SELECT min(check_at) FROM voter_role_members m ${indexedBy('voter_role_members_due')}
         WHERE m.guild_id = @guildId
       ) WHERE guild_id = @guildId`,
    ),
    setProblem: write(`
      UPDATE voter_roles SET problem_at = CASE WHEN problem = @problem THEN problem_at ELSE CAST(@now AS BIGINT) END,
        problem = @problem WHERE guild_id = @guildId`),
    clearProblem: write(`
      UPDATE voter_roles SET problem = NULL, problem_at = NULL WHERE guild_id = @guildId AND problem IS NOT NULL`),
    // Index voter_role_members_due; SQLite goes guild by guild, in the order of the CROSS JOIN. Rows that another process
    // is changing are skipped.
    prune: write(`
      DELETE FROM voter_role_members WHERE (guild_id, user_id, role_id) IN (
        SELECT m.guild_id, m.user_id, m.role_id
        FROM voter_roles r CROSS JOIN voter_role_members m ${indexedBy('voter_role_members_due')}
        WHERE m.guild_id = r.guild_id AND m.check_at < @before
        LIMIT @limit + 0 ${lock('FOR UPDATE OF m SKIP LOCKED')}
      )`),
  };
}
