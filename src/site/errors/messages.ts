import type { Locale } from '../../domain/locale.ts';
import { limitMessages } from '../dashboard/limit-messages.ts';
import type { PageFault } from './page-error.ts';

/** `action` labels a button that resolves the error; most errors only have the link back. */
export type FaultText = { title: string; text: string; action?: string; back: string };

const en: Record<PageFault, Omit<FaultText, 'back'>> = {
  NOT_FOUND: {
    title: 'Page not found',
    text: 'This page does not exist. Check the link, or start from the list of communities.',
  },
  GUILD_NOT_FOUND: {
    title: 'Community not found',
    text: 'This community is not listed here. The link may be wrong, or the community may have been removed.',
  },
  FORBIDDEN: {
    title: 'Access denied',
    text: 'You need the Administrator permission in this community. Ask its owner, or sign in with another account.',
    action: 'Sign in with another account',
  },
  SANCTIONED: {
    title: 'This community is sanctioned',
    text: 'Nothing was changed. The dashboard is read-only while the sanction is active. Contact the operator of this site.',
  },
  OPERATORS_ONLY: {
    title: 'Access denied',
    text: 'This page is for the operators of this site. They are listed in VOTARY_OPERATORS.',
    action: 'Sign in with another account',
  },
  VOTER_BANNED: {
    title: 'You cannot vote on this site',
    text: 'The operator of this site has banned your account from voting. Your vote was not counted.',
  },
  STALE_FORM: {
    title: 'This page has expired',
    text: 'Nothing was changed. Go back, reload the page and try again.',
  },
  CROSS_SITE_FORM: {
    title: 'This form was sent by another site',
    text: 'Nothing was changed. Use the form on this site instead.',
  },
  BAD_EXTERNAL_ID: {
    title: 'This vote link is not valid',
    text: 'The external_id in the link must be a single value of 1 to 191 characters, without control characters. Ask for a new link where you found this one.',
  },
  BAD_RETURN_ADDRESS: {
    title: 'This vote link is not valid',
    text: 'The return_to in the link must be a complete https:// URL.',
  },
  LINK_NOT_SIGNED: {
    title: 'Open this page from the game or its website',
    text: 'This community only takes votes through its own links. Go back to the game or the website of the community and follow its vote link.',
  },
  LINK_SIGNATURE_WRONG: {
    title: 'This vote link does not work',
    text: 'It was changed on the way, or it was made with an old secret. Go back to the game or the website of the community and follow its vote link again.',
  },
  LINK_EXPIRED: {
    title: 'This vote link has expired',
    text: 'Nothing was counted. Go back to the game or the website of the community to get a new link, then vote.',
  },
  BAD_FORM: {
    title: 'The form is incomplete',
    text: 'Part of the form is missing. Go back, reload the page and try again.',
  },
  DOWNLOAD_RUNNING: {
    title: 'One download at a time',
    text: 'You already have a download in progress. Wait until it finishes or cancel it, then try again.',
  },
  ...limitMessages.en,
  FORM_TOO_LARGE: {
    title: 'The form is too large',
    text: 'Nothing was changed. Go back, shorten the text and try again.',
  },
  SIGN_IN_DENIED: {
    title: 'Sign-in was cancelled',
    text: 'You declined the request on Discord. You can try again at any time.',
    action: 'Try again',
  },
  SIGN_IN_STALE: {
    title: 'This sign-in has expired',
    text: 'It was started too long ago or in another browser. Please sign in again.',
    action: 'Sign in',
  },
  SIGN_IN_UNAVAILABLE: {
    title: 'Discord is not responding',
    text: 'Sign-in is not possible right now. Please try again in a few minutes.',
    action: 'Try again',
  },
  SIGN_IN_PAUSED: {
    title: 'Sign-in is unavailable right now',
    text: 'Discord is rate limiting this site.',
    action: 'Try again',
  },
  TOO_MANY_SIGN_INS: {
    title: 'Too many sign-in attempts',
    text: 'There were too many sign-in attempts from your network.',
  },
  SIGN_IN_NOT_CONFIGURED: {
    title: 'Sign-in is not set up yet',
    text: 'The operator of this site must set VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET.',
  },
  SIGN_IN_ENDED: {
    title: 'You are no longer signed in',
    text: 'Nothing was changed. Sign in again and retry.',
    action: 'Sign in',
  },
  DEMO_FROM_OUTSIDE: {
    title: 'The demo only works locally',
    text: 'This request came through a proxy or from another site. Open the demo directly, in a browser on the machine that runs it. For real sign-in, set VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET.',
  },
  BROKEN: { title: 'Something went wrong', text: 'The error is on our side. Please try again in a moment.' },
};

