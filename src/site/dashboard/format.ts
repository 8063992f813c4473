/** Numbers and times in the language of the page. Times are UTC and labelled as such. */
import { DAY_MS, formatInstant, HOUR_MS, type Instant, MINUTE_MS } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import { type Html, html } from '../layout/html.ts';
import { frameMessages } from './messages.ts';

type Formats = {
  number: Intl.NumberFormat;
  percent: Intl.NumberFormat;
  change: Intl.NumberFormat;
  moment: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  dayOfMonth: Intl.DateTimeFormat;
  month: Intl.DateTimeFormat;
  relative: Intl.RelativeTimeFormat;
};

/** Created on first use: they take a twentieth of the start time. */
const made = new Map<Locale, Formats>();

function formatsOf(locale: Locale): Formats {
  const formats = made.get(locale) ?? makeFormats(locale);
  made.set(locale, formats);
  return formats;
}

function makeFormats(locale: Locale): Formats {
  const date = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return {
    number: new Intl.NumberFormat(locale),
    percent: new Intl.NumberFormat(locale, { style: 'percent' }),
    change: new Intl.NumberFormat(locale, { style: 'percent', signDisplay: 'exceptZero' }),
    moment: new Intl.DateTimeFormat(locale, {
      ...date,
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
    }),
    day: new Intl.DateTimeFormat(locale, date),
    dayOfMonth: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    month: new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    relative: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
  };
}

export function formatNumber(value: number, locale: Locale): string {
  return formatsOf(locale).number.format(value);
}

export function formatPercent(share: number, locale: Locale): string {
  return formatsOf(locale).percent.format(share);
}

/** "+12%". */
export function formatChange(share: number, locale: Locale): string {
  return formatsOf(locale).change.format(share);
}

export function formatDay(instant: Instant, locale: Locale): string {
  return formatsOf(locale).day.format(instant);
}

/** Without the year. */
export function formatDayOfMonth(instant: Instant, locale: Locale): string {
  return formatsOf(locale).dayOfMonth.format(instant);
}

export function formatMonth(instant: Instant, locale: Locale): string {
  return formatsOf(locale).month.format(instant);
}

export function formatMoment(instant: Instant, locale: Locale): string {
  return formatsOf(locale).moment.format(instant);
}

/** "5 minutes ago". A vote from a clock slightly ahead was cast now, not in the future. */
export function formatAgo(instant: Instant, now: Instant, locale: Locale): string {
  const age = Math.max(0, now - instant);
  const { relative } = formatsOf(locale);
  if (age < MINUTE_MS) return frameMessages[locale].justNow;
  if (age < HOUR_MS) return relative.format(-Math.floor(age / MINUTE_MS), 'minute');
  if (age < DAY_MS) return relative.format(-Math.floor(age / HOUR_MS), 'hour');
  return relative.format(-Math.floor(age / DAY_MS), 'day');
}

/** A readable time that programs can parse too. */
export function momentTag(instant: Instant, locale: Locale): Html {
  return html`<time datetime="${formatInstant(instant)}">${formatMoment(instant, locale)}</time>`;
}

export const copied: Record<Locale, string> = { en: 'Copied', fr: 'Copié' };
const failed: Record<Locale, string> = {
  en: 'Select the text and copy it',
  fr: 'Sélectionnez le texte et copiez-le',
};

/** Copies the text of the element `source`. Hidden until its script (dashboard.js) is loaded. */
export function copyButton(locale: Locale, source: string, label: string): Html {
  return html`<button type="button" class="small secondary" hidden data-copy="${source}" data-copied="${copied[locale]}" data-failed="${failed[locale]}">${label}</button>`;
}
