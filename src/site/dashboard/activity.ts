import type { FastifyInstance } from 'fastify';
import type { Locale } from '../../domain/locale.ts';
import type {
  Activity,
  ActivityAction,
  EndpointChange,
  EndpointLabel,
  RecordedActivity,
} from '../../store/activities.ts';
import { actorTag, formatNumber, momentTag, type People } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { adminOf, type DashboardDeps } from './access.ts';
import { sendTab } from './frame.ts';
import { profileChanges } from './settings/profile.ts';
import { summarizeRules } from './settings/rules.ts';
import { settingsMessages } from './settings/settings.ts';

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

const activityMessages: Record<Locale, ActivityMessages> = {
  en: {
    title: 'Activity',
    hint: (limit) =>
      `Who generated or revealed the key, and who changed what. The latest ${limit} entries; all times are UTC.`,
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
      claim_released: 'Released the claim of a vote',
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
  },
  fr: {
    title: 'Activité',
    hint: (limit) =>
      `Qui a généré ou affiché la clé, et qui a modifié quoi. Les ${limit} dernières entrées\u00A0; toutes les heures sont en UTC.`,
    time: 'Date et heure',
    who: 'Auteur',
    what: 'Action',
    operator: 'Exploitant',
    empty: 'Aucune activité pour l’instant. La génération et l’affichage de la clé sont consignés ici.',
    actions: {
      guild_listed: 'Communauté référencée',
      guild_renamed: 'Nom mis à jour depuis Discord',
      guild_hidden: 'Communauté retirée de la liste',
      guild_shown: 'Communauté remise dans la liste',
      profile_changed: 'Profil modifié',
      key_generated: 'Clé API générée',
      key_shown: 'Clé API affichée',
      key_copied: 'Clé API copiée',
      key_revoked: 'Clé API révoquée',
      doubling_changed: 'Règle des votes comptés double modifiée',
      rules_changed: 'Règles de vote modifiées',
      link_secret_rotated: 'Nouveau secret créé pour les liens de vote',
      link_secret_revoked: 'Secret précédent des liens de vote révoqué',
      link_secret_shown: 'Secret des liens de vote affiché',
      name_rule_changed: 'Règle des récompenses par nom modifiée',
      claim_released: 'Attribution de la récompense d’un vote annulée',
      webhook_changed: 'Webhook modifié',
      webhook_secret_shown: 'Secret de signature d’un webhook affiché',
    },
    changes: {
      added: 'Webhook ajouté',
      removed: 'Webhook supprimé',
      enabled: 'Webhook réactivé',
      paused: 'Webhook mis en pause',
      resumed: 'Webhook sorti de pause',
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
  },
};

function activityView(
  locale: Locale,
  activities: readonly RecordedActivity[],
  people: People,
  limit: number,
): Html {
  const text = activityMessages[locale];
  return html`<section class="card" aria-labelledby="activity-title">
<div class="stack"><h2 id="activity-title">${text.title}</h2><p class="muted small-text">${text.hint(limit)}</p></div>
${activities.length === 0 ? html`<p class="empty">${text.empty}</p>` : activityTable(locale, activities, people)}</section>`;
}

function activityTable(locale: Locale, activities: readonly RecordedActivity[], people: People): Html {
  const text = activityMessages[locale];
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="activity-title"><table class="stacked activity">
<thead><tr><th scope="col">${text.time}</th><th scope="col">${text.who}</th><th scope="col">${text.what}</th></tr></thead>
<tbody>${activities.map(
    (activity) =>
      html`<tr><td>${when(locale, activity)}</td><td>${who(locale, activity.actor, people)}</td><td>${what(locale, activity)}</td></tr>`,
  )}</tbody></table></div>`;
}

function when(locale: Locale, { at, firstAt, count }: RecordedActivity): Html {
  const times = activityMessages[locale].timesSince(formatNumber(count, locale));
  return html`<span class="nowrap">${momentTag(at, locale)}</span>
${count > 1 && html`<br><span class="muted">${times} ${momentTag(firstAt, locale)}</span>`}`;
}

function who(locale: Locale, actor: Activity['actor'], people: People): Html {
  if (!actor) return html`<span class="badge">${activityMessages[locale].operator}</span>`;
  return actorTag(locale, people, actor);
}

function what(locale: Locale, { action, detail = {} }: Activity): Html {
  const text = activityMessages[locale];
  const { endpoint, change, doubling, oneRewardPerName, vote, rules: voting, guildName, profile } = detail;
  const { rules, nameRules } = settingsMessages[locale];
  const nameRule = (isOn: boolean) => nameRules[isOn ? 'on' : 'off'].name;
  return html`${change ? text.changes[change.kind] : text.actions[action]}
${endpoint && html`<br>${endpointText(endpoint)}`}
${change?.kind === 'edited' && editText(locale, change)}
${doubling && html`<br><span class="muted">${rules[doubling.from].name} → ${rules[doubling.to].name}</span>`}
${oneRewardPerName && html`<br><span class="muted">${nameRule(oneRewardPerName.from)} → ${nameRule(oneRewardPerName.to)}</span>`}
${voting && html`<br><span class="muted">${summarizeRules(locale, voting.from)} → ${summarizeRules(locale, voting.to)}</span>`}
${guildName && html`<br><span class="muted"><bdi>${guildName.from}</bdi> → <bdi>${guildName.to}</bdi></span>`}
${profile && profileChanges(locale, profile)}
${vote && html`<br><span class="muted">${momentTag(vote.castAt, locale)} <span class="mono">${vote.id}</span></span>`}`;
}

function endpointText({ name, host }: EndpointLabel): Html {
  const shown = html`<bdi class="mono muted">${host}</bdi>`;
  return name === null ? shown : html`<bdi>${name}</bdi> ${shown}`;
}

function editText(
  locale: Locale,
  { host, events, name, options, token }: EndpointChange & { kind: 'edited' },
): Html {
  const text = activityMessages[locale];
  const named = (given: string | null) => (given === null ? text.noName : html`<bdi>${given}</bdi>`);
  const moved =
    host && (host.from === host.to ? text.sameHost : html`<bdi>${host.from}</bdi> → <bdi>${host.to}</bdi>`);
  return html`${moved && html`<br><span class="muted">${text.address} ${moved}</span>`}
${events && html`<br><span class="muted">${text.events} ${events.from.join(', ')} → ${events.to.join(', ')}</span>`}
${name && html`<br><span class="muted">${text.name} ${named(name.from)} → ${named(name.to)}</span>`}
${options && html`<br><span class="muted">${text.options}</span>`}
${token && html`<br><span class="muted">${text.token}</span>`}`;
}

const SHOWN = 100;

export function activityRoute(app: FastifyInstance, deps: DashboardDeps): void {
  app.get('/activity', async (request, reply) => {
    const { guild } = adminOf(request);
    const activities = await deps.store.activities.recent(guild.guildId, SHOWN);
    const people = await deps.store.users.find(activities.flatMap(({ actor }) => actor?.userId ?? []));
    return sendTab(request, reply, deps, {
      guild,
      tab: 'activity',
      view: ({ locale }) => activityView(locale, activities, people, SHOWN),
    });
  });
}
