import type { Locale } from '../../domain/locale.ts';
import { type Html, html } from '../layout/html.ts';

type VoteMessages = {
  title(guild: string): string;
  votesThisMonth(votes: number): string;
  votingAs(externalId: Html): Html;
  votedAs(externalId: Html): Html;
  signedInAs(person: Html): Html;
  vote: string;
  signInToVote: string;
  signInWhy: string;
  rule: string;
  doubled: string;
  counted: string;
  countedDoubled: string;
  nextVote: string;
  nextVoteAt(time: Html): Html;
  reload: string;
  canVoteAgain: string;
  elapsed: string;
  countedUnder(externalId: Html): Html;
  countedWithout: string;
  backTo(host: string): string;
};

export const voteMessages: Record<Locale, VoteMessages> = {
  en: {
    title: (guild) => `Vote for ${guild}`,
    votesThisMonth: (votes) => (votes === 1 ? '1 vote this month' : `${count('en', votes)} votes this month`),
    votingAs: (externalId) => html`Voting as ${externalId}`,
    votedAs: (externalId) => html`Voted as ${externalId}`,
    signedInAs: (person) => html`Signed in as ${person}`,
    vote: 'Vote',
    signInToVote: 'Sign in to vote',
    signInWhy: 'Signing in makes sure that every person has one vote an hour.',
    rule: 'One vote an hour. It counts at once.',
    doubled: 'Votes count double right now',
    counted: 'Your vote is counted. Thank you!',
    countedDoubled: 'Your vote is counted, and it counts double. Thank you!',
    nextVote: 'Next vote in',
    nextVoteAt: (time) => html`You can vote again at ${time}.`,
    reload: 'Reload this page then.',
    canVoteAgain: 'You can vote again now.',
    elapsed: 'Time until your next vote',
    countedUnder: (externalId) =>
      html`Your vote of this hour was counted for ${externalId}, not for the name in this link.`,
    countedWithout: 'Your vote of this hour was counted without the name in this link.',
    backTo: (host) => `Back to ${host}`,
  },
  fr: {
    title: (guild) => `Voter pour ${guild}`,
    votesThisMonth: (votes) =>
      votes < 2 ? `${count('fr', votes)} vote ce mois-ci` : `${count('fr', votes)} votes ce mois-ci`,
    votedAs: (externalId) => html`Vote au nom de ${externalId}`,
    votingAs: (externalId) => html`Vous votez en tant que ${externalId}`,
    signedInAs: (person) => html`Connecté en tant que ${person}`,
    vote: 'Voter',
    signInToVote: 'Se connecter pour voter',
    signInWhy: 'La connexion garantit que chaque personne dispose d’un vote par heure.',
    rule: 'Un vote par heure, pris en compte immédiatement.',
    doubled: 'Les votes comptent double en ce moment',
    counted: 'Votre vote est enregistré. Merci !',
    countedDoubled: 'Votre vote est enregistré et compte double. Merci !',
    nextVote: 'Prochain vote dans',
    nextVoteAt: (time) => html`Vous pourrez revoter à ${time}.`,
    reload: 'Rechargez alors cette page.',
    canVoteAgain: 'Vous pouvez de nouveau voter.',
    elapsed: 'Temps restant avant votre prochain vote',
    countedUnder: (externalId) =>
      html`Votre vote de cette heure a été enregistré pour ${externalId}, et non pour le nom de ce lien.`,
    countedWithout: 'Votre vote de cette heure a été enregistré sans le nom de ce lien.',
    backTo: (host) => `Retour à ${host}`,
  },
};

function count(locale: Locale, votes: number): string {
  return new Intl.NumberFormat(locale).format(votes);
}
