import type { Locale } from '../../domain/locale.ts';

const en = {
  /** For a community whose name cannot be drawn. */
  fallbackName: 'Vote for this community',
  /** Below or after the number. */
  votesThisMonth: (votes: number): string => (votes === 1 ? 'vote this month' : 'votes this month'),
  rank: (place: string) => `#${place}`,
  rankOf: (communities: string) => `of ${communities}`,
  /** On the badge, with the number. */
  badge: (votes: string, count: number) =>
    count === 1 ? `${votes} vote this month` : `${votes} votes this month`,
  title: 'Vote button',
  hint: 'Put this button on your website, forum or README. It shows the votes of the current month and links to your voting page.',
  alt: (name: string) => `Vote for ${name}`,
  /** The copy button of each format. */
  copy: { html: 'Copy HTML', markdown: 'Copy Markdown', bbcode: 'Copy BBCode' },
};

const fr: typeof en = {
  fallbackName: 'Votez pour cette communauté',
  votesThisMonth: (votes) => (votes < 2 ? 'vote ce mois-ci' : 'votes ce mois-ci'),
  rank: (place) => `n°\u00A0${place}`,
  rankOf: (communities) => `sur ${communities}`,
  badge: (votes, count) => (count < 2 ? `${votes} vote ce mois-ci` : `${votes} votes ce mois-ci`),
  title: 'Bouton de vote',
  hint: 'Placez ce bouton sur votre site, votre forum ou votre README. Il affiche les votes du mois en cours et renvoie vers votre page de vote.',
  alt: (name) => `Voter pour ${name}`,
  copy: { html: 'Copier le HTML', markdown: 'Copier le Markdown', bbcode: 'Copier le BBCode' },
};

export const sharingMessages: Record<Locale, typeof en> = { en, fr };
