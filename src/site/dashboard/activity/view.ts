import type { Locale } from '../../../domain/locale.ts';
import type { Activity } from '../../../store/activities.ts';
import { type Html, html } from '../../html.ts';
import { momentTag } from '../format.ts';
import { activityMessages } from './messages.ts';

export function activityView(locale: Locale, activities: readonly Activity[], limit: number): Html {
  const text = activityMessages[locale];
  return html`<section class="card" aria-labelledby="activity-title">
<div class="stack"><h2 id="activity-title">${text.title}</h2><p class="muted small-text">${text.hint(limit)}</p></div>
${activities.length === 0 ? html`<p class="empty">${text.empty}</p>` : activityTable(locale, activities)}</section>`;
}

function activityTable(locale: Locale, activities: readonly Activity[]): Html {
  const text = activityMessages[locale];
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="activity-title"><table class="stacked">
<thead><tr><th scope="col">${text.time}</th><th scope="col">${text.who}</th><th scope="col">${text.what}</th></tr></thead>
<tbody>${activities.map(
    ({ at, actor, action }) =>
      html`<tr><td class="nowrap">${momentTag(at, locale)}</td><td>${who(locale, actor)}</td><td>${text.actions[action]}</td></tr>`,
  )}</tbody></table></div>`;
}

function who(locale: Locale, actor: Activity['actor']): Html {
  if (!actor) return html`<span class="badge">${activityMessages[locale].operator}</span>`;
  return html`<bdi>${actor.name}</bdi> <span class="muted mono">${actor.userId}</span>`;
}
