import type { Locale } from '../../../domain/locale.ts';

const en = {
  title: 'Next step',
  done: 'Done:',
  open: 'To do:',
  hide: 'Dismiss',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  /** `short`: the name in the list of all steps. */
  steps: {
    key: {
      short: 'API key',
      name: 'Generate the API key',
      hint: 'Your bot, website or game server authenticates with it.',
      action: 'Generate the key',
    },
    test: {
      short: 'Test vote',
      name: 'Send a test vote',
      hint: 'It counts nowhere, but it can be claimed like a real vote, so you see that rewards work.',
      action: 'Open test votes',
    },
    connect: {
      short: 'Platform',
      name: 'Connect your platform',
      hint: 'Your Discord bot, Minecraft server or website claims votes, and rewards each one once.',
      action: 'Choose a platform',
    },
    share: {
      short: 'First vote',
      name: 'Share the voting page',
      hint: 'Your members vote there. The first vote completes this step.',
      action: 'Share the page',
    },
    goal: {
      short: 'Goal',
      name: 'Set a goal',
      hint: 'Voters see its progress on your pages, and an event tells you when it is reached.',
      action: 'Set a goal',
    },
  },
};

const fr: typeof en = {
  title: 'Prochaine étape',
  done: 'Fait\u00A0:',
  open: 'À faire\u00A0:',
  hide: 'Masquer',
  progress: (done, all) => `${done} sur ${all}`,
  steps: {
    key: {
      short: 'Clé API',
      name: 'Générer la clé API',
      hint: 'Votre bot, votre site ou votre serveur de jeu s’authentifie avec elle.',
      action: 'Générer la clé',
    },
    test: {
      short: 'Vote de test',
      name: 'Envoyer un vote de test',
      hint: 'Il ne compte nulle part, mais peut être réclamé comme un vrai vote\u00A0: vous voyez si les récompenses fonctionnent.',
      action: 'Voir les votes de test',
    },
    connect: {
      short: 'Plateforme',
      name: 'Connecter votre plateforme',
      hint: 'Votre bot Discord, votre serveur Minecraft ou votre site réclame les votes et récompense chacun une seule fois.',
      action: 'Choisir une plateforme',
    },
    share: {
      short: 'Premier vote',
      name: 'Partager la page de vote',
      hint: 'Vos membres y votent. Le premier vote termine cette étape.',
      action: 'Partager la page',
    },
    goal: {
      short: 'Objectif',
      name: 'Fixer un objectif',
      hint: 'Les votants voient sa progression sur vos pages, et un événement vous prévient quand il est atteint.',
      action: 'Fixer un objectif',
    },
  },
};

export const nextStepMessages: Record<Locale, typeof en> = { en, fr };
