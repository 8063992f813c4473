import type { Locale } from '../../domain/locale.ts';

/** What the action before this page did: `?done=` names one of these, and anything else says nothing. */
export const NOTICES = ['listed', 'key-made', 'key-replaced', 'key-kept', 'saved'] as const;

export type Notice = (typeof NOTICES)[number];

export const noticeMessages: Record<Locale, Record<Notice, string>> = {
  en: {
    listed: 'Your community is listed. Next: generate its API key, and share its vote link.',
    'key-made': 'Your API key is ready. Reveal it to copy it into your integration.',
    'key-replaced': 'A new API key is active. The old one has stopped working: update your integrations now.',
    'key-kept': 'Nothing was changed: another key was made in the meantime. This is the one that works now.',
    saved: 'Your settings are saved.',
  },
  fr: {
    listed: 'Votre communauté est référencée. Générez maintenant sa clé d’API et partagez son lien de vote.',
    'key-made': 'Votre clé d’API est prête. Affichez-la pour la copier dans votre intégration.',
    'key-replaced':
      'Une nouvelle clé d’API est active. L’ancienne ne fonctionne plus : mettez vos intégrations à jour dès maintenant.',
    'key-kept':
      'Rien n’a été modifié : une autre clé a été créée entre-temps. Voici celle qui fonctionne à présent.',
    saved: 'Vos réglages sont enregistrés.',
  },
};

export function readNotice(text: string | undefined): Notice | undefined {
  return NOTICES.find((known) => known === text);
}
