import type { Locale } from '../../domain/locale.ts';
import type { DemoPerson } from './demo-people.ts';

type SignInMessages = {
  title: string;
  lead: string;
  roles: Record<DemoPerson['role'], string>;
  production: string;
};

export const signInMessages: Record<Locale, SignInMessages> = {
  en: {
    title: 'Demo sign-in',
    lead: 'Nobody’s identity is checked here. Choose who you want to be on this machine.',
    roles: {
      administrator: 'administrator of Demo Community',
      member: 'member who votes',
      newcomer: 'administrator of a community that is not listed yet',
    },
    production:
      'For real sign-in with Discord, start Votary with VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET.',
  },
  fr: {
    title: 'Connexion de démonstration',
    lead: 'Aucune identité n’est vérifiée ici. Choisissez qui vous voulez être sur cette machine.',
    roles: {
      administrator: 'administre Demo Community',
      member: 'membre qui vote',
      newcomer: 'administre une communauté qui n’est pas encore référencée',
    },
    production:
      'Pour une vraie connexion avec Discord, démarrez Votary avec VOTARY_DISCORD_CLIENT_ID et VOTARY_DISCORD_CLIENT_SECRET.',
  },
};
