import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../layout/html.ts';

const en = {
  doubling: 'Doubled votes',
  doublingHint:
    'A doubled vote is worth double rewards, but is still one vote in counts and lists. A change applies to votes cast from now on.',
  rules: {
    never: { name: 'Never', hint: 'No vote is doubled.' },
    weekends: { name: 'On weekends', hint: 'Saturday and Sunday, UTC.' },
    always: { name: 'Always', hint: 'Every vote is doubled.' },
  },
  nameRule: 'Rewards per name',
  nameRuleHint:
    'Several Discord accounts can vote with the same player name. Choose how many of those votes earn a reward. It changes nothing for claims by Discord id.',
  nameRules: {
    on: {
      name: 'One reward per name per hour',
      hint: 'Of the votes under one name within an hour, only the first can be claimed.',
    },
    off: { name: 'One reward per vote', hint: 'Every vote under the name can be claimed.' },
  },
  save: 'Save',
  unsaved: 'Unsaved changes',
  premium: 'Premium',
  active: 'Active',
  notActive: 'Inactive',
  until: (moment: Html) => html`Until ${moment}.`,
  ended: (moment: Html) => html`Ended on ${moment}.`,
  gives:
    'Premium gives access to the lists of the API: GET /v7/guild/votes, GET /v7/guild/votes/users/{user_id}, GET /v7/guild/claims/pending and GET /v7/guild/leaderboard.',
  howTo: 'To get or renew it, contact the operator of this site. Activation can take up to an hour.',
};

const fr: typeof en = {
  doubling: 'Récompenses doublées',
  doublingHint:
    'Un vote donne alors droit à une double récompense, mais reste un seul vote dans les totaux et les listes. Un changement s’applique aux votes à venir.',
  rules: {
    never: { name: 'Jamais', hint: 'Une récompense simple pour chaque vote.' },
    weekends: { name: 'Le week-end', hint: 'Le samedi et le dimanche, UTC.' },
    always: { name: 'Toujours', hint: 'Une double récompense pour chaque vote.' },
  },
  nameRule: 'Récompenses par nom',
  nameRuleHint:
    'Plusieurs comptes Discord peuvent voter avec le même nom de joueur. Choisissez combien de ces votes donnent droit à une récompense. Ce choix ne change rien aux récompenses par identifiant Discord.',
  nameRules: {
    on: {
      name: 'Une récompense par nom et par heure',
      hint: 'Parmi les votes d’un même nom en une heure, seul le premier est récompensé.',
    },
    off: { name: 'Une récompense par vote', hint: 'Chaque vote sous ce nom peut être récompensé.' },
  },
  save: 'Enregistrer',
  unsaved: 'Modifications non enregistrées',
  premium: 'Premium',
  active: 'Actif',
  notActive: 'Inactif',
  until: (moment) => html`Jusqu’au ${moment}.`,
  ended: (moment) => html`Terminé le ${moment}.`,
  gives:
    'Premium donne accès aux listes de l’API\u00A0: GET /v7/guild/votes, GET /v7/guild/votes/users/{user_id}, GET /v7/guild/claims/pending et GET /v7/guild/leaderboard.',
  howTo:
    'Pour l’obtenir ou le renouveler, adressez-vous à l’administration de ce site. L’activation peut prendre jusqu’à une heure.',
};

export const settingsMessages: Record<Locale, typeof en> = { en, fr };