const fr: Record<PageFault, Omit<FaultText, 'back'>> = {
  NOT_FOUND: {
    title: 'Page introuvable',
    text: 'Cette page n’existe pas. Vérifiez le lien ou repartez de la liste des communautés.',
  },
  GUILD_NOT_FOUND: {
    title: 'Communauté introuvable',
    text: 'Cette communauté n’est pas référencée ici. Le lien est peut-être erroné, ou la communauté a été retirée.',
  },
  FORBIDDEN: {
    title: 'Accès refusé',
    text: 'Il faut la permission Administrateur sur cette communauté. Adressez-vous à son propriétaire ou changez de compte.',
    action: 'Se connecter avec un autre compte',
  },
  SANCTIONED: {
    title: 'Cette communauté est sanctionnée',
    text: 'Rien n’a été modifié. Le tableau de bord est en lecture seule tant que la sanction est active. Contactez l’exploitant de ce site.',
  },
  OPERATORS_ONLY: {
    title: 'Accès refusé',
    text: 'Cette page est réservée aux exploitants de ce site. La variable VOTARY_OPERATORS les énumère.',
    action: 'Se connecter avec un autre compte',
  },
  VOTER_BANNED: {
    title: 'Vous ne pouvez pas voter sur ce site',
    text: 'L’exploitant de ce site a exclu votre compte des votes. Votre vote n’a pas été compté.',
  },
  STALE_FORM: {
    title: 'Cette page a expiré',
    text: 'Rien n’a été modifié. Revenez en arrière, rechargez la page et réessayez.',
  },
  CROSS_SITE_FORM: {
    title: 'Ce formulaire a été envoyé par un autre site',
    text: 'Rien n’a été modifié. Utilisez le formulaire de ce site.',
  },
  BAD_EXTERNAL_ID: {
    title: 'Ce lien de vote n’est pas valide',
    text: 'Le paramètre external_id du lien doit être une seule valeur de 1 à 191 caractères, sans caractère de contrôle. Demandez un nouveau lien là où vous avez trouvé celui-ci.',
  },
  BAD_RETURN_ADDRESS: {
    title: 'Ce lien de vote n’est pas valide',
    text: 'Le paramètre return_to du lien doit être une URL https:// complète.',
  },
  LINK_NOT_SIGNED: {
    title: 'Ouvrez cette page depuis le jeu ou son site',
    text: 'Cette communauté n’accepte que les votes venant de ses propres liens. Retournez dans le jeu ou sur le site de la communauté et suivez son lien de vote.',
  },
  LINK_SIGNATURE_WRONG: {
    title: 'Ce lien de vote ne fonctionne pas',
    text: 'Il a été modifié en chemin, ou créé avec un ancien secret. Retournez dans le jeu ou sur le site de la communauté et suivez de nouveau son lien de vote.',
  },
  LINK_EXPIRED: {
    title: 'Ce lien de vote a expiré',
    text: 'Aucun vote n’a été enregistré. Retournez dans le jeu ou sur le site de la communauté pour obtenir un nouveau lien, puis votez.',
  },
  BAD_FORM: {
    title: 'Le formulaire est incomplet',
    text: 'Une partie du formulaire manque. Revenez en arrière, rechargez la page et réessayez.',
  },
  DOWNLOAD_RUNNING: {
    title: 'Un seul téléchargement à la fois',
    text: 'Vous avez déjà un téléchargement en cours. Attendez qu’il soit terminé ou annulez-le, puis réessayez.',
  },
  ...limitMessages.fr,
  FORM_TOO_LARGE: {
    title: 'Le formulaire est trop volumineux',
    text: 'Rien n’a été modifié. Revenez en arrière, raccourcissez le texte et réessayez.',
  },
  SIGN_IN_DENIED: {
    title: 'Connexion annulée',
    text: 'Vous avez refusé la demande sur Discord. Vous pouvez réessayer à tout moment.',
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
    text: 'Il y a eu trop de tentatives de connexion depuis votre réseau.',
  },
  SIGN_IN_NOT_CONFIGURED: {
    title: 'La connexion n’est pas encore configurée',
    text: 'L’exploitant de ce site doit définir VOTARY_DISCORD_CLIENT_ID et VOTARY_DISCORD_CLIENT_SECRET.',
  },
  SIGN_IN_ENDED: {
    title: 'Votre session est terminée',
    text: 'Rien n’a été modifié. Reconnectez-vous, puis réessayez.',
    action: 'Se connecter',
  },
  DEMO_FROM_OUTSIDE: {
    title: 'La démo ne fonctionne qu’en local',
    text: 'Cette requête est passée par un proxy ou vient d’un autre site. Ouvrez la démo directement, dans un navigateur sur la machine qui l’exécute. Pour une vraie connexion, définissez VOTARY_DISCORD_CLIENT_ID et VOTARY_DISCORD_CLIENT_SECRET.',
  },
  BROKEN: {
    title: 'Une erreur s’est produite',
    text: 'L’erreur vient de notre côté. Veuillez réessayer dans un instant.',
  },
};

/** `retryAfterSeconds` adds when to try again, where that is known. */
type FaultTextOf = (fault: PageFault, retryAfterSeconds?: number) => FaultText;

export const faultMessages: Record<Locale, FaultTextOf> = {
  en: (fault, seconds) => {
    const wait = `Please try again in ${waitText('en', seconds)}.`;
    return { ...withWait(en[fault], seconds, wait), back: 'Back to communities' };
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

/** Uses the largest unit that gives at least two. */
function waitText(locale: Locale, seconds = 0): string {
  const unit = UNITS.find((known) => seconds >= 2 * known.seconds) ?? UNITS[3];
  const count = Math.ceil(seconds / unit.seconds);
  return `${count} ${unit[locale][count === 1 ? 0 : 1]}`;
}

function withWait<T extends { text: string }>(message: T, seconds: number | undefined, wait: string): T {
  return seconds === undefined ? message : { ...message, text: `${message.text} ${wait}` };
}
