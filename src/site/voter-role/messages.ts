import type { Locale } from '../../domain/locale.ts';
import type { VoterRule } from '../../domain/votes/voter-role.ts';

const en = {
  none: 'no voter role',
  summary: {
    recent: (roleId: string, hours: number) => `role ${roleId}, voted in the last ${hours} h`,
    month: (roleId: string, votes: number) => `role ${roleId}, ${votes} votes this month`,
  } satisfies Record<VoterRule, (roleId: string, amount: number) => string>,
};

const fr: typeof en = {
  none: 'aucun rôle des votants',
  summary: {
    recent: (roleId, hours) => `rôle ${roleId}, vote dans les ${hours}\u00A0dernières heures`,
    month: (roleId, votes) => `rôle ${roleId}, ${votes} votes ce mois-ci`,
  },
};

export const voterRoleMessages: Record<Locale, typeof en> = { en, fr };
