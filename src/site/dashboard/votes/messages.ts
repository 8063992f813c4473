import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../layout/html.ts';
import type { PeriodFault } from './csv.ts';

type VotesMessages = {
  title: string;
  hint: string;
  user: string;
  filter: string;
  all: string;
  wrongUser: string;
  time: string;
  doubled: string;
  yes: string;
  no: string;
  empty: string;
  emptyOfUser: string;
  pages: string;
  newer: string;
  older: string;
  download: {
    title: string;
    hint: string;
    onlyUser: (userId: Html) => Html;
    from: string;
    to: string;
    action: string;
    faults: Record<PeriodFault, string>;
  };
};

export const votesMessages: Record<Locale, VotesMessages> = {
  en: {
    title: 'Recent votes',
    hint: 'Newest first. All times are UTC.',
    user: 'User id',
    filter: 'Filter',
    all: 'Show all votes',
    wrongUser: 'A Discord user id has 15 to 20 digits. All votes are shown.',
    time: 'Time',
    doubled: 'Doubled',
    yes: 'Doubled',
    no: 'No',
    empty: 'No votes yet.',
    emptyOfUser: 'No votes by this user.',
    pages: 'Pagination',
    newer: 'Newer votes',
    older: 'Older votes',
    download: {
      title: 'Download as CSV',
      hint: 'Up to 31 days in UTC, first and last day included. In a spreadsheet, import user_id as text: it has too many digits for a number.',
      onlyUser: (userId) => html`Only votes by ${userId}, as filtered above.`,
      from: 'From',
      to: 'To',
      action: 'Download CSV',
      faults: {
        INVALID_DATE: 'One of these dates is not valid. Use the format YYYY-MM-DD.',
        INVALID_DATE_RANGE: 'The first day must not be after the last day.',
        DATE_RANGE_TOO_LARGE: 'A download covers at most 31 days. Choose a shorter period.',
      },
    },
  },
  fr: {
    title: 'Votes récents',
    hint: 'Les plus récents d’abord. Toutes les heures sont en UTC.',
    user: 'Identifiant utilisateur',
    filter: 'Filtrer',
    all: 'Afficher tous les votes',
    wrongUser: 'Un identifiant Discord comporte de 15 à 20 chiffres. Tous les votes sont affichés.',
    time: 'Date et heure',
    doubled: 'Compté double',
    yes: 'Compté double',
    no: 'Non',
    empty: 'Aucun vote pour l’instant.',
    emptyOfUser: 'Aucun vote de cet utilisateur.',
    pages: 'Pagination',
    newer: 'Votes plus récents',
    older: 'Votes plus anciens',
    download: {
      title: 'Télécharger en CSV',
      hint: 'Jusqu’à 31 jours en UTC, premier et dernier jour compris. Dans un tableur, importez user_id comme du texte\u00A0: il a trop de chiffres pour un nombre.',
      onlyUser: (userId) => html`Uniquement les votes de ${userId}, selon le filtre ci-dessus.`,
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
  },
};
