import type { Locale } from '../../domain/locale.ts';

const en = {
  description: 'The API key, vote links, statistics and webhooks of your Discord community.',
  tabs: {
    overview: 'Overview',
    share: 'Share',
    key: 'Developer & API',
    votes: 'Votes',
    webhooks: 'Webhooks',
    settings: 'Settings',
    activity: 'Activity',
  },
  tabsLabel: 'Dashboard sections',
  allCommunities: 'My communities',
  votePage: 'Voting page',
  live: 'Live: this page updates automatically.',
  sanctioned: {
    title: 'This community is sanctioned.',
    text: 'While the sanction is active, the API key is disabled, the voting page is closed and no webhooks are sent. This dashboard is read-only: you can view everything and download votes. Contact the operator of this site.',
    reason: 'Reason:',
  },
};

const fr: typeof en = {
  description: 'La clé API, les liens de vote, les statistiques et les webhooks de votre communauté Discord.',
  tabs: {
    overview: 'Vue d’ensemble',
    share: 'Partager',
    key: 'Développeurs et API',
    votes: 'Votes',
    webhooks: 'Webhooks',
    settings: 'Paramètres',
    activity: 'Activité',
  },
  tabsLabel: 'Rubriques du tableau de bord',
  allCommunities: 'Mes communautés',
  votePage: 'Page de vote',
  live: 'En direct\u00A0: cette page s’actualise automatiquement.',
  sanctioned: {
    title: 'Cette communauté est sanctionnée.',
    text: 'Tant que la sanction est active, la clé API est désactivée, la page de vote est fermée et aucun webhook n’est envoyé. Ce tableau de bord est en lecture seule\u00A0: vous pouvez tout consulter et télécharger les votes. Contactez l’administration de ce site.',
    reason: 'Motif\u00A0:',
  },
};

export const frameMessages: Record<Locale, typeof en> = { en, fr };

const doneInEnglish = {
  listed: 'Your community is listed. Next, generate its API key and share its vote link.',
  'key-made': 'Your API key is ready. Reveal it to copy it into your integration.',
  'key-replaced': 'A new API key is active. The old one has stopped working: update your integrations now.',
  'key-kept': 'Nothing was changed: another key was generated in the meantime. This is the current key.',
  saved: 'Settings saved.',
  'profile-saved': 'Profile saved. The public page shows it now.',
  'banner-saved': 'Banner saved. The public page shows it now.',
  'banner-removed': 'Banner removed. The public page shows the colors of your icon.',
  'listing-hidden': 'Your community is no longer in the public listing. Its links work as before.',
  'listing-shown': 'Your community is in the public listing again, unless the operator has removed it.',
  'link-secret-rotated': 'A new secret for vote links is active. Reveal it to copy it to your server.',
  'link-secret-revoked': 'The previous secret is revoked. Links signed with it no longer work.',
  'claim-released': 'The claim is released. The vote can be claimed again.',
  'consumer-removed': 'The consumer is removed from the list. Its claims stay.',
  'claim-kept': 'Nothing was changed: this vote is not claimed, or was claimed again in the meantime.',
  'webhook-added': 'Endpoint added. Reveal its secret for your receiver, then send a test event.',
  'destination-added': 'Endpoint added. Send a test to see that it arrives.',
  'webhook-rotated': 'A new secret is active. The old one stays valid for 24 hours: update your receiver.',
  'webhook-replaced': 'A new secret is active. The old one has stopped working: update your receiver now.',
  'webhook-edited': 'Changes saved.',
  'webhook-paused': 'Endpoint paused. New events are kept and sent when you resume it.',
  'webhook-resumed': 'Endpoint resumed. Pending events are being sent.',
  'webhook-kept': 'Nothing was changed: the secret was rotated in the meantime. This is the current secret.',
  'webhook-removed': 'Endpoint removed. Nothing more is sent to it.',
  'webhook-enabled': 'Endpoint enabled. Pending events are being sent. You can resend failed events below.',
  'webhook-missing': 'Nothing was done: this endpoint no longer exists.',
  'webhook-test-under-way':
    'Another test of this endpoint is still running. Its result appears in the log below within 15 seconds.',
  'webhook-test-busy': 'No test was sent: too many deliveries are in progress. Try again in a few seconds.',
  'webhook-sanctioned': 'Nothing was sent: no webhooks are sent while this community is sanctioned.',
};

