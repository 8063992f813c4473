import { DASHBOARD_LIMITS } from '../dashboard/access.ts';
import type { PageFault, PageText } from './page-error.ts';

export const fr: Record<PageFault, PageText> = {
  NOT_FOUND: {
    title: 'Page introuvable',
    text: 'Cette page n’existe pas. Vérifiez le lien ou repartez de la liste des communautés.',
  },
  GUILD_NOT_FOUND: {
    title: 'Communauté introuvable',
    text: 'Cette communauté n’est pas référencée ici. Le lien est peut-être erroné, ou la communauté a été retirée.',
  },
  FORBIDDEN: {
    title: 'Accès refusé',
    text: 'Vous devez avoir la permission Administrateur dans cette communauté. Adressez-vous à son propriétaire ou changez de compte.',
    action: 'Se connecter avec un autre compte',
  },
  SANCTIONED: {
    title: 'Cette communauté est sanctionnée',
    text: 'Rien n’a été modifié. Le tableau de bord est en lecture seule tant que la sanction est active. Contactez l’administration de ce site.',
  },
  OPERATORS_ONLY: {
    title: 'Accès refusé',
    text: 'Cette page est réservée à l’administration de ce site, définie dans VOTARY_OPERATORS.',
    action: 'Se connecter avec un autre compte',
  },
  MAINTENANCE: {
    title: 'Pas de votes pour le moment',
    text: 'L’administration de ce site y effectue des travaux, et les votes ne sont pas acceptés pour l’instant. Rien n’a été enregistré, et vous pourrez voter dès qu’ils seront terminés.',
    action: 'Réessayer',
  },
  STALE_FORM: {
    title: 'Cette page a expiré',
    text: 'Rien n’a été modifié. Rechargez la page et réessayez.',
    action: 'Recharger la page',
  },
  CROSS_SITE_FORM: {
    title: 'Ce formulaire a été envoyé par un autre site',
    text: 'Rien n’a été modifié. Utilisez le formulaire de ce site.',
  },
  BAD_EXTERNAL_ID: {
    title: 'Ce lien de vote n’est pas valide',
    text: 'Aucun vote n’a été enregistré. Retournez dans le jeu ou sur le site où vous avez trouvé ce lien et demandez-en un nouveau. Pour ses développeurs\u00A0: external_id doit être une seule valeur de 1 à 191 caractères, sans caractère de contrôle.',
    action: 'Voir la communauté',
  },
  BAD_RETURN_ADDRESS: {
    title: 'Ce lien de vote n’est pas valide',
    text: 'Aucun vote n’a été enregistré. Retournez dans le jeu ou sur le site où vous avez trouvé ce lien et demandez-en un nouveau. Pour ses développeurs\u00A0: return_to doit être une URL https:// complète.',
    action: 'Voir la communauté',
  },
  LINK_NOT_SIGNED: {
    title: 'Ouvrez cette page depuis le jeu ou son site',
    text: 'Cette communauté n’accepte que les votes passant par ses propres liens. Retournez dans le jeu ou sur le site de la communauté et suivez son lien de vote.',
    action: 'Voir la communauté',
  },
  LINK_SIGNATURE_WRONG: {
    title: 'Ce lien de vote ne fonctionne pas',
    text: 'Il a été modifié, ou signé avec un ancien secret. Retournez dans le jeu ou sur le site de la communauté et suivez de nouveau son lien de vote.',
    action: 'Voir la communauté',
  },
  LINK_EXPIRED: {
    title: 'Ce lien de vote a expiré',
    text: 'Aucun vote n’a été enregistré. Retournez dans le jeu ou sur le site de la communauté pour obtenir un nouveau lien, puis votez.',
    action: 'Voir la communauté',
  },
  BAD_FORM: {
    title: 'Le formulaire n’est pas valide',
    text: 'Un champ manque ou contient une valeur non autorisée. Revenez en arrière, rechargez la page et réessayez.',
  },
  TOO_MANY_STREAMS: {
    title: 'Trop de pages ouvertes',
    text: 'Cette page est ouverte trop de fois pour s’actualiser automatiquement. Rechargez-la pour voir les nouveautés.',
  },
  DOWNLOAD_RUNNING: {
    title: 'Un seul téléchargement à la fois',
    text: 'Vous avez déjà un téléchargement en cours. Attendez qu’il soit terminé ou annulez-le, puis réessayez.',
  },
  TOO_MANY_TESTS: {
    title: 'Trop de tests',
    text: `Une communauté peut envoyer ${DASHBOARD_LIMITS.TOO_MANY_TESTS.requests} événements de test par heure. Rien n’a été envoyé.`,
    action: 'Retour',
  },
  TOO_MANY_RESENDS: {
    title: 'Trop de renvois',
    text: `Une communauté peut renvoyer individuellement ${DASHBOARD_LIMITS.TOO_MANY_RESENDS.requests} événements par heure. Rien n’a été envoyé. Pour en renvoyer beaucoup, choisissez une période.`,
    action: 'Retour',
  },
  TOO_MANY_REPLAYS: {
    title: 'Trop de renvois',
    text: `Une communauté peut renvoyer toute une période ${DASHBOARD_LIMITS.TOO_MANY_REPLAYS.requests} fois par heure. Rien n’a été envoyé.`,
    action: 'Retour',
  },
  TOO_MANY_REVEALS: {
    title: 'Clé affichée trop souvent',
    text: `La clé API et les secrets d’une communauté peuvent être affichés ${DASHBOARD_LIMITS.TOO_MANY_REVEALS.requests} fois par heure.`,
    action: 'Retour',
  },
  TOO_MANY_ENDPOINTS: {
    title: 'Trop de nouveaux endpoints',
    text: `Une communauté peut ajouter ${DASHBOARD_LIMITS.TOO_MANY_ENDPOINTS.requests} endpoints par jour. Vous pouvez toujours modifier les endpoints existants.`,
    action: 'Retour',
  },
  TOO_MANY_CHANGES: {
    title: 'Trop de modifications',
    text: `Les paramètres et les webhooks d’une communauté peuvent être modifiés ${DASHBOARD_LIMITS.TOO_MANY_CHANGES.requests} fois par heure. Rien n’a été modifié.`,
    action: 'Retour',
  },
  FORM_TOO_LARGE: {
    title: 'Le formulaire est trop volumineux',
    text: 'Rien n’a été modifié. Revenez en arrière, raccourcissez le texte et réessayez.',
  },
  SIGN_IN_DENIED: {
    title: 'Connexion annulée',
    text: 'Vous avez refusé la demande sur Discord. Vous pouvez réessayer à tout moment.',
    action: 'Réessayer',
  },
  SIGN_IN_STALE: {
    title: 'Cette connexion a expiré',
    text: 'Elle a été commencée il y a trop longtemps ou dans un autre navigateur. Veuillez vous reconnecter.',
    action: 'Se connecter',
  },
  SIGN_IN_UNAVAILABLE: {
    title: 'Discord ne répond pas',
    text: 'La connexion est impossible pour le moment. Veuillez réessayer dans quelques minutes.',
    action: 'Réessayer',
  },
  SIGN_IN_PAUSED: {
    title: 'La connexion est indisponible pour le moment',
    text: 'Discord limite actuellement les requêtes de ce site.',
    action: 'Réessayer',
  },
  TOO_MANY_SIGN_INS: {
    title: 'Trop de tentatives de connexion',
    text: 'Il y a eu trop de tentatives de connexion depuis votre réseau.',
  },
  SIGN_IN_NOT_CONFIGURED: {
    title: 'La connexion n’est pas encore configurée',
    text: 'L’administration de ce site doit définir VOTARY_DISCORD_CLIENT_ID et VOTARY_DISCORD_CLIENT_SECRET.',
  },
  SIGN_IN_ENDED: {
    title: 'Votre session est terminée',
    text: 'Rien n’a été modifié. Reconnectez-vous, puis réessayez.',
    action: 'Se connecter',
  },
  DEMO_FROM_OUTSIDE: {
    title: 'La démo ne fonctionne qu’en local',
    text: 'Cette requête est passée par un proxy ou vient d’un autre site. Ouvrez la démo directement, dans un navigateur sur la machine qui l’exécute. Pour une vraie connexion, définissez VOTARY_DISCORD_CLIENT_ID et VOTARY_DISCORD_CLIENT_SECRET.',
  },
  UNAVAILABLE: {
    title: 'Momentanément indisponible',
    text: 'Le service ne peut pas joindre sa base de données pour le moment. Rien n’a été modifié.',
    action: 'Réessayer',
  },
  BROKEN: {
    title: 'Une erreur s’est produite',
    text: 'L’erreur vient de notre côté. Veuillez réessayer dans un instant.',
    action: 'Réessayer',
  },
};
