import type { Locale } from '../../domain/locale.ts';
import { limitMessages } from '../dashboard/limit-messages.ts';
import type { PageFault } from './page-error.ts';

/** `action` names a button for what helps; most faults have none but the way back. */
export type FaultText = { title: string; text: string; action?: string; back: string };

const en: Record<PageFault, Omit<FaultText, 'back'>> = {
  NOT_FOUND: {
    title: 'Page not found',
    text: 'There is nothing at this address. Check the link, or start from the list of communities.',
  },
  GUILD_NOT_FOUND: {
    title: 'Community not found',
    text: 'This community is not listed here. The link may be mistyped, or the community was removed.',
  },
  FORBIDDEN: {
    title: 'Not for this account',
    text: 'You need the Administrator permission on this community. Ask its owner, or sign in with another account.',
    action: 'Sign in with another account',
  },
  SANCTIONED: {
    title: 'This community is sanctioned',
    text: 'Nothing was changed: its dashboard is read-only while the sanction lasts. Contact the operator of this site.',
  },
  VOTER_BANNED: {
    title: 'You cannot vote on this site',
    text: 'The operator of this site has banned your account from voting. Your vote was not counted.',
  },
  STALE_FORM: {
    title: 'This page was open too long',
    text: 'Nothing was changed. Go back, reload the page and try again.',
  },
  CROSS_SITE_FORM: {
    title: 'This form was sent by another site',
    text: 'Nothing was changed. Do it on the page of this site instead.',
  },
  BAD_EXTERNAL_ID: {
    title: 'This vote link is not valid',
    text: 'Its external_id must be one text of 1 to 191 characters without control characters. Ask whoever gave you the link for a new one.',
  },
  BAD_RETURN_ADDRESS: {
    title: 'This vote link is not valid',
    text: 'Its return_to must be a full https:// address.',
  },
  BAD_FORM: {
    title: 'That did not work',
    text: 'The form arrived incomplete. Go back, reload the page and try again.',
  },
  DOWNLOAD_RUNNING: {
    title: 'One download at a time',
    text: 'Another download of yours is still running. Wait until it is complete, or cancel it, then try again.',
  },
  ...limitMessages.en,
  FORM_TOO_LARGE: {
    title: 'That was too much text',
    text: 'The form is larger than this site accepts. Nothing was changed. Go back, shorten it and try again.',
  },
  SIGN_IN_DENIED: {
    title: 'Sign-in was cancelled',
    text: 'You did not allow the sign-in, so nothing happened. You can try again whenever you like.',
    action: 'Try again',
  },
  SIGN_IN_STALE: {
    title: 'This sign-in has expired',
    text: 'It was started too long ago, or in another browser. Please sign in again.',
    action: 'Sign in',
  },
  SIGN_IN_UNAVAILABLE: {
    title: 'Discord does not answer',
    text: 'Sign-in is not possible right now. Please try again in a few minutes.',
    action: 'Try again',
  },
  SIGN_IN_PAUSED: {
    title: 'Sign-in is unavailable right now',
    text: 'Discord is limiting the requests of this site.',
    action: 'Try again',
  },
  TOO_MANY_SIGN_INS: {
    title: 'Too many sign-in attempts',
    text: 'Too many sign-ins were tried from your network.',
  },
  SIGN_IN_NOT_CONFIGURED: {
    title: 'Sign-in is not set up yet',
    text: 'Nobody can sign in here so far. The operator of this site has to set VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET.',
  },
  SIGN_IN_ENDED: {
    title: 'You are no longer signed in',
    text: 'Nothing was changed. Sign in again, then repeat what you were doing.',
    action: 'Sign in',
  },
  DEMO_FROM_OUTSIDE: {
    title: 'The demo works on its own machine only',
    text: 'This request came through a proxy or from another site. Open the demo directly, in a browser on the machine that runs it. For real sign-in, the operator sets VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET.',
  },
  BROKEN: { title: 'Something went wrong', text: 'The fault is on our side. Please try again in a moment.' },
};

