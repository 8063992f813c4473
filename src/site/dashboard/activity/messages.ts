import type { Locale } from '../../../domain/locale.ts';
import type { ActivityAction, EndpointChange } from '../../../store/activities.ts';

type ActivityMessages = {
  title: string;
  hint: (limit: number) => string;
  time: string;
  who: string;
  what: string;
  operator: string;
  empty: string;
  actions: Record<ActivityAction, string>;
  /** Instead of `webhook_changed`, where the log knows what was changed. */
  changes: Record<EndpointChange['kind'], string>;
  address: string;
  sameHost: string;
  events: string;
  name: string;
  noName: string;
  /** Before the moment of the first. */
  timesSince: (count: string) => string;
};

export const activityMessages: Record<Locale, ActivityMessages> = {
  en: {
    title: 'Activity',
    hint: (limit) =>
      `Who made or saw the key, and who changed what. The newest ${limit} entries; all times are UTC.`,
    time: 'Time',
    who: 'Who',
    what: 'What',
    operator: 'Operator',
    empty: 'Nothing has happened yet. Whoever generates or reveals the key is recorded here.',
    actions: {
      guild_listed: 'Listed the community',
      key_generated: 'Generated an API key',
      key_shown: 'Saw the API key',
      key_revoked: 'Took the API key away',
      doubling_changed: 'Changed the rule for doubled votes',
      webhook_changed: 'Changed a webhook',
      webhook_secret_shown: 'Saw the signing secret of a webhook',
    },
    changes: {
      added: 'Added a webhook',
      removed: 'Removed a webhook',
      enabled: 'Enabled a webhook again',
      paused: 'Paused a webhook',
      resumed: 'Resumed a webhook',
      edited: 'Edited a webhook',
      secret_rotated: 'Rotated the secret of a webhook',
      secret_replaced: 'Replaced the secret of a webhook; the old one stopped at once',
    },
    address: 'Address:',
    sameHost: 'changed on the same host',
    events: 'Events:',
    name: 'Name:',
    noName: 'none',
    timesSince: (count) => `${count} times since`,
  },
  fr: {
    title: 'Activité',
    hint: (limit) =>
      `Qui a créé ou vu la clé, et qui a modifié quoi. Les ${limit} dernières entrées ; toutes les heures sont en UTC.`,
    time: 'Date et heure',
    who: 'Qui',
    what: 'Quoi',
    operator: 'Exploitant',
    empty: 'Il ne s’est encore rien passé. Toute création ou consultation de la clé est consignée ici.',
    actions: {
      guild_listed: 'Communauté référencée',
      key_generated: 'Clé d’API générée',
      key_shown: 'Clé d’API consultée',
      key_revoked: 'Clé d’API retirée',
      doubling_changed: 'Règle de doublement des votes modifiée',
      webhook_changed: 'Webhook modifié',
      webhook_secret_shown: 'Secret de signature d’un webhook consulté',
    },
    changes: {
      added: 'Webhook ajouté',
      removed: 'Webhook supprimé',
      enabled: 'Webhook réactivé',
      paused: 'Webhook mis en pause',
      resumed: 'Webhook repris',
      edited: 'Webhook modifié',
      secret_rotated: 'Secret d’un webhook renouvelé',
      secret_replaced: 'Secret d’un webhook remplacé\u00A0; l’ancien a aussitôt cessé d’être valable',
    },
    address: 'Adresse\u00A0:',
    sameHost: 'modifiée, même hôte',
    events: 'Événements\u00A0:',
    name: 'Nom\u00A0:',
    noName: 'aucun',
    timesSince: (count) => `${count} fois depuis le`,
  },
};