const doneInFrench: typeof doneInEnglish = {
  listed: 'Votre communauté est référencée. Générez maintenant sa clé API et partagez son lien de vote.',
  'key-made': 'Votre clé API est prête. Affichez-la pour la copier dans votre intégration.',
  'key-replaced':
    'Une nouvelle clé API est active. L’ancienne ne fonctionne plus\u00A0: mettez vos intégrations à jour dès maintenant.',
  'key-kept': 'Rien n’a été modifié\u00A0: une autre clé a été générée entre-temps. Voici la clé actuelle.',
  saved: 'Paramètres enregistrés.',
  'profile-saved': 'Profil enregistré. La page publique l’affiche dès maintenant.',
  'banner-saved': 'Bannière enregistrée. La page publique l’affiche dès maintenant.',
  'banner-removed': 'Bannière supprimée. La page publique affiche les couleurs de votre icône.',
  'listing-hidden': 'Votre communauté n’est plus dans la liste publique. Ses liens fonctionnent comme avant.',
  'listing-shown':
    'Votre communauté est de nouveau dans la liste publique, sauf si l’administration du site l’en a retirée.',
  'link-secret-rotated':
    'Un nouveau secret est actif pour les liens de vote. Affichez-le pour le copier sur votre serveur.',
  'link-secret-revoked': 'Le secret précédent est révoqué. Les liens signés avec lui ne fonctionnent plus.',
  'consumer-removed': 'Le consommateur est retiré de la liste. Ses réclamations restent.',
  'claim-released': 'L’attribution est annulée. La récompense de ce vote peut être attribuée de nouveau.',
  'claim-kept':
    'Rien n’a été modifié\u00A0: la récompense de ce vote n’est pas attribuée, ou l’a été de nouveau entre-temps.',
  'webhook-added': 'Endpoint ajouté. Affichez son secret pour votre récepteur, puis envoyez un test.',
  'destination-added': 'Endpoint ajouté. Envoyez un test pour vérifier qu’il arrive.',
  'webhook-rotated':
    'Un nouveau secret est actif. L’ancien reste valable 24 heures\u00A0: mettez votre récepteur à jour.',
  'webhook-replaced':
    'Un nouveau secret est actif. L’ancien n’est plus valable\u00A0: mettez votre récepteur à jour dès maintenant.',
  'webhook-edited': 'Modifications enregistrées.',
  'webhook-paused':
    'Endpoint en pause. Les nouveaux événements sont conservés et seront envoyés à la reprise.',
  'webhook-resumed': 'Endpoint de nouveau actif. Les événements en attente sont en cours d’envoi.',
  'webhook-kept':
    'Rien n’a été modifié\u00A0: le secret a été renouvelé entre-temps. Voici le secret actuel.',
  'webhook-removed': 'Endpoint supprimé. Plus rien ne lui est envoyé.',
  'webhook-enabled':
    'Endpoint réactivé. Les événements en attente sont en cours d’envoi. Vous pouvez renvoyer plus bas ceux qui ont échoué.',
  'webhook-missing': 'Rien n’a été fait\u00A0: cet endpoint n’existe plus.',
  'webhook-test-under-way':
    'Un autre test de cet endpoint est en cours. Son résultat apparaît dans le journal ci-dessous en moins de 15 secondes.',
  'webhook-test-busy':
    'Aucun test n’a été envoyé\u00A0: trop d’envois sont en cours. Réessayez dans quelques secondes.',
  'webhook-sanctioned':
    'Rien n’a été envoyé\u00A0: aucun webhook n’est envoyé tant que cette communauté est sanctionnée.',
};

/** The result of the previous action, named by `?done=`; other values are ignored. */
export const doneMessages: Record<Locale, typeof doneInEnglish> = { en: doneInEnglish, fr: doneInFrench };
