import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../layout/html.ts';

const en = {
  title: 'Recent votes',
  hint: 'Newest first.',
  user: 'User id',
  voter: 'User',
  /** Followed by the name of a user. */
  votesBy: 'Votes by',
  filter: 'Filter',
  all: 'Show all votes',
  faults: {
    user: 'A Discord user id has 15 to 20 digits. All votes are shown.',
    both: 'Fill in one of the two fields. All votes are shown.',
  } satisfies Record<'user' | 'both', string>,
  time: 'Time',
  doubled: 'Doubled',
  empty: 'No votes yet.',
  emptyFiltered: 'No votes match this filter.',
  playerName: 'Player name',
  claim: 'Claimed',
  release: 'Release',
  /** Tells screen readers which vote a button is for. */
  releaseOf: (voter: string) => `the claim of the vote by ${voter}`,
  confirm: {
    title: 'Release this claim?',
    warning:
      'The vote can then be claimed again, and its reward is granted again. Do this only when the reward was not delivered.',
    vote: 'Vote',
    claimed: 'Claimed',
    confirm: 'Release the claim',
    cancel: 'Cancel',
  },
  pages: 'Pagination',
  newer: 'Newer votes',
  older: 'Older votes',
  download: {
    title: 'Download as CSV',
    hint: 'Up to 31 days in UTC, first and last day included. In a spreadsheet, import user_id as text: it has too many digits for a number.',
    onlyThese: (who: Html) => html`Only votes by ${who}, as filtered above.`,
    from: 'From',
    to: 'To',
    action: 'Download CSV',
    faults: {
      INVALID_DATE: 'One of these dates is not valid. Use the format YYYY-MM-DD.',
      INVALID_DATE_RANGE: 'The first day must not be after the last day.',
      DATE_RANGE_TOO_LARGE: 'A download covers at most 31 days. Choose a shorter period.',
    },
  },
};

const fr: typeof en = {
  title: 'Votes récents',
  hint: 'Les plus récents d’abord.',
  user: 'Identifiant utilisateur',
  voter: 'Utilisateur',
  votesBy: 'Votes de',
  filter: 'Filtrer',
  all: 'Afficher tous les votes',
  faults: {
    user: 'Un identifiant Discord comporte de 15 à 20 chiffres. Tous les votes sont affichés.',
    both: 'Remplissez un seul des deux champs. Tous les votes sont affichés.',
  },
  time: 'Date et heure',
  doubled: 'Récompense doublée',
  empty: 'Aucun vote pour l’instant.',
  emptyFiltered: 'Aucun vote ne correspond à ce filtre.',
  playerName: 'Nom de joueur',
  claim: 'Récompense attribuée',
  release: 'Annuler',
  releaseOf: (voter) => `l’attribution de la récompense du vote de ${voter}`,
  confirm: {
    title: 'Annuler cette attribution\u00A0?',
    warning:
      'La récompense de ce vote pourra alors être attribuée une seconde fois. Ne le faites que si elle n’a pas été remise.',
    vote: 'Vote',
    claimed: 'Récompense attribuée',
    confirm: 'Annuler l’attribution',
    cancel: 'Retour',
  },
  pages: 'Pagination',
  newer: 'Votes plus récents',
  older: 'Votes plus anciens',
  download: {
    title: 'Télécharger en CSV',
    hint: 'Jusqu’à 31 jours en UTC, premier et dernier jour compris. Dans un tableur, importez user_id comme du texte\u00A0: il a trop de chiffres pour un nombre.',
    onlyThese: (who) => html`Uniquement les votes de ${who}, selon le filtre ci-dessus.`,
    from: 'Du',
    to: 'Au',
    action: 'Télécharger le CSV',
    faults: {
      INVALID_DATE: 'L’une de ces dates n’est pas valide. Utilisez le format AAAA-MM-JJ.',
      INVALID_DATE_RANGE: 'Le premier jour ne doit pas être postérieur au dernier.',
      DATE_RANGE_TOO_LARGE:
        'Un téléchargement couvre 31 jours au maximum. Choisissez une période plus courte.',
    },
  },
};

export const votesMessages: Record<Locale, typeof en> = { en, fr };
