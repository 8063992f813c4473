import type { Locale } from '../../domain/locale.ts';

/** What the action before this page did: `?done=` names one of these, and anything else says nothing. */
export const NOTICES = [
  'listed',
  'key-made',
  'key-replaced',
  'key-kept',
  'saved',
  'webhook-added',
  'webhook-edited',
  'webhook-paused',
  'webhook-resumed',
  'webhook-rotated',
  'webhook-replaced',
  'webhook-kept',
  'webhook-removed',
  'webhook-enabled',
  'webhook-missing',
  'webhook-test-under-way',
  'webhook-test-busy',
  'webhook-sanctioned',
] as const;

export type Notice = (typeof NOTICES)[number];

/** Those that tell why nothing was done. */
export const WARNINGS: readonly Notice[] = [
  'key-kept',
  'webhook-kept',
  'webhook-missing',
  'webhook-test-under-way',
  'webhook-test-busy',
  'webhook-sanctioned',
];

export const noticeMessages: Record<Locale, Record<Notice, string>> = {
  en: {
    listed: 'Your community is listed. Next: generate its API key, and share its vote link.',
    'key-made': 'Your API key is ready. Reveal it to copy it into your integration.',
    'key-replaced': 'A new API key is active. The old one has stopped working: update your integrations now.',
    'key-kept': 'Nothing was changed: another key was made in the meantime. This is the one that works now.',
    saved: 'Your settings are saved.',
    'webhook-added': 'The endpoint is added. Reveal its secret for your receiver, then send a test event.',
    'webhook-rotated':
      'A new secret is active, and the old one stays valid for 24 hours. Give your receiver the new one.',
    'webhook-replaced':
      'A new secret is active. The old secret has stopped: give your receiver the new one now.',
    'webhook-edited': 'Your changes are saved.',
    'webhook-paused': 'The endpoint is paused. What happens now is kept, and sent when you resume it.',
    'webhook-resumed': 'The endpoint is on again, and what waited is being sent.',
    'webhook-kept': 'Nothing was changed: the secret was rotated in the meantime. This is the present one.',
    'webhook-removed': 'The endpoint is removed. Nothing is sent to it any more.',
    'webhook-enabled':
      'The endpoint is on again, and gets what waited for it. What had failed before can be sent again below.',
    'webhook-missing': 'Nothing was done: this endpoint does not exist any more.',
    'webhook-test-under-way':
      'Another test of this endpoint is still under way. It ends within 15 seconds; its result is in the log below.',
    'webhook-test-busy':
      'No test was sent: too many deliveries are being sent at the moment. Try again in a few seconds.',
    'webhook-sanctioned': 'Nothing was sent: no webhooks are sent while this community is sanctioned.',
  },
  fr: {
    listed: 'Votre communauté est référencée. Générez maintenant sa clé d’API et partagez son lien de vote.',
    'key-made': 'Votre clé d’API est prête. Affichez-la pour la copier dans votre intégration.',
    'key-replaced':
      'Une nouvelle clé d’API est active. L’ancienne ne fonctionne plus : mettez vos intégrations à jour dès maintenant.',
    'key-kept':
      'Rien n’a été modifié : une autre clé a été créée entre-temps. Voici celle qui fonctionne à présent.',
    saved: 'Vos réglages sont enregistrés.',
    'webhook-added':
      'Le point de réception est ajouté. Affichez son secret pour votre récepteur, puis envoyez un test.',
    'webhook-rotated':
      'Un nouveau secret est actif, et l’ancien reste valable 24 heures. Donnez le nouveau à votre récepteur.',
    'webhook-replaced':
      'Un nouveau secret est actif. L’ancien n’est plus valable\u00A0: donnez le nouveau à votre récepteur dès maintenant.',
    'webhook-edited': 'Vos modifications sont enregistrées.',
    'webhook-paused':
      'Le point de réception est en pause. Ce qui se passe est conservé et sera envoyé à la reprise.',
    'webhook-resumed':
      'Le point de réception est de nouveau actif, et ce qui attendait est en cours d’envoi.',
    'webhook-kept': 'Rien n’a été modifié : le secret a été renouvelé entre-temps. Voici l’actuel.',
    'webhook-removed': 'Le point de réception est supprimé. Plus rien ne lui est envoyé.',
    'webhook-enabled':
      'Le point de réception est réactivé et reçoit ce qui l’attendait. Ce qui avait échoué avant peut être renvoyé plus bas.',
    'webhook-missing': 'Rien n’a été fait : ce point de réception n’existe plus.',
    'webhook-test-under-way':
      'Un autre test de ce point de réception est en cours. Il se termine en moins de 15 secondes\u00A0; son résultat est dans le journal ci-dessous.',
    'webhook-test-busy':
      'Aucun test n’a été envoyé\u00A0: trop d’envois sont en cours. Réessayez dans quelques secondes.',
    'webhook-sanctioned':
      'Rien n’a été envoyé\u00A0: aucun webhook n’est envoyé tant que cette communauté est sanctionnée.',
  },
};

export function readNotice(text: string | undefined): Notice | undefined {
  return NOTICES.find((known) => known === text);
}
