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
 * Whether an external id can stand beside a vote. Text with NUL or half a surrogate pair is refused, because
 * no database keeps it exactly, and external ids are compared exactly.
 */
export function isStorableExternalId(text: string): boolean {
  if (text === '' || text.length > 2 * EXTERNAL_ID_MAX_LENGTH) return false;
  return text.isWellFormed() && !text.includes('\0') && codePointLength(text) <= EXTERNAL_ID_MAX_LENGTH;
}
