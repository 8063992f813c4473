import type { Locale } from '../../../domain/locale.ts';

const en = {
  announcement: 'Announcement',
  announcementHint: 'Paste it into your Discord server, on your website or in social networks.',
  announcementText: (guild: string, profile: string, vote: string) =>
    `Vote for ${guild} and help us climb this month’s ranking! You can vote once an hour.\n${vote}\n\nMore about us: ${profile}`,
  card: 'Preview card',
  cardHint: 'Discord and social networks show this picture when someone posts a link to your pages.',
  cardAlt: (guild: string) => `Preview card of ${guild}`,
  download: 'Download the picture',
  links: 'Links',
  voteLink: 'Voting page',
  profileLink: 'Profile',
  copy: 'Copy',
  sanctioned: 'The pages of this community are disabled, so there is nothing to share.',
};

const fr: typeof en = {
  announcement: 'Annonce',
  announcementHint: 'Collez-la sur votre serveur Discord, votre site ou les réseaux sociaux.',
  announcementText: (guild, profile, vote) =>
    `Votez pour ${guild} et aidez-nous à grimper dans le classement du mois\u00A0! Vous pouvez voter une fois par heure.\n${vote}\n\nEn savoir plus\u00A0: ${profile}`,
  card: 'Carte d’aperçu',
  cardHint: 'Discord et les réseaux sociaux affichent cette image avec un lien vers vos pages.',
  cardAlt: (guild) => `Carte d’aperçu de ${guild}`,
  download: 'Télécharger l’image',
  links: 'Liens',
  voteLink: 'Page de vote',
  profileLink: 'Profil',
  copy: 'Copier',
  sanctioned: 'Les pages de cette communauté sont désactivées\u00A0: il n’y a rien à partager.',
};

export const shareTabMessages: Record<Locale, typeof en> = { en, fr };
