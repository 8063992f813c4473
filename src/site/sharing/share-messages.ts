import type { Locale } from '../../domain/locale.ts';

const en = {
  share: 'Share this community',
  shareAction: 'Share',
  shareTitle: (guild: string) => `Vote for ${guild}`,
  copy: 'Copy',
  copied: 'Copied',
};

const fr: typeof en = {
  share: 'Partager cette communauté',
  shareAction: 'Partager',
  shareTitle: (guild) => `Votez pour ${guild}`,
  copy: 'Copier',
  copied: 'Copié',
};

export const shareMessages: Record<Locale, typeof en> = { en, fr };
