import type { Locale } from '../../../domain/locale.ts';

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
