/** Pieces that several pages of the console share. */
import type { Instant } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText, isSnowflake, readPlainText } from '../../domain/text.ts';
import { parseIsoDate } from '../../domain/votes/period.ts';
import { PageError } from '../errors/page-error.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { en } from './messages/en.ts';
import { fr } from './messages/fr.ts';
import type { OperatorMessages } from './messages/types.ts';

export const PAGE_SIZE = 50;
export const REASON_MAX_LENGTH = 500;

/** Pages follow each other from the newest or first entry on; `first` is null on the first one. */
export function pager(
  locale: Locale,
  { first, next }: { first: string | null; next: string | null },
): Html | null {
  if (first === null && next === null) return null;
  const text = operatorMessages[locale];
  const link = (label: string, href: string, rel: string) =>
    html`<a class="button small secondary" rel="${rel}" href="${href}">${label}</a>`;
  return html`<nav class="row between" aria-label="${text.pages}"><span>${first !== null && link(text.first, first, 'first')}</span><span>${next !== null && link(text.next, next, 'next')}</span></nav>`;
}

export function field(id: string, label: string, input: Html, hint: Content = null): Html {
  return html`<div class="field"><label for="${id}">${label}</label>${input}${hint !== null && html`<span class="muted small-text" id="${id}-hint">${hint}</span>`}</div>`;
}

export function reasonField(locale: Locale, given = ''): Html {
  const { reason, reasonHint } = operatorMessages[locale];
  const input = html`<input id="reason" name="reason" value="${given}" maxlength="${REASON_MAX_LENGTH}" aria-describedby="reason-hint" autocomplete="off">`;
  return field('reason', reason, input, reasonHint);
}

/** Null when it is left empty. */
export function readReason(body: unknown): string | null {
  const given = firstText(body, 'reason') ?? '';
  if (given.trim() === '') return null;
  const reason = readPlainText(given, REASON_MAX_LENGTH);
  if (reason === undefined) throw new PageError('BAD_FORM');
  return reason;
}

/** The start of a UTC day, or a moment of it; null when it is left empty, `undefined` when it does not exist. */
export function readMoment(source: unknown, name: string): Instant | null | undefined {
  const given = (firstText(source, name) ?? '').trim();
  return given === '' ? null : parseIsoDate(given);
}

export function readUserId(source: unknown, name: string): string | undefined {
  const given = (firstText(source, name) ?? '').trim();
  return isSnowflake(given) ? given : undefined;
}

export function communityLink(guildId: string, name: string | undefined): Html {
  return html`<a href="/operator/communities/${guildId}">${name === undefined ? html`<span class="mono">${guildId}</span>` : html`<bdi>${name}</bdi>`}</a>`;
}

export const operatorMessages: Record<Locale, OperatorMessages> = { en, fr };
