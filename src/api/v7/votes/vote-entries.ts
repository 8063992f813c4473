/**
 * Writes the entries of a vote list. A page has up to a thousand, with the same three fields, which need no escaping: ids are
 * digits, and dates are our own. They become bytes without an object or a text for each
 * (docs/decisions/0040-lists-and-imports.md).
 */
import { writeInstant } from '../../../domain/clock.ts';
import type { ListedVote } from '../../../domain/votes/vote.ts';

const BEFORE_USER = '{"user_id":"';
const BEFORE_TIME = '","timestamp":"';
const TIME = 'YYYY-MM-DDTHH:MM:SS.mmmZ';
const DOUBLED = '","is_doubled":true},';
const NOT_DOUBLED = '","is_doubled":false},';

/** Without the user id. */
const MAX_ENTRY_BYTES = BEFORE_USER.length + BEFORE_TIME.length + TIME.length + NOT_DOUBLED.length;

/** Separated by commas: what is between the brackets of a JSON array. */
export function writeEntries(votes: readonly ListedVote[]): Buffer {
  let size = 0;
  for (const { userId } of votes) size += MAX_ENTRY_BYTES + userId.length;
  const bytes = Buffer.allocUnsafe(size);
  let end = 0;
  for (const vote of votes) end = writeEntry(bytes, vote, end);
  // Without the comma after the last one.
  return bytes.subarray(0, Math.max(0, end - 1));
}

type Templates = { doubled: Buffer; notDoubled: Buffer };

/** By the number of digits of the user id. */
const templates: Templates[] = [];

function createTemplates(digits: number): Templates {
  const start = `${BEFORE_USER}${'0'.repeat(digits)}${BEFORE_TIME}${TIME}`;
  return { doubled: Buffer.from(start + DOUBLED), notDoubled: Buffer.from(start + NOT_DOUBLED) };
}

/** Copies an entry and changes id and date, which is faster than joining its parts. Returns where it ends. */
function writeEntry(bytes: Buffer, { userId, castAt, isDoubled }: ListedVote, at: number): number {
  const digits = userId.length;
  templates[digits] ??= createTemplates(digits);
  const template = isDoubled ? templates[digits].doubled : templates[digits].notDoubled;
  bytes.set(template, at);
  const idAt = at + BEFORE_USER.length;
  for (let i = 0; i < digits; i += 1) bytes[idAt + i] = userId.charCodeAt(i);
  writeInstant(bytes, castAt, idAt + digits + BEFORE_TIME.length);
  return at + template.length;
}
