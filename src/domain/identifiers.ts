/** How users are identified: by Discord id, or by an external id, the name that a community uses for them. */
import { codePointLength, isPrintable, isSearchable } from './text/text.ts';

const SNOWFLAKE = /^[0-9]{15,20}$/;

/** The pattern of user and guild ids in the contract. */
export const SNOWFLAKE_PATTERN = SNOWFLAKE.source;
export const SNOWFLAKE_MAX_LENGTH = 20;

export const EXTERNAL_ID_MAX_LENGTH = 191;

export function isSnowflake(text: string): boolean {
  return SNOWFLAKE.test(text);
}

/** Whether a vote link may carry this external id. Stricter than storage: imported votes may contain any text. */
export function isLinkableExternalId(text: string): boolean {
  return isStorableExternalId(text) && isPrintable(text);
}

/**
 * Whether an external id can be stored. Text with NUL or half a surrogate pair is rejected, because no database
 * stores it exactly, and external ids are compared exactly.
 */
export function isStorableExternalId(text: string): boolean {
  if (text === '' || text.length > 2 * EXTERNAL_ID_MAX_LENGTH) return false;
  return isSearchable(text) && codePointLength(text) <= EXTERNAL_ID_MAX_LENGTH;
}
