import type { Locale } from '../../../domain/locale.ts';
import type { ActivityAction } from '../../../store/activities.ts';

type ActivityMessages = {
  title: string;
  hint: (limit: number) => string;
  time: string;
  who: string;
  what: string;
  operator: string;
  empty: string;
  actions: Record<ActivityAction, string>;
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
  },
};
