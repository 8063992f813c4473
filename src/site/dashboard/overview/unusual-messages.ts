import type { Locale } from '../../../domain/locale.ts';
import type { VoteMark } from '../../../domain/votes/marks.ts';
import { type Html, html } from '../../layout/html.ts';

type UnusualMessages = {
  title: string;
  hint: (days: number) => string;
  nothing: string;
  /** `number` is the formatted `count`. The result is passed to the other messages. */
  votes: (count: number, number: string) => string;
  /** `busy`: the votes of a busy hour. */
  burst: (votes: string, hour: Html, busy: string) => Html;
  sharedNames: (votes: string, names: Html) => Html;
  /** `networks` is null when they are no longer known. */
  busyNetworks: (votes: string, networks: string | null) => Html;
  youngAccounts: (votes: string) => Html;
  marks: Record<VoteMark, string>;
  asTable: string;
  day: string;
};

const en: UnusualMessages = {
  title: 'Unusual votes',
  hint: (days) =>
    `The last ${days} days, UTC. These votes count; tell the operator of this site if they look wrong.`,
  nothing: 'Nothing unusual.',
  votes: (count, number) => (count === 1 ? '1 vote' : `${number} votes`),
  burst: (votes, hour, busy) => html`Burst: ${votes} in the hour from ${hour}. A busy hour has ${busy}.`,
  sharedNames: (votes, names) =>
    html`Shared names: ${votes} under a name that another account had used in the previous 24 hours. Most frequent: ${names}.`,
  busyNetworks: (votes, networks) =>
    networks === null
      ? html`Busy networks: ${votes}.`
      : html`Busy networks: ${votes}; networks that many accounts voted from: ${networks}.`,
  youngAccounts: (votes) => html`Young accounts: ${votes} by accounts less than 30 days old.`,
  marks: { young_account: 'Young account', busy_network: 'Busy network', shared_name: 'Shared name' },
  asTable: 'Show as a table',
  day: 'Day',
};

const fr: UnusualMessages = {
  title: 'Votes inhabituels',
  hint: (days) =>
    `Les ${days} derniers jours, UTC. Ces votes comptent\u00A0; prévenez l’administration de ce site s’ils vous semblent anormaux.`,
  nothing: 'Rien d’inhabituel.',
  votes: (count, number) => (count < 2 ? `${number} vote` : `${number} votes`),
  burst: (votes, hour, busy) =>
    html`Pic\u00A0: ${votes} dans l’heure à partir du ${hour}. Une heure de forte activité en compte ${busy}.`,
  sharedNames: (votes, names) =>
    html`Noms partagés\u00A0: ${votes} sous un nom qu’un autre compte avait utilisé dans les 24 heures précédentes. Les plus fréquents\u00A0: ${names}.`,
  busyNetworks: (votes, networks) =>
    networks === null
      ? html`Réseaux très actifs\u00A0: ${votes}.`
      : html`Réseaux très actifs\u00A0: ${votes}\u00A0; réseaux d’où de nombreux comptes ont voté\u00A0: ${networks}.`,
  youngAccounts: (votes) => html`Comptes récents\u00A0: ${votes} de comptes de moins de 30 jours.`,
  marks: { young_account: 'Compte récent', busy_network: 'Réseau très actif', shared_name: 'Nom partagé' },
  asTable: 'Afficher sous forme de tableau',
  day: 'Jour',
};

export const unusualMessages: Record<Locale, UnusualMessages> = { en, fr };
