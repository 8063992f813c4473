import type { Locale } from '../../domain/locale.ts';
import type { ChallengeProblem } from '../../voting/challenge.ts';
import { formatVotes } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import type { ClosedGate } from './gate.ts';

const en = {
  title: (guild: string) => `Vote for ${guild}`,
  description: (guild: string) => `Sign in with Discord and vote for ${guild}. You can vote once an hour.`,
  votesThisMonth: (votes: number) => `${formatVotes(votes, 'en')} this month`,
  votingAs: (externalId: Html, guild: Html) => html`Voting as ${externalId} for ${guild}`,
  votingFor: (guild: Html) => html`Voting for ${guild} with your Discord account`,
  votedAs: (externalId: Html) => html`Voted as ${externalId}`,
  signedInAs: (person: Html) => html`Signed in as ${person}`,
  vote: 'Vote',
  signInToVote: 'Sign in with Discord to vote',
  signInWhy:
    'Signing in ensures one vote per person per hour. Discord shares your user name, your id and your picture with us, and nothing else.',
  privacy: 'Privacy',
  signInMembers:
    'Only members can vote here, so Discord shares your user name, your id, your picture and the list of your servers with us.',
  seenBy: 'The community will see that you voted.',
  leadsBackTo: (host: Html) => html`This link leads back to ${host} after the vote.`,
  rule: 'One vote per hour, counted immediately.',
  doubled: 'Votes are worth double rewards right now',
  counted: 'Your vote has been counted. Thank you!',
  countedDoubled: 'Your vote has been counted and is worth double rewards. Thank you!',
  nextVote: 'Next vote in',
  nextVoteAt: (when: Html) => html`You can vote again ${when}.`,
  reload: 'Reload this page at that time.',
  canVoteAgain: 'You can vote again now.',
  elapsed: 'Elapsed waiting time',
  countedUnder: (externalId: Html) =>
    html`Your last vote was counted for ${externalId}, not for the name in this link.`,
  countedWithout: 'Your last vote counted, but not for this player name.',
  backTo: (host: string) => `Back to ${host}`,
  checkMembership: 'Check my membership',
  join: 'Join on Discord',
  checkAgain: 'I’ve joined, check again',
  otherAccount: 'Use another Discord account',
  toCommunity: 'See this community',
  banReason: 'Reason:',
  contact: 'If you think this is a mistake, contact the operator of this site.',
  /** `when`: "in 42 min (9:56 PM)" or "on Nov 20, 2026, 9:56 PM", if there is a time from which a vote is possible. */
  closed: {
    banned: (when) => ({
      title: 'You cannot vote on this site.',
      text:
        when === null
          ? html`The operator of this site has banned your account from voting.`
          : html`The operator of this site has banned your account from voting. You can vote again ${when}.`,
    }),
    young_account: (when) => ({
      title: 'Your Discord account is too new to vote.',
      text: html`You can vote ${when}. Thank you for your patience!`,
    }),
    not_member: () => ({
      title: 'Only members of this community can vote.',
      text: html`Join its Discord server, then come back to this page.`,
    }),
    membership_unknown: () => ({
      title: 'Only members of this community can vote.',
      text: html`Discord has to confirm that you are a member. You will be sent back to this page.`,
    }),
    busy_network: (when) => ({
      title: 'Too many accounts voted from your network.',
      text: html`No more votes are accepted from it right now. Try again ${when}, or use another connection.`,
    }),
    cooldown: (when) => ({
      title: 'Your last vote no longer counts.',
      text: html`The operator of this site voided it. You can vote again ${when}.`,
    }),
  } satisfies Record<ClosedGate['kind'], (when: Html | null) => { title: string; text: Html }>,
  challenge: {
    busy: 'Running a short check in your browser. This takes a few seconds.',
    waiting: 'One moment: your vote will be sent as soon as the check is complete.',
    ready: 'Check complete. You can vote.',
    failed: 'The check did not work in this browser. Reload the page to try again.',
    noScript: (time: Html) =>
      html`Many accounts voted from your network within the last hour, so your browser has to run a short check, which requires JavaScript. Without it, come back ${time}.`,
    problems: {
      missing:
        'Many accounts voted from your network within the last hour. Your browser has to run a short check first.',
      expired: 'The page was open for too long, so the check has to run again. Please vote once more.',
      forged: 'The check does not belong to this vote, so it has to run again. Please vote once more.',
      replayed: 'This check was already used, so it has to run again. Please vote once more.',
      too_cheap:
        'More accounts have voted from your network since then, so a longer check is required. Please vote once more.',
      turnstile_refused: 'The check was not passed. Please try again.',
      turnstile_unreachable:
        'The check could not be confirmed, so your browser runs a different one. Please vote once more.',
    } satisfies Record<ChallengeProblem, string>,
  },
};

