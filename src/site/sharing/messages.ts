import type { Locale } from '../../domain/locale.ts';

type SharingMessages = {
  /** For a community whose name cannot be drawn. */
  fallbackName: string;
  /** Below or after the number. */
  votesThisMonth(votes: number): string;
  rankOf(communities: string): string;
  /** On the badge, with the number. */
  badge(votes: string, count: number): string;
  title: string;
  hint: string;
  alt(name: string): string;
  /** What the copy button of each format says. */
  copy: Record<SnippetFormat, string>;
};

export type SnippetFormat = 'html' | 'markdown' | 'bbcode';

export const SNIPPET_NAMES: Record<SnippetFormat, string> = {
  html: 'HTML',
  markdown: 'Markdown',
  bbcode: 'BBCode',
};

export const sharingMessages: Record<Locale, SharingMessages> = {
  en: {
    fallbackName: 'Vote for this community',
    votesThisMonth: (votes) => (votes === 1 ? 'vote this month' : 'votes this month'),
    rankOf: (communities) => `of ${communities}`,
    badge: (votes, count) => (count === 1 ? `${votes} vote this month` : `${votes} votes this month`),
    title: 'Vote button',
    hint: 'Put this button on your website, forum or README. It shows the votes of the current month and leads to your vote page.',
    alt: (name) => `Vote for ${name}`,
    copy: { html: 'Copy HTML', markdown: 'Copy Markdown', bbcode: 'Copy BBCode' },
  },
  fr: {
    fallbackName: 'Votez pour cette communauté',
    votesThisMonth: (votes) => (votes < 2 ? 'vote ce mois-ci' : 'votes ce mois-ci'),
    rankOf: (communities) => `sur ${communities}`,
    badge: (votes, count) => (count < 2 ? `${votes} vote ce mois-ci` : `${votes} votes ce mois-ci`),
    title: 'Bouton de vote',
    hint: 'Placez ce bouton sur votre site, votre forum ou votre README. Il affiche les votes du mois en cours et mène à votre page de vote.',
    alt: (name) => `Voter pour ${name}`,
    copy: { html: 'Copier le HTML', markdown: 'Copier le Markdown', bbcode: 'Copier le BBCode' },
  },
};
