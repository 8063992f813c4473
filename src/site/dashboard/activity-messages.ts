import type { Locale } from '../../domain/locale.ts';
import type { ActivityAction, EndpointChange } from '../../store/activities.ts';

type ActivityMessages = {
  title: string;
  hint: (limit: number) => string;
  time: string;
  who: string;
  what: string;
  operator: string;
  empty: string;
  actions: Record<ActivityAction, string>;
  /** Replaces `webhook_changed` when the log knows what was changed. */
  changes: Record<EndpointChange['kind'], string>;
  address: string;
  sameHost: string;
  options: string;
  token: string;
  events: string;
  name: string;
  noName: string;
  /** Followed by the time of the first occurrence. */
  timesSince: (count: string) => string;
};

const en: ActivityMessages = {
  title: 'Activity',
  hint: (limit) => `Who generated or revealed the key, and who changed what. The latest ${limit} entries.`,
  time: 'Time',
  who: 'Who',
  what: 'What',
  operator: 'Operator',
  empty: 'No activity yet. Generating or revealing the key is recorded here.',
  actions: {
    guild_listed: 'Listed the community',
    guild_renamed: 'The name was updated from Discord',
    guild_hidden: 'Removed the community from the listing',
    guild_shown: 'Put the community back in the listing',
    profile_changed: 'Changed the profile',
    banner_changed: 'Changed the banner',
    banner_removed: 'Removed the banner',
    key_generated: 'Generated an API key',
    key_shown: 'Revealed the API key',
    key_copied: 'Copied the API key',
    key_revoked: 'Revoked the API key',
    doubling_changed: 'Changed when votes are doubled',
    rules_changed: 'Changed who can vote',
    link_secret_rotated: 'Created a secret for vote links',
    link_secret_revoked: 'Revoked the previous secret for vote links',
    link_secret_shown: 'Revealed the secret for vote links',
    name_rule_changed: 'Changed the rule for rewards per name',
    goal_changed: 'Changed the goal',
    voter_role_changed: 'Changed the voter role',
    player_names_changed: 'Changed how player names are compared',
    listforge_consumer_changed: 'Changed the consumer of ListForge plugins',
    consumer_removed: 'Removed a consumer',
    claim_released: 'Released the claim of a vote',
    test_vote_sent: 'Sent a test vote',
    webhook_changed: 'Changed a webhook',
    webhook_secret_shown: 'Revealed the signing secret of a webhook',
  },
  changes: {
    added: 'Added a webhook',
    removed: 'Removed a webhook',
    enabled: 'Re-enabled a webhook',
    paused: 'Paused a webhook',
    resumed: 'Resumed a webhook',
    edited: 'Edited a webhook',
    secret_rotated: 'Rotated the secret of a webhook',
    secret_replaced: 'Replaced the secret of a webhook; the old one stopped working immediately',
  },
  address: 'Address:',
  sameHost: 'changed on the same host',
  options: 'Messages, language or service name changed',
  token: 'Token replaced',
  events: 'Events:',
  name: 'Name:',
  noName: 'none',
  timesSince: (count) => `${count} times since`,
};

const fr: ActivityMessages = {
  title: 'Activité',
  hint: (limit) => `Qui a généré ou affiché la clé, et qui a modifié quoi. Les ${limit} dernières entrées.`,
  time: 'Date et heure',
  who: 'Auteur',
  what: 'Action',
  operator: 'Administration du site',
  empty: 'Aucune activité pour l’instant. La génération et l’affichage de la clé sont consignés ici.',
  actions: {
    guild_listed: 'Communauté référencée',
    guild_renamed: 'Nom mis à jour depuis Discord',
    guild_hidden: 'Communauté retirée de la liste',
    guild_shown: 'Communauté remise dans la liste',
    profile_changed: 'Profil modifié',
    banner_changed: 'Bannière modifiée',
    banner_removed: 'Bannière supprimée',
    key_generated: 'Clé API générée',
    key_shown: 'Clé API affichée',
    key_copied: 'Clé API copiée',
    key_revoked: 'Clé API révoquée',
    doubling_changed: 'Règle des récompenses doublées modifiée',
    rules_changed: 'Règles de vote modifiées',
    link_secret_rotated: 'Nouveau secret créé pour les liens de vote',
    link_secret_revoked: 'Secret précédent des liens de vote révoqué',
    link_secret_shown: 'Secret des liens de vote affiché',
    name_rule_changed: 'Règle des récompenses par nom modifiée',
    goal_changed: 'Objectif modifié',
    voter_role_changed: 'Rôle des votants modifié',
    player_names_changed: 'Comparaison des noms de joueur modifiée',
    listforge_consumer_changed: 'Consommateur des plugins ListForge modifié',
    consumer_removed: 'Consommateur retiré',
    claim_released: 'Attribution de la récompense d’un vote annulée',
    test_vote_sent: 'Vote de test envoyé',
    webhook_changed: 'Webhook modifié',
    webhook_secret_shown: 'Secret de signature d’un webhook affiché',
  },
  changes: {
    added: 'Webhook ajouté',
    removed: 'Webhook supprimé',
    enabled: 'Webhook réactivé',
    paused: 'Webhook mis en pause',
    resumed: 'Webhook repris après une pause',
    edited: 'Webhook modifié',
    secret_rotated: 'Secret d’un webhook renouvelé',
    secret_replaced: 'Secret d’un webhook remplacé\u00A0; l’ancien a immédiatement cessé d’être valable',
  },
  address: 'Adresse\u00A0:',
  sameHost: 'modifiée, même hôte',
  options: 'Messages, langue ou nom de service modifiés',
  token: 'Jeton remplacé',
  events: 'Événements\u00A0:',
  name: 'Nom\u00A0:',
  noName: 'aucun',
  timesSince: (count) => `${count} fois depuis le`,
};

export const activityMessages: Record<Locale, ActivityMessages> = { en, fr };
