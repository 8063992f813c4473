import type { Locale } from '../../../domain/locale.ts';

type KeyMessages = {
  title: string;
  lead: string;
  generate: string;
  none: string;
  keyLabel: string;
  masked: (lastFour: string) => string;
  sealedAway: string;
  reveal: string;
  hide: string;
  copyKey: string;
  regenerate: string;
  madeOn: string;
  secret: string;
  shownHint: string;
  tryIt: string;
  tryItLastVoter: string;
  tryItSample: string;
  tryItPlaceholder: string;
  copyCurl: string;
  docs: string;
  confirm: { title: string; warning: string; consequence: string; confirm: string; cancel: string };
};

export const keyMessages: Record<Locale, KeyMessages> = {
  en: {
    title: 'API key',
    lead: 'Your bot, website or game server proves with this key that it asks for your community. Every administrator can see it.',
    generate: 'Generate my API key',
    none: 'There is no API key.',
    keyLabel: 'API key:',
    masked: (lastFour) => `hidden, ending in ${lastFour}`,
    sealedAway:
      'This key still works, but it cannot be shown: it was stored under another master secret of this site. Regenerate it, or ask the operator to set that secret again.',
    reveal: 'Reveal',
    hide: 'Hide',
    copyKey: 'Copy key',
    regenerate: 'Regenerate…',
    madeOn: 'Generated on',
    secret: 'Keep it secret: not in web pages, public repositories, screenshots or videos.',
    shownHint: 'That you saw it is recorded in the activity log. Keep it secret.',
    tryIt: 'Try it',
    tryItLastVoter: 'Asks whether the member who voted last is still inside the hour.',
    tryItSample: 'Put the Discord id of a member in place of the one in this line.',
    tryItPlaceholder:
      'Reveal your key to get this line with the key filled in, or replace YOUR_API_KEY yourself.',
    copyCurl: 'Copy command',
    docs: 'Read the API documentation',
    confirm: {
      title: 'Regenerate the API key?',
      warning: 'The old key stops working at once.',
      consequence:
        'Every bot, website and game server that uses it gets INVALID_API_TOKEN until you give it the new one. This cannot be undone.',
      confirm: 'Regenerate now',
      cancel: 'Keep the old key',
    },
  },
  fr: {
    title: 'Clé d’API',
    lead: 'Avec cette clé, votre bot, votre site ou votre serveur de jeu prouve qu’il agit pour votre communauté. Tous les administrateurs peuvent la voir.',
    generate: 'Générer ma clé d’API',
    none: 'Il n’y a pas de clé d’API.',
    keyLabel: 'Clé d’API :',
    masked: (lastFour) => `masquée, se termine par ${lastFour}`,
    sealedAway:
      'Cette clé fonctionne toujours mais ne peut pas être affichée : elle a été enregistrée sous un autre secret principal de ce site. Régénérez-la, ou demandez à l’exploitant de rétablir ce secret.',
    reveal: 'Afficher',
    hide: 'Masquer',
    copyKey: 'Copier la clé',
    regenerate: 'Régénérer…',
    madeOn: 'Générée le',
    secret: 'Gardez-la secrète : ni pages web, ni dépôts publics, ni captures d’écran, ni vidéos.',
    shownHint: 'Cet affichage est consigné dans le journal d’activité. Gardez la clé secrète.',
    tryIt: 'Essayer',
    tryItLastVoter: 'Demande si le dernier membre à avoir voté est encore dans l’heure qui suit son vote.',
    tryItSample: 'Remplacez l’identifiant Discord de cette ligne par celui d’un membre.',
    tryItPlaceholder:
      'Affichez votre clé pour l’obtenir déjà insérée dans cette ligne, ou remplacez vous-même YOUR_API_KEY.',
    copyCurl: 'Copier la commande',
    docs: 'Lire la documentation de l’API',
    confirm: {
      title: 'Régénérer la clé d’API ?',
      warning: 'L’ancienne clé cesse immédiatement de fonctionner.',
      consequence:
        'Les bots, sites et serveurs de jeu qui l’utilisent recevront INVALID_API_TOKEN tant que vous ne leur aurez pas donné la nouvelle. C’est irréversible.',
      confirm: 'Régénérer maintenant',
      cancel: 'Garder l’ancienne clé',
    },
  },
};

type LinksMessages = {
  title: string;
  standard: string;
  standardHint: string;
  copyStandard: string;
  custom: string;
  customHint: string;
  externalId: string;
  example: string;
  build: string;
  copyCustom: string;
  wrong: (maxLength: number) => string;
  wayBack: string;
  wayBackHint: string;
};

export const linksMessages: Record<Locale, LinksMessages> = {
  en: {
    title: 'Vote links',
    standard: 'Standard link',
    standardHint: 'For everybody. Check the vote by discord_id.',
    copyStandard: 'Copy standard link',
    custom: 'Custom link',
    customHint:
      'For one member: their game name or website account goes along with the vote, so that you can check it by external_id. Build one for each member from your own site or game.',
    externalId: 'external_id',
    example: 'Steve_42',
    build: 'Build link',
    copyCustom: 'Copy custom link',
    wrong: (maxLength) => `An external_id has 1 to ${maxLength} characters and no control characters.`,
    wayBack: 'Back to your site',
    wayBackHint:
      'Add return_to, a complete https:// address, percent-encoded, to either link: once the vote is counted, a button leads there. Coming back proves nothing, so check the vote with the API.',
  },
  fr: {
    title: 'Liens de vote',
    standard: 'Lien standard',
    standardHint: 'Pour tout le monde. Le vote se vérifie avec discord_id.',
    copyStandard: 'Copier le lien standard',
    custom: 'Lien personnalisé',
    customHint:
      'Pour un seul membre : son pseudo de jeu ou son compte accompagne le vote, que vous pouvez alors vérifier avec external_id. Votre site ou votre jeu en construit un pour chaque membre.',
    externalId: 'external_id',
    example: 'Steve_42',
    build: 'Créer le lien',
    copyCustom: 'Copier le lien personnalisé',
    wrong: (maxLength) =>
      `Un external_id comporte de 1 à ${maxLength} caractères, sans caractère de contrôle.`,
    wayBack: 'Retour vers votre site',
    wayBackHint:
      'Ajoutez à l’un ou l’autre lien le paramètre return_to, une adresse https:// complète et encodée\u00A0: une fois le vote compté, un bouton y mène. Ce retour ne prouve rien\u00A0: vérifiez le vote avec l’API.',
  },
};
