/** The voter role of a community in a few words, for logs. */
import type { Locale } from '../../domain/locale.ts';
import type { VoterRole } from '../../domain/votes/voter-role.ts';
import { voterRoleMessages } from './messages.ts';

export function voterRoleText(locale: Locale, role: VoterRole | null): string {
  const text = voterRoleMessages[locale];
  return role === null ? text.none : text.summary[role.rule](role.roleId, role.amount);
}
