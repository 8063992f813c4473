/** Adds a role to a member of a server, or removes it. */
import type { RoleProblem } from '../domain/votes/voter-role.ts';
import type { ChangeOutcome, ChangeRole, RoleChange } from '../voter-roles/worker.ts';
import { DiscordFailure, type DiscordRest } from './rest.ts';

/** Discord's error codes. */
const UNKNOWN_GUILD = 10004;
const UNKNOWN_MEMBER = 10007;
const UNKNOWN_ROLE = 10011;
const UNKNOWN_USER = 10013;
const MISSING_ACCESS = 50001;
const MISSING_PERMISSIONS = 50013;

const PROBLEMS: ReadonlyMap<number | null, RoleProblem> = new Map([
  [UNKNOWN_GUILD, 'not_in_server'],
  [MISSING_ACCESS, 'not_in_server'],
  [MISSING_PERMISSIONS, 'missing_permission'],
  [UNKNOWN_ROLE, 'unknown_role'],
]);

export function createRoleChanger(rest: DiscordRest): ChangeRole {
  return async (change) => {
    const { kind, guildId, userId, roleId } = change;
    try {
      const method = kind === 'add' ? 'PUT' : 'DELETE';
      await rest.request(method, `/guilds/${guildId}/members/${userId}/roles/${roleId}`);
      return { kind: 'done' };
    } catch (error) {
      if (error instanceof DiscordFailure) return failed(error, change);
      throw error;
    }
  };
}

function failed(failure: DiscordFailure, { kind }: RoleChange): ChangeOutcome {
  const { reason, code, message: error, retryAfterMs } = failure;
  const isAbsent = code === UNKNOWN_MEMBER || code === UNKNOWN_USER;
  if (isAbsent || (kind === 'remove' && code === UNKNOWN_ROLE)) return { kind: 'absent' };
  switch (reason) {
    case 'limited':
      return { kind: reason, retryAfterMs };
    case 'unauthorized':
    case 'unknown':
      return { kind: reason, error };
    case 'forbidden':
    case 'rejected':
      return { kind: 'refused', problem: PROBLEMS.get(code) ?? 'rejected', error };
  }
}
