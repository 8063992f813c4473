import type { Instant } from './clock.ts';

/** When a guild's votes count as doubled. Fixed into the vote when it is cast. */
export const DOUBLING_RULES = ['never', 'weekends', 'always'] as const;

export type DoublingRule = (typeof DOUBLING_RULES)[number];

export function isDoubledAt(rule: DoublingRule, castAt: Instant): boolean {
  switch (rule) {
    case 'never':
      return false;
    case 'always':
      return true;
    case 'weekends':
      return isWeekend(castAt);
  }
}

function isWeekend(instant: Instant): boolean {
  const day = new Date(instant).getUTCDay();
  return day === 0 || day === 6;
}
