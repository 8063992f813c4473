/**
 * The voter role of a guild: a Discord role for users who voted in the last hours, or often enough this month.
 *
 *   const endsAt = roleEndsAt({ rule: 'recent', amount: 12 }, { lastVoteAt, votesThisMonth }, now);
 *   if (endsAt === null) …   // the user must not have the role
 *
 * Votes are counted as everywhere: a doubled vote is one vote, and voided votes do not count.
 */
import { HOUR_MS, type Instant } from '../clock.ts';
import { isSnowflake } from '../identifiers.ts';
import { wholeMonth } from './period.ts';

/** `recent`: voted in the last `amount` hours. `month`: voted at least `amount` times in this month (UTC). */
export const VOTER_RULES = ['recent', 'month'] as const;

export type VoterRule = (typeof VOTER_RULES)[number];

export type VoterRole = { roleId: string; rule: VoterRule; amount: number };

/** 31 days, and as many votes as a month of one vote per hour can have. */
export const MAX_ROLE_AMOUNT = 744;

/**
 * Why Discord does not let the app add or remove the role.
 * - `missing_permission`: the app lacks "Manage Roles", or its own role is not above the voter role.
 * - `not_in_server`: the app is not in the Discord server.
 * - `unknown_role`: the role does not exist in the server.
 * - `rejected`: anything else; the log of the service has what Discord said.
 */
export const ROLE_PROBLEMS = ['missing_permission', 'not_in_server', 'unknown_role', 'rejected'] as const;

export type RoleProblem = (typeof ROLE_PROBLEMS)[number];

/** The results of checks, as metric labels. `absent`: the user is not in the server. `refused`: see `RoleProblem`. */
export const ROLE_RESULTS = ['added', 'removed', 'absent', 'limited', 'refused', 'retried'] as const;

export type RoleResult = (typeof ROLE_RESULTS)[number];

/** Reads what was typed. */
export function parseRoleAmount(text: string): number | undefined {
  const amount = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  return amount >= 1 && amount <= MAX_ROLE_AMOUNT ? amount : undefined;
}

/** The role that every member has has the id of its guild, and nobody can be given it. */
export function isVoterRoleId(roleId: string, guildId: string): boolean {
  return isSnowflake(roleId) && roleId !== guildId;
}

export function isSameRole(a: VoterRole | null, b: VoterRole | null): boolean {
  return a?.roleId === b?.roleId && a?.rule === b?.rule && a?.amount === b?.amount;
}

/** What the rules depend on. `lastVoteAt` is null without votes. */
export type VoterFacts = { lastVoteAt: Instant | null; votesThisMonth: number };

/** Until when a user has the role if they do not vote again. Null: they must not have it. */
export function roleEndsAt(
  { rule, amount }: Pick<VoterRole, 'rule' | 'amount'>,
  { lastVoteAt, votesThisMonth }: VoterFacts,
  now: Instant,
): Instant | null {
  if (rule === 'month') return votesThisMonth >= amount ? wholeMonth(now).to : null;
  const endsAt = lastVoteAt === null ? now : lastVoteAt + amount * HOUR_MS;
  return endsAt > now ? endsAt : null;
}
