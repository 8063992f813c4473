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
    signInWhy: 'Signing in ensures one vote per person per hour.',
    rule: 'One vote per hour, counted immediately.',
    doubled: 'Votes are worth double rewards right now',
    counted: 'Your vote has been counted. Thank you!',
    countedDoubled: 'Your vote has been counted and is worth double rewards. Thank you!',
    nextVote: 'Next vote in',
    nextVoteAt: (time) => html`You can vote again at ${time}.`,
    reload: 'Reload this page at that time.',
    canVoteAgain: 'You can vote again now.',
    elapsed: 'Time until your next vote',
    countedUnder: (externalId) =>
      html`Your last vote was counted for ${externalId}, not for the name in this link.`,
    countedWithout: 'Your last vote was counted without the name in this link.',
    backTo: (host) => `Back to ${host}`,
  },
  fr: {
    title: (guild) => `Voter pour ${guild}`,
    votesThisMonth: (votes) =>
      votes < 2 ? `${count('fr', votes)} vote ce mois-ci` : `${count('fr', votes)} votes ce mois-ci`,
    votedAs: (externalId) => html`Vote enregistré pour ${externalId}`,
    votingAs: (externalId) => html`Vous votez en tant que ${externalId}`,
    signedInAs: (person) => html`Compte utilisé\u00A0: ${person}`,
    vote: 'Voter',
    signInToVote: 'Se connecter pour voter',
    signInWhy: 'La connexion garantit un seul vote par personne et par heure.',
    rule: 'Un vote par heure, pris en compte immédiatement.',
    doubled: 'En ce moment, chaque vote donne droit à une double récompense',
    counted: 'Votre vote est enregistré. Merci\u00A0!',
    countedDoubled: 'Votre vote est enregistré et donne droit à une double récompense. Merci\u00A0!',
    nextVote: 'Prochain vote dans',
    nextVoteAt: (time) => html`Vous pourrez revoter à ${time}.`,
    reload: 'Rechargez cette page à ce moment-là.',
    canVoteAgain: 'Vous pouvez de nouveau voter.',
    elapsed: 'Temps restant avant votre prochain vote',
    countedUnder: (externalId) =>
      html`Votre dernier vote a été enregistré pour ${externalId}, et non pour le nom indiqué dans ce lien.`,
    countedWithout: 'Votre dernier vote a été enregistré sans le nom indiqué dans ce lien.',
    backTo: (host) => `Retour à ${host}`,
  },
};

function count(locale: Locale, votes: number): string {
  return new Intl.NumberFormat(locale).format(votes);
}