const fr: Record<PageFault, Omit<FaultText, 'back'>> = {
  NOT_FOUND: {
    title: 'Page introuvable',
    text: 'Il n’y a rien à cette adresse. Vérifiez le lien ou repartez de la liste des communautés.',
  },
  GUILD_NOT_FOUND: {
    title: 'Communauté introuvable',
    text: 'Cette communauté ne figure pas ici. Le lien est peut-être erroné, ou la communauté a été retirée.',
  },
  FORBIDDEN: {
    title: 'Accès refusé à ce compte',
    text: 'Il faut la permission Administrateur sur cette communauté. Adressez-vous à son propriétaire ou changez de compte.',
    action: 'Se connecter avec un autre compte',
  },
  SANCTIONED: {
    title: 'Cette communauté est sanctionnée',
    text: 'Rien n’a été modifié : son tableau de bord est en lecture seule tant que dure la sanction. Contactez l’exploitant de ce site.',
  },
  VOTER_BANNED: {
    title: 'Vous ne pouvez pas voter sur ce site',
    text: 'L’exploitant de ce site a exclu votre compte des votes. Votre vote n’a pas été compté.',
  },
  STALE_FORM: {
    title: 'Cette page était ouverte depuis trop longtemps',
    text: 'Rien n’a été modifié. Revenez en arrière, rechargez la page et réessayez.',
  },
  CROSS_SITE_FORM: {
    title: 'Ce formulaire a été envoyé par un autre site',
    text: 'Rien n’a été modifié. Passez par la page de ce site.',
  },
  BAD_EXTERNAL_ID: {
    title: 'Ce lien de vote n’est pas valide',
    text: 'Son external_id doit être un seul texte de 1 à 191 caractères, sans caractère de contrôle. Demandez un nouveau lien à la personne qui vous l’a donné.',
  },
  BAD_RETURN_ADDRESS: {
    title: 'Ce lien de vote n’est pas valide',
    text: 'Son return_to doit être une adresse https:// complète.',
  },
  BAD_FORM: {
    title: 'Cela n’a pas fonctionné',
    text: 'Le formulaire est arrivé incomplet. Revenez en arrière, rechargez la page et réessayez.',
  },
  DOWNLOAD_RUNNING: {
    title: 'Un seul téléchargement à la fois',
    text: 'Un autre de vos téléchargements est encore en cours. Attendez qu’il soit terminé ou annulez-le, puis réessayez.',
  },
  ...limitMessages.fr,
  FORM_TOO_LARGE: {
    title: 'Ce texte est trop long',
    text: 'Le formulaire dépasse la taille acceptée par ce site. Rien n’a été modifié. Revenez en arrière, raccourcissez-le et réessayez.',
  },
  SIGN_IN_DENIED: {
    title: 'Connexion annulée',
    text: 'Vous n’avez pas autorisé la connexion : il ne s’est donc rien passé. Vous pouvez réessayer quand vous voulez.',
    action: 'Réessayer',
  },
  SIGN_IN_STALE: {
    title: 'Cette connexion a expiré',
    text: 'Elle a été commencée il y a trop longtemps ou dans un autre navigateur. Veuillez vous reconnecter.',
    action: 'Se connecter',
  },
  SIGN_IN_UNAVAILABLE: {
    title: 'Discord ne répond pas',
    text: 'La connexion est impossible pour le moment. Veuillez réessayer dans quelques minutes.',
    action: 'Réessayer',
  },
  SIGN_IN_PAUSED: {
    title: 'La connexion est indisponible pour le moment',
    text: 'Discord limite actuellement les requêtes de ce site.',
    action: 'Réessayer',
  },
  TOO_MANY_SIGN_INS: {
    title: 'Trop de tentatives de connexion',
    text: 'Trop de tentatives de connexion sont venues de votre réseau.',
  },
  SIGN_IN_NOT_CONFIGURED: {
    title: 'La connexion n’est pas encore configurée',
    text: 'Personne ne peut encore se connecter ici. L’exploitant du site doit définir VOTARY_DISCORD_CLIENT_ID et VOTARY_DISCORD_CLIENT_SECRET.',
  },
  SIGN_IN_ENDED: {
    title: 'Vous n’êtes plus connecté',
    text: 'Rien n’a été modifié. Reconnectez-vous, puis recommencez.',
    action: 'Se connecter',
  },
  DEMO_FROM_OUTSIDE: {
    title: 'La démo ne fonctionne que sur sa propre machine',
    text: 'Cette requête est passée par un proxy ou vient d’un autre site. Ouvrez la démo directement, dans un navigateur sur la machine qui l’exécute. Pour une vraie connexion, l’exploitant définit VOTARY_DISCORD_CLIENT_ID et VOTARY_DISCORD_CLIENT_SECRET.',
  },
  BROKEN: {
    title: 'Une erreur s’est produite',
    text: 'Le problème vient de chez nous. Veuillez réessayer dans un instant.',
  },
};

/** The seconds are those after which it is worth trying again, where they are known. */
type FaultWords = (fault: PageFault, retryAfterSeconds?: number) => FaultText;

export const faultMessages: Record<Locale, FaultWords> = {
  en: (fault, seconds) => {
    const wait = `Please try again in ${waitText('en', seconds)}.`;
    return { ...withWait(en[fault], seconds, wait), back: 'Back to the communities' };
  },
  fr: (fault, seconds) => {
    const wait = `Veuillez réessayer dans ${waitText('fr', seconds)}.`;
    return { ...withWait(fr[fault], seconds, wait), back: 'Retour aux communautés' };
  },
};

const UNITS = [
  { seconds: 86_400, en: ['day', 'days'], fr: ['jour', 'jours'] },
  { seconds: 3600, en: ['hour', 'hours'], fr: ['heure', 'heures'] },
  { seconds: 60, en: ['minute', 'minutes'], fr: ['minute', 'minutes'] },
  { seconds: 1, en: ['second', 'seconds'], fr: ['seconde', 'secondes'] },
] as const;

/** In the largest unit of which there are at least two. */
function waitText(locale: Locale, seconds = 0): string {
  const unit = UNITS.find((known) => seconds >= 2 * known.seconds) ?? UNITS[3];
  const count = Math.ceil(seconds / unit.seconds);
  return `${count} ${unit[locale][count === 1 ? 0 : 1]}`;
}

function withWait<T extends { text: string }>(words: T, seconds: number | undefined, wait: string): T {
  return seconds === undefined ? words : { ...words, text: `${words.text} ${wait}` };
}
