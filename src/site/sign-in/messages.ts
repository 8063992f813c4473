import type { Locale } from '../../domain/locale.ts';

const en = {
  title: 'Demo sign-in',
  lead: 'No identity is checked here. Choose a user to sign in as.',
  roles: {
    administrator: 'Administrator of Demo Community',
    member: 'Member who votes',
    newcomer: 'Administrator of a community that is not listed yet',
  },
  production:
    'For real sign-in with Discord, start the service with VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET.',
};

const fr: typeof en = {
  title: 'Connexion de démonstration',
  lead: 'Aucune identité n’est vérifiée ici. Choisissez le compte à utiliser.',
  roles: {
    administrator: 'Administre Demo Community',
    member: 'Membre qui vote',
    newcomer: 'Administre une communauté qui n’est pas encore référencée',
  },
  production:
    'Pour une vraie connexion avec Discord, démarrez le service avec VOTARY_DISCORD_CLIENT_ID et VOTARY_DISCORD_CLIENT_SECRET.',
};

export const signInMessages: Record<Locale, typeof en> = { en, fr };