const fr: typeof en = {
  title: (guild) => `Voter pour ${guild}`,
  description: (guild) =>
    `Connectez-vous avec Discord et votez pour ${guild}. Vous pouvez voter une fois par heure.`,
  votesThisMonth: (votes) => `${formatVotes(votes, 'fr')} ce mois-ci`,
  votedAs: (externalId) => html`Vote enregistré pour ${externalId}`,
  votingAs: (externalId, guild) => html`Vous votez en tant que ${externalId} pour ${guild}`,
  votingFor: (guild) => html`Vous votez pour ${guild} avec votre compte Discord`,
  signedInAs: (person) => html`Connecté en tant que ${person}`,
  vote: 'Voter',
  signInToVote: 'Se connecter avec Discord pour voter',
  signInWhy:
    'La connexion garantit un seul vote par personne et par heure. Discord nous transmet votre pseudo, votre identifiant et votre image, et rien d’autre.',
  privacy: 'Confidentialité',
  signInMembers:
    'Seuls les membres peuvent voter ici\u00A0: Discord nous transmet donc votre pseudo, votre identifiant, votre image et la liste de vos serveurs.',
  seenBy: 'La communauté saura que vous avez voté.',
  leadsBackTo: (host) => html`Ce lien ramène à ${host} après le vote.`,
  rule: 'Un vote par heure, pris en compte immédiatement.',
  doubled: 'En ce moment, chaque vote donne droit à une double récompense',
  counted: 'Votre vote est enregistré. Merci\u00A0!',
  countedDoubled: 'Votre vote est enregistré et donne droit à une double récompense. Merci\u00A0!',
  nextVote: 'Prochain vote dans',
  nextVoteAt: (when) => html`Vous pourrez revoter ${when}.`,
  reload: 'Rechargez cette page à ce moment-là.',
  canVoteAgain: 'Vous pouvez de nouveau voter.',
  elapsed: 'Temps d’attente écoulé',
  countedUnder: (externalId) =>
    html`Votre dernier vote a été enregistré pour ${externalId}, et non pour le nom indiqué dans ce lien.`,
  countedWithout: 'Votre dernier vote a compté, mais pas pour ce nom de joueur.',
  backTo: (host) => `Retour à ${host}`,
  checkMembership: 'Vérifier que je suis membre',
  join: 'Rejoindre sur Discord',
  checkAgain: 'J’ai rejoint, vérifier à nouveau',
  otherAccount: 'Utiliser un autre compte Discord',
  toCommunity: 'Voir cette communauté',
  banReason: 'Motif\u00A0:',
  contact: 'Si vous pensez qu’il s’agit d’une erreur, contactez l’administration de ce site.',
  closed: {
    banned: (when) => ({
      title: 'Vous ne pouvez pas voter sur ce site.',
      text:
        when === null
          ? html`L’administration de ce site a exclu votre compte des votes.`
          : html`L’administration de ce site a exclu votre compte des votes. Vous pourrez revoter ${when}.`,
    }),
    young_account: (when) => ({
      title: 'Votre compte Discord est trop récent pour voter.',
      text: html`Vous pourrez voter ${when}. Merci de votre patience\u00A0!`,
    }),
    not_member: () => ({
      title: 'Seuls les membres de cette communauté peuvent voter.',
      text: html`Rejoignez son serveur Discord, puis revenez sur cette page.`,
    }),
    membership_unknown: () => ({
      title: 'Seuls les membres de cette communauté peuvent voter.',
      text: html`Discord doit confirmer que vous en êtes membre. Vous reviendrez ensuite sur cette page.`,
    }),
    busy_network: (when) => ({
      title: 'Trop de comptes ont voté depuis votre réseau.',
      text: html`Personne d’autre ne peut voter depuis ce réseau pour le moment. Réessayez ${when}, ou utilisez une autre connexion.`,
    }),
    cooldown: (when) => ({
      title: 'Votre dernier vote ne compte plus.',
      text: html`L’administration de ce site l’a annulé. Vous pourrez revoter ${when}.`,
    }),
  },
  challenge: {
    busy: 'Votre navigateur effectue une courte vérification. Cela prend quelques secondes.',
    waiting: 'Un instant\u00A0: votre vote sera envoyé dès la fin de la vérification.',
    ready: 'Vérification terminée. Vous pouvez voter.',
    failed: 'La vérification n’a pas fonctionné dans ce navigateur. Rechargez la page pour réessayer.',
    noScript: (time) =>
      html`De nombreux comptes ont voté depuis votre réseau au cours de la dernière heure\u00A0: votre navigateur doit effectuer une courte vérification, qui nécessite JavaScript. Sans JavaScript, revenez ${time}.`,
    problems: {
      missing:
        'De nombreux comptes ont voté depuis votre réseau au cours de la dernière heure. Votre navigateur doit d’abord effectuer une courte vérification.',
      expired:
        'La page est restée ouverte trop longtemps. La vérification recommence\u00A0: veuillez voter de nouveau.',
      forged:
        'La vérification ne correspond pas à ce vote. Elle recommence\u00A0: veuillez voter de nouveau.',
      replayed: 'Cette vérification a déjà servi. Elle recommence\u00A0: veuillez voter de nouveau.',
      too_cheap:
        'D’autres comptes ont voté entre-temps depuis votre réseau. Une vérification plus longue est nécessaire\u00A0: veuillez voter de nouveau.',
      turnstile_refused: 'La vérification a échoué. Veuillez réessayer.',
      turnstile_unreachable:
        'La vérification n’a pas pu être confirmée. Votre navigateur en effectue une autre\u00A0: veuillez voter de nouveau.',
    },
  },
};

export const voteMessages: Record<Locale, typeof en> = { en, fr };
