import type { Locale } from '../../domain/locale.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { csrfField, type PageContext } from '../layout/page.ts';
import { type AfterVote, NAME_PATH } from './after.ts';
import { afterMessages } from './after-messages.ts';

/** The numbers of the voter and of the community. */
export function voteFigures({ locale }: PageContext, { standing, guildRank }: AfterVote): Html {
  const text = afterMessages[locale];
  const { totalVotes, streakDays, rank, rankBefore } = standing;
  return html`<dl class="vote-figures">
${figure(text.total, number(locale, totalVotes), null)}
${figure(text.streak, text.days(streakDays), null)}
${rank !== null && figure(text.rank, text.place(rank), text.moved(rank, rankBefore))}
${guildRank !== null && figure(text.guildRank, text.place(guildRank.rank), text.moved(guildRank.rank, guildRank.rankBefore))}
</dl>`;
}

function figure(term: string, value: string, hint: string | null): Html {
  return html`<div><dt>${term}</dt><dd>${value}${hint !== null && html` <span class="vote-moved">${hint}</span>`}</dd></div>
`;
}

/** A link to copy. The script adds a button that shares it, or copies it where sharing is not possible. */
export function shareLink({ locale }: PageContext, guild: { name: string }, address: string): Html {
  const text = afterMessages[locale];
  return html`<div class="vote-share stack">
<label for="share-link">${text.share}</label>
<div class="vote-share-row"><input type="text" id="share-link" readonly value="${address}">
<button type="button" class="secondary" hidden data-share="${address}" data-share-title="${text.shareTitle(guild.name)}" data-copied="${text.copied}" data-share-label="${text.shareAction}">${text.copy}</button></div>
</div>`;
}

/** Shown by the script where the browser has notifications. Permission is only requested by a click. */
export function notifyButton({ locale }: PageContext, guild: { name: string }): Html {
  const text = afterMessages[locale];
  return html`<div class="vote-notify" hidden data-notify-box>
<button type="button" class="quiet" aria-pressed="false" data-notify data-on="${text.notifyOn}" data-off="${text.notifyOff}" data-title="${text.notificationTitle(guild.name)}">${text.notifyOff}</button>
<p class="muted small-text" role="status" data-notify-status data-blocked="${text.notifyBlocked}" data-keep="${text.notifyKeep}"></p>
</div>`;
}

/** Before a vote it is only offered to those who may want to withdraw. */
export function nameForm(context: PageContext, isShown: boolean): Content {
  const { person, csrfToken, locale, path } = context;
  if (person === null) return null;
  const text = afterMessages[locale];
  const name = html`<strong><bdi>${person.name}</bdi></strong>`;
  return html`<form class="vote-name" method="post" action="${NAME_PATH}">
${csrfField(csrfToken)}<input type="hidden" name="back" value="${path}"><input type="hidden" name="show" value="${isShown ? 'no' : 'yes'}">
<span class="muted small-text">${isShown ? text.nameShown(name) : text.nameHidden}</span>
<button class="quiet">${isShown ? text.hideName : text.showName}</button>
</form>`;
}

function number(locale: Locale, value: number): string {
  return new Intl.NumberFormat(locale).format(value);
}
