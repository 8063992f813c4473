import type { FastifyInstance } from 'fastify';
import type { Locale } from '../../domain/locale.ts';
import type { Activity, EndpointChange, EndpointLabel, RecordedActivity } from '../../store/activities.ts';
import { goalText } from '../goal/goal.ts';
import { formatNumber, momentTag, timeZoneNote } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { actorTag, type People } from '../layout/people.ts';
import { voterRoleText } from '../voter-role/voter-role.ts';
import { adminOf, type DashboardDeps } from './access.ts';
import { activityMessages } from './activity-messages.ts';
import { sendTab } from './frame.ts';
import { claimsMessages } from './settings/claims-messages.ts';
import { settingsMessages } from './settings/messages.ts';
import { profileChanges } from './settings/profile.ts';
import { summarizeRules } from './settings/rules.ts';

function activityView(
  locale: Locale,
  activities: readonly RecordedActivity[],
  people: People,
  limit: number,
): Html {
  const text = activityMessages[locale];
  return html`<section class="card" aria-labelledby="activity-title">
<div class="stack"><h2 id="activity-title">${text.title}</h2><p class="muted small-text">${text.hint(limit)} ${timeZoneNote(locale)}</p></div>
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
  const {
    endpoint,
    change,
    doubling,
    oneRewardPerName,
    goal,
    voterRole,
    vote,
    rules: voting,
    guildName,
    profile,
  } = detail;
  const { playerNames, listforgeConsumer, consumer } = detail;
  const { rules: names } = claimsMessages[locale];
  const { rules, nameRules } = settingsMessages[locale];
  const nameRule = (isOn: boolean) => nameRules[isOn ? 'on' : 'off'].name;
  return html`${change ? text.changes[change.kind] : text.actions[action]}
${endpoint && html`<br>${endpointText(endpoint)}`}
${change?.kind === 'edited' && editText(locale, change)}
${doubling && html`<br><span class="muted">${rules[doubling.from].name} → ${rules[doubling.to].name}</span>`}
${oneRewardPerName && html`<br><span class="muted">${nameRule(oneRewardPerName.from)} → ${nameRule(oneRewardPerName.to)}</span>`}
${goal && html`<br><span class="muted">${goalText(locale, goal.from)} → ${goalText(locale, goal.to)}</span>`}
${voterRole && html`<br><span class="muted">${voterRoleText(locale, voterRole.from)} → ${voterRoleText(locale, voterRole.to)}</span>`}
${voting && html`<br><span class="muted">${summarizeRules(locale, voting.from)} → ${summarizeRules(locale, voting.to)}</span>`}
${guildName && html`<br><span class="muted"><bdi>${guildName.from}</bdi> → <bdi>${guildName.to}</bdi></span>`}
${profile && profileChanges(locale, profile)}
${playerNames && html`<br><span class="muted">${names[playerNames.from].name} → ${names[playerNames.to].name}</span>`}
${listforgeConsumer && html`<br><span class="muted"><span class="mono">${listforgeConsumer.from}</span> → <span class="mono">${listforgeConsumer.to}</span></span>`}
${consumer && html`<br><span class="mono">${consumer}</span>`}
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
