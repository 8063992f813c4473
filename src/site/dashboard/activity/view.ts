import type { Locale } from '../../../domain/locale.ts';
import type { Activity, EndpointChange, EndpointLabel, RecordedActivity } from '../../../store/activities.ts';
import { type Html, html } from '../../html.ts';
import { formatNumber, momentTag } from '../format.ts';
import { settingsMessages } from '../settings/messages.ts';
import { activityMessages } from './messages.ts';

export function activityView(locale: Locale, activities: readonly RecordedActivity[], limit: number): Html {
  const text = activityMessages[locale];
  return html`<section class="card" aria-labelledby="activity-title">
<div class="stack"><h2 id="activity-title">${text.title}</h2><p class="muted small-text">${text.hint(limit)}</p></div>
${activities.length === 0 ? html`<p class="empty">${text.empty}</p>` : activityTable(locale, activities)}</section>`;
}

function activityTable(locale: Locale, activities: readonly RecordedActivity[]): Html {
  const text = activityMessages[locale];
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="activity-title"><table class="stacked activity">
<thead><tr><th scope="col">${text.time}</th><th scope="col">${text.who}</th><th scope="col">${text.what}</th></tr></thead>
<tbody>${activities.map(
    (activity) =>
      html`<tr><td>${when(locale, activity)}</td><td>${who(locale, activity.actor)}</td><td>${what(locale, activity)}</td></tr>`,
  )}</tbody></table></div>`;
}

function when(locale: Locale, { at, firstAt, count }: RecordedActivity): Html {
  const times = activityMessages[locale].timesSince(formatNumber(count, locale));
  return html`<span class="nowrap">${momentTag(at, locale)}</span>
${count > 1 && html`<br><span class="muted">${times} ${momentTag(firstAt, locale)}</span>`}`;
}

function who(locale: Locale, actor: Activity['actor']): Html {
  if (!actor) return html`<span class="badge">${activityMessages[locale].operator}</span>`;
  return html`<bdi>${actor.name}</bdi> <span class="muted mono">${actor.userId}</span>`;
}

function what(locale: Locale, { action, detail = {} }: Activity): Html {
  const text = activityMessages[locale];
  const { endpoint, change, doubling } = detail;
  const rules = settingsMessages[locale].rules;
  return html`${change ? text.changes[change.kind] : text.actions[action]}
${endpoint && html`<br>${endpointText(endpoint)}`}
${change?.kind === 'edited' && editText(locale, change)}
${doubling && html`<br><span class="muted">${rules[doubling.from].name} → ${rules[doubling.to].name}</span>`}`;
}

function endpointText({ name, host }: EndpointLabel): Html {
  const shown = html`<bdi class="mono muted">${host}</bdi>`;
  return name === null ? shown : html`<bdi>${name}</bdi> ${shown}`;
}

function editText(locale: Locale, { host, events, name }: EndpointChange & { kind: 'edited' }): Html {
  const text = activityMessages[locale];
  const named = (given: string | null) => (given === null ? text.noName : html`<bdi>${given}</bdi>`);
  const moved =
    host && (host.from === host.to ? text.sameHost : html`<bdi>${host.from}</bdi> → <bdi>${host.to}</bdi>`);
  return html`${moved && html`<br><span class="muted">${text.address} ${moved}</span>`}
${events && html`<br><span class="muted">${text.events} ${events.from.join(', ')} → ${events.to.join(', ')}</span>`}
${name && html`<br><span class="muted">${text.name} ${named(name.from)} → ${named(name.to)}</span>`}`;
}
