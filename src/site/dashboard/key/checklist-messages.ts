import type { Locale } from '../../../domain/locale.ts';

const en = {
  title: 'Get started',
  done: 'Done:',
  open: 'To do:',
  hide: 'Dismiss',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  steps: {
    key: {
      name: 'Generate the API key',
      hint: 'Your bot, website or game server authenticates with it.',
      action: 'Generate it',
    },
    request: {
      name: 'Send the first request',
      hint: 'Claim or check a vote with one of the examples.',
      action: 'Show the examples',
    },
    vote: {
      name: 'Get the first vote',
      hint: 'Share the vote link with your members.',
      action: 'Get the vote links',
    },
    reward: {
      name: 'Reward votes',
      hint: 'Claim votes with the API, or receive an event for each vote.',
      action: 'Add a webhook',
    },
  },
};

const fr: typeof en = {
  title: 'Premiers pas',
  done: 'Fait\u00A0:',
  open: 'À faire\u00A0:',
  hide: 'Masquer',
  progress: (done, all) => `${done} sur ${all}`,
  steps: {
    key: {
      name: 'Générer la clé API',
      hint: 'Votre bot, votre site ou votre serveur de jeu s’authentifie avec elle.',
      action: 'La générer',
    },
    request: {
      name: 'Envoyer la première requête',
      hint: 'Réclamez ou vérifiez un vote avec l’un des exemples.',
      action: 'Voir les exemples',
    },
    vote: {
      name: 'Obtenir le premier vote',
      hint: 'Partagez le lien de vote avec vos membres.',
      action: 'Obtenir les liens de vote',
    },
    reward: {
      name: 'Récompenser les votes',
      hint: 'Attribuez les récompenses avec l’API, ou recevez un événement pour chaque vote.',
      action: 'Ajouter un webhook',
    },
  },
};

export const checklistMessages: Record<Locale, typeof en> = { en, fr };
