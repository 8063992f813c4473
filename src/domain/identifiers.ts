const SNOWFLAKE = /^[0-9]{15,20}$/;

/** The pattern of user and guild ids, as the contract writes it. */
export const SNOWFLAKE_PATTERN = SNOWFLAKE.source;
export const SNOWFLAKE_MAX_LENGTH = 20;

export const EXTERNAL_ID_MAX_LENGTH = 191;

export function isSnowflake(text: string): boolean {
  return SNOWFLAKE.test(text);
}

/** Length in Unicode code points, which is how the contract counts. An emoji is one. */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/**
 * Control characters (tabs and line breaks among them), Unicode line separators, and the characters that reorder the
 * text around them. Direction marks and joiners stay allowed: ordinary text and emoji contain them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Whether a vote link may carry this external id. Stricter than what is stored: imported votes may hold any text. */
export function isLinkableExternalId(text: string): boolean {
  return isStorableExternalId(text) && !UNPRINTABLE.test(text);
}

/**
 * Whether an external id can stand beside a vote. Text with NUL or half a surrogate pair is refused, because
 * no database keeps it exactly, and external ids are compared exactly.
 */
export function isStorableExternalId(text: string): boolean {
  if (text === '' || text.length > 2 * EXTERNAL_ID_MAX_LENGTH) return false;
  return text.isWellFormed() && !text.includes('\0') && codePointLength(text) <= EXTERNAL_ID_MAX_LENGTH;
}
