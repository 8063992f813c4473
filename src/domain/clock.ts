/** Milliseconds since the Unix epoch. Every instant inside Votary is one of these. */
export type Instant = number;

/** Where "now" comes from. Injected everywhere, so that tests move time instead of waiting for it. */
export type Clock = () => Instant;

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The one way an instant is written for people and programs: UTC, milliseconds, `Z`. */
export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString();
}
