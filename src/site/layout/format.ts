/**
 * How pages show numbers, times and languages. Times are UTC and labeled as such; the script times.js converts every
 * `<time>` to the time zone of the visitor.
 */

import {
  DAY_MS,
  formatDate,
  formatInstant,
  HOUR_MS,
  type Instant,
  MINUTE_MS,
  SECOND_MS,
} from '../../domain/clock.ts';
import type { Language } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { type Html, html } from './html.ts';
import { layoutMessages } from './messages.ts';

type Formats = {
  number: Intl.NumberFormat;
  percent: Intl.NumberFormat;
  change: Intl.NumberFormat;
  difference: Intl.NumberFormat;
  minutes: Intl.NumberFormat;
  longMinutes: Intl.NumberFormat;
  hours: Intl.NumberFormat;
  moment: Intl.DateTimeFormat;
  rowTime: Intl.DateTimeFormat;
  second: Intl.DateTimeFormat;
  clock: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  dayOfMonth: Intl.DateTimeFormat;
  month: Intl.DateTimeFormat;
  shortMonth: Intl.DateTimeFormat;
  relative: Intl.RelativeTimeFormat;
  languages: Intl.DisplayNames;
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
    difference: new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' }),
    minutes: new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'short' }),
    longMinutes: new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'long' }),
    hours: new Intl.NumberFormat(locale, { style: 'unit', unit: 'hour', unitDisplay: 'short' }),
    moment: new Intl.DateTimeFormat(locale, {
      ...date,
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    }),
    rowTime: new Intl.DateTimeFormat(locale, { ...date, hour: 'numeric', minute: '2-digit' }),
    second: new Intl.DateTimeFormat(locale, {
      ...{ ...date, hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
      timeZoneName: 'short',
    }),
    clock: new Intl.DateTimeFormat(locale, {
      hour: 'numeric',
      minute: '2-digit',
      timeZone: 'UTC',
      timeZoneName: 'short',
    }),
    day: new Intl.DateTimeFormat(locale, date),
    dayOfMonth: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    month: new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    shortMonth: new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' }),
    relative: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
    languages: new Intl.DisplayNames(locale, { type: 'language' }),
  };
}

export function formatNumber(value: number, locale: Locale): string {
  return formatsOf(locale).number.format(value);
}

/** "1 vote", "1,234 votes". */
export function formatVotes(votes: number, locale: Locale): string {
  return layoutMessages[locale].votes(votes, formatNumber(votes, locale));
}

export function formatPercent(share: number, locale: Locale): string {
  return formatsOf(locale).percent.format(share);
}

/** "+12%". */
export function formatChange(share: number, locale: Locale): string {
  return formatsOf(locale).change.format(share);
}

/** "+12". */
export function formatDifference(value: number, locale: Locale): string {
  return formatsOf(locale).difference.format(value);
}

/** "5 min", rounded up. */
export function formatMinutes(milliseconds: number, locale: Locale): string {
  return formatsOf(locale).minutes.format(Math.ceil(milliseconds / MINUTE_MS));
}

/** "5 minutes", rounded up. */
export function formatLongMinutes(milliseconds: number, locale: Locale): string {
  return formatsOf(locale).longMinutes.format(Math.ceil(milliseconds / MINUTE_MS));
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

/** Without the year. */
export function formatShortMonth(instant: Instant, locale: Locale): string {
  return formatsOf(locale).shortMonth.format(instant);
}

export function formatMoment(instant: Instant, locale: Locale): string {
  return formatsOf(locale).moment.format(instant);
}

/** "5 minutes ago". A vote from a clock slightly ahead was cast now, not in the future. */
export function formatAgo(instant: Instant, now: Instant, locale: Locale): string {
  const age = Math.max(0, now - instant);
  const { relative } = formatsOf(locale);
  if (age < MINUTE_MS) return layoutMessages[locale].justNow;
  if (age < HOUR_MS) return relative.format(-Math.floor(age / MINUTE_MS), 'minute');
  if (age < DAY_MS) return relative.format(-Math.floor(age / HOUR_MS), 'hour');
  return relative.format(-Math.floor(age / DAY_MS), 'day');
}

/** The capitalized name of a language, in the language of the page. */
export function languageName(language: Language, locale: Locale): string {
  const name = formatsOf(locale).languages.of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}

/**
 * "in 42 min (9:56 PM UTC)" within a day, otherwise "on Nov 20, 2026, 9:56 PM UTC". With the seconds that are left, because
 * the clock of the visitor may be wrong.
 */
export function untilTag(instant: Instant, now: Instant, locale: Locale): Html {
  const secondsLeft = Math.max(0, Math.ceil((instant - now) / SECOND_MS));
  return html`<time datetime="${formatInstant(instant)}" data-until="${secondsLeft}">${formatUntil(instant, now, locale)}</time>`;
}

/** times.js does the same for the time zone of the visitor. */
function formatUntil(instant: Instant, now: Instant, locale: Locale): string {
  const text = layoutMessages[locale];
  const left = Math.max(0, instant - now);
  if (left >= DAY_MS) return text.onDay(formatMoment(instant, locale));
  const { hours, clock } = formatsOf(locale);
  const wait = left < HOUR_MS ? formatMinutes(left, locale) : hours.format(Math.round(left / HOUR_MS));
  return text.inTime(wait, clock.format(instant));
}

/** A human-readable time that programs can parse too. */
export function momentTag(instant: Instant, locale: Locale): Html {
  return html`<time datetime="${formatInstant(instant)}">${formatMoment(instant, locale)}</time>`;
}

/** Without the time zone, for the rows of a table that says it once: `timeZoneNote`. */
export function rowTimeTag(instant: Instant, locale: Locale): Html {
  return html`<time datetime="${formatInstant(instant)}" data-row>${formatsOf(locale).rowTime.format(instant)}</time>`;
}

/** UTC; times.js writes that it is the time zone of the visitor. */
export function timeZoneNote(locale: Locale): Html {
  const { timesInUtc, timesAreLocal } = layoutMessages[locale];
  return html`<span data-time-zone="${timesAreLocal}">${timesInUtc}</span>`;
}

/** A UTC day. */
export function dayTag(instant: Instant, locale: Locale): Html {
  return html`<time datetime="${formatDate(instant)}">${formatDay(instant, locale)}</time>`;
}

/** With seconds, for logs: an event is sent again after five of them. */
export function secondTag(instant: Instant, locale: Locale): Html {
  const text = formatsOf(locale).second.format(instant);
  return html`<time datetime="${formatInstant(instant)}" data-seconds>${text}</time>`;
}
