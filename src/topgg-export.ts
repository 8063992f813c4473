/**
 * Votes from top.gg: what `GET /api/v1/projects/@me/votes` returned, saved in a file. It can contain a page, a list of
 * votes or of pages, or several of these one after the other, on lines or not.
 */
import { isUtf8 } from 'node:buffer';
import type { Instant } from './domain/clock.ts';
import { isSnowflake } from './domain/identifiers.ts';
import { isRecord } from './domain/record.ts';
import { parseIsoDate } from './domain/votes/period.ts';
import type { ClaimableVote } from './domain/votes/vote.ts';
import { BadLine } from './read-lines.ts';
import type { Store } from './store/store.ts';
import type { ImportResult } from './store/votes/votes.ts';
import type { ImportOptions } from './transfer.ts';

/** The file is read as a whole: top.gg returns the votes of one year. About a million votes. */
const MAX_BYTES = 256 * 1024 * 1024;
const BATCH_SIZE = 5000;

/** A vote that counts twice at top.gg is doubled. */
const DOUBLED_WEIGHT = 2;

/** Imports all votes of the file for this guild, or none: throws `BadLine` if something in it is not a vote. */
export function importTopggVotes(
  store: Store,
  guildId: string,
  chunks: AsyncIterable<Uint8Array>,
  { now, isClaimed = false, onRead = () => {} }: ImportOptions,
): Promise<ImportResult> {
  return store.votes.import(readBatches(guildId, chunks, isClaimed ? now : null, onRead), now);
}

async function* readBatches(
  guildId: string,
  chunks: AsyncIterable<Uint8Array>,
  claimedAt: Instant | null,
  onRead: (votes: number) => void,
): AsyncGenerator<ClaimableVote[]> {
  const text = await readText(chunks);
  let batch: ClaimableVote[] = [];
  let votesRead = 0;
  for (const { value, line } of readValues(text)) {
    for (const entry of entriesOf(value)) {
      batch.push({ guildId, ...parseEntry(entry, line), externalId: null, claimedAt });
      votesRead += 1;
      if (batch.length < BATCH_SIZE) continue;
      onRead(votesRead);
      yield batch;
      batch = [];
    }
  }
  onRead(votesRead);
  if (batch.length > 0) yield batch;
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) throw new BadLine(1, `the file is larger than ${MAX_BYTES} bytes; split it`);
  }
  const bytes = Buffer.concat(parts);
  if (!isUtf8(bytes)) throw new BadLine(1, 'not valid UTF-8');
  return bytes.toString().replace(/^\ufeff/, '');
}

/** A page, a single vote, or a list of these, or of such lists. Lists that are nested more deeply are not votes. */
function* entriesOf(value: unknown): Generator<unknown> {
  for (const entry of Array.isArray(value) ? value.flat() : [value]) {
    if (isRecord(entry) && Array.isArray(entry.data)) yield* entry.data;
    else yield entry;
  }
}

function parseEntry(entry: unknown, line: number) {
  const { platform_id, created_at, weight = 1 } = isRecord(entry) ? entry : {};
  if (typeof platform_id !== 'string' || !isSnowflake(platform_id))
    throw new BadLine(line, 'a vote needs "platform_id", a string of 15 to 20 digits');
  const castAt = typeof created_at === 'string' ? parseIsoDate(created_at) : undefined;
  if (castAt === undefined) throw new BadLine(line, 'a vote needs "created_at", an ISO 8601 date-time');
  if (typeof weight !== 'number') throw new BadLine(line, '"weight" must be a number');
  return { userId: platform_id, castAt, isDoubled: weight >= DOUBLED_WEIGHT };
}

type ReadValue = { value: unknown; line: number };

const WHITESPACE = /\s/;

/** The JSON objects and lists of a text, and the lines that they start on. */
function* readValues(text: string): Generator<ReadValue> {
  let start = 0;
  let line = 1;
  while (start < text.length) {
    const character = text[start] ?? '';
    if (character === '\n') line += 1;
    if (WHITESPACE.test(character)) {
      start += 1;
      continue;
    }
    const source = text.slice(start, endOfValue(text, start));
    yield { value: parseJson(source, line), line };
    line += source.split('\n').length - 1;
    start += source.length;
  }
}

/** Where the object or list ends that starts here: at its last bracket, or at the end of the line for anything else. */
function endOfValue(text: string, start: number): number {
  const tokens = /["\\[{\]}\n]/g;
  tokens.lastIndex = start;
  let depth = 0;
  let isInString = false;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [character] = token;
    if (character === '"') isInString = !isInString;
    // An escaped character is not a quotation mark.
    else if (character === '\\') tokens.lastIndex += 1;
    else if (isInString) continue;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === '\n' && depth === 0) return token.index;
    else if (character !== '\n') depth -= 1;
    if (depth <= 0 && (character === ']' || character === '}')) return token.index + 1;
  }
  return text.length;
}

function parseJson(source: string, line: number): unknown {
  try {
    return JSON.parse(source);
  } catch {
    throw new BadLine(line, 'not valid JSON');
  }
}
