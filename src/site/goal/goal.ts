/** The goal of a community on pages: the progress for visitors, and its setting in a few words. */
import type { Locale } from '../../domain/locale.ts';
import type { Goal, GoalProgress } from '../../domain/votes/goal.ts';
import { formatNumber, momentTag } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { goalMessages } from './messages.ts';

/** On the profile and the voting page. `heading` fits into the page. */
export function goalView(locale: Locale, progress: GoalProgress, heading: 'h2' | 'p'): Html {
  const text = goalMessages[locale];
  const { period, target, votes, remaining, resetsAt } = progress;
  const title = text.titles[period];
  const figures = text.progress(formatNumber(votes, locale), formatNumber(target, locale));
  return html`<div class="goal">
<div class="goal-head">${heading === 'h2' ? html`<h2 id="goal">${title}</h2>` : html`<p id="goal"><strong>${title}</strong></p>`}<p class="goal-figures">${figures}</p></div>
<progress max="${target}" value="${Math.min(votes, target)}" aria-labelledby="goal">${figures}</progress>
<p class="muted small-text">${remaining === 0 ? text.reached : text.remaining(formatNumber(remaining, locale), remaining)}${resetsAt !== null && html` ${text.resets(momentTag(resetsAt, locale))}`}</p>
</div>`;
}

/** The progress in one line, for images. */
export function goalLine(locale: Locale, { period, target, votes }: GoalProgress): string {
  const text = goalMessages[locale];
  return `${text.progress(formatNumber(votes, locale), formatNumber(target, locale))} ${text.of[period]}`;
}

/** A setting, for logs: `100 per day`. */
export function goalText(locale: Locale, goal: Goal | null): string {
  const text = goalMessages[locale];
  return goal === null ? text.none : text.summary[goal.period](formatNumber(goal.target, locale));
}
