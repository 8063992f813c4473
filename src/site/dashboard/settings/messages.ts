import type { DoublingRule } from '../../../domain/doubling.ts';
import type { Locale } from '../../../domain/locale.ts';

type SettingsMessages = {
  doubling: string;
  doublingHint: string;
  rules: Record<DoublingRule, { name: string; hint: string }>;
  save: string;
  premium: string;
  active: string;
  notActive: string;
  until: (moment: string) => string;
  ended: (moment: string) => string;
  gives: string;
  howTo: string;
};

export const settingsMessages: Record<Locale, SettingsMessages> = {
  en: {
    doubling: 'Doubled votes',
    doublingHint:
      'Whether a vote counts double is decided when it is cast. A change counts for the votes that follow; it is still one vote in every list.',
    rules: {
      never: { name: 'Never', hint: 'Every vote counts once.' },
      weekends: { name: 'At weekends', hint: 'Saturday and Sunday, UTC.' },
      always: { name: 'Always', hint: 'Every vote counts double.' },
    },
    save: 'Save',
    premium: 'Premium',
    active: 'Active',
    notActive: 'Not active',
    until: (moment) => `Until ${moment}.`,
    ended: (moment) => `It ended on ${moment}.`,
    gives:
      'Premium opens the vote lists of the API: GET /v7/guild/votes and GET /v7/guild/votes/users/{user_id}.',
    howTo:
      'To get it or to renew it, ask the operator of this site. It can take up to an hour to become active.',
  },
  fr: {
    doubling: 'Votes doublés',
    doublingHint:
      'C’est au moment du vote que se décide s’il compte double. Un changement vaut pour les votes suivants ; dans les listes, cela reste un seul vote.',
    rules: {
      never: { name: 'Jamais', hint: 'Chaque vote compte une fois.' },
      weekends: { name: 'Le week-end', hint: 'Le samedi et le dimanche, UTC.' },
      always: { name: 'Toujours', hint: 'Chaque vote compte double.' },
    },
    save: 'Enregistrer',
    premium: 'Premium',
    active: 'Actif',
    notActive: 'Inactif',
    until: (moment) => `Jusqu’au ${moment}.`,
    ended: (moment) => `Il a pris fin le ${moment}.`,
    gives:
      'Premium donne accès aux listes de votes de l’API : GET /v7/guild/votes et GET /v7/guild/votes/users/{user_id}.',
    howTo:
      'Pour l’obtenir ou le renouveler, adressez-vous à l’exploitant de ce site. L’activation peut prendre jusqu’à une heure.',
  },
};
