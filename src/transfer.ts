/** Vote files: one vote per line, as JSON. */

import { isUtf8 } from 'node:buffer';
import { formatInstant, type Instant } from './domain/clock.ts';
import { isSnowflake, isStorableExternalId } from './domain/identifiers.ts';
import { isRecord } from './domain/record.ts';
import { DEFAULT_CONSUMER, isConsumer } from './domain/votes/consumers.ts';
import { parseIsoDate } from './domain/votes/period.ts';
import type { ClaimableVote } from './domain/votes/vote.ts';
import type { Store } from './store/store.ts';
import type { ImportResult } from './store/votes/votes.ts';

const BATCH_SIZE = 5000;

/** `claims`: by consumers other than `default`. */
type TransferredVote = ClaimableVote & { claims?: Readonly<Record<string, Instant>> };

export type ImportOptions = {
  now: Instant;
  /** Marks votes as claimed, by every consumer of the guild, whose lines do not say when they were. */
  isClaimed?: boolean;
  /** Called with the number of votes read so far. */
  onRead?: (votes: number) => void;
};

/**
 * Imports NDJSON as a stream, so memory use does not depend on the file size. Imports all votes or none: throws
 * `BadLine` if a line is invalid.
 */
export function importVotes(
  store: Store,
  chunks: AsyncIterable<Uint8Array>,
  { now, isClaimed = false, onRead = () => {} }: ImportOptions,
): Promise<ImportResult> {
  return store.votes.import(readBatches(store, chunks, isClaimed ? now : null, onRead), now);
}

async function* readBatches(
  store: Store,
  chunks: AsyncIterable<Uint8Array>,
  claimedAt: Instant | null,
  onRead: (votes: number) => void,
): AsyncGenerator<TransferredVote[]> {
  const consumersOf = new Map<string, readonly string[]>();
  let batch: TransferredVote[] = [];
  let lineNumber = 0;
  let votesRead = 0;
  for await (const lines of readLines(chunks)) {
    for (const line of lines) {
      lineNumber += 1;
      if (line.trim() === '') continue;
      const vote = parseLine(line, lineNumber);
      let consumers = consumersOf.get(vote.guildId);
      if (!consumers) {
        await requireListed(store, vote.guildId, lineNumber);
        consumers = (await store.consumers.list(vote.guildId)).map(({ name }) => name);
        consumersOf.set(vote.guildId, consumers);
      }
      batch.push(claimedAt === null ? vote : withClaims(vote, consumers, claimedAt));
      votesRead += 1;
    }
    onRead(votesRead);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function withClaims(vote: TransferredVote, consumers: readonly string[], at: Instant): TransferredVote {
  const added = Object.fromEntries(consumers.map((consumer) => [consumer, at]));
  return { ...vote, claimedAt: vote.claimedAt ?? at, claims: { ...added, ...vote.claims } };
}

function parseLine(line: string, lineNumber: number): TransferredVote {
  try {
    return parseVoteLine(line);
  } catch (error) {
    if (error instanceof BadVoteLine) throw new BadLine(lineNumber, error.message);
    throw error;
  }
}

async function requireListed(store: Store, guildId: string, lineNumber: number): Promise<void> {
  if (await store.guilds.find(guildId)) return;
  throw new BadLine(lineNumber, `guild ${guildId} is not listed (add it first: votary guild add ${guildId})`);
}

/** One vote per line, as `importVotes` reads them. */
export async function* voteLines(votes: AsyncIterable<TransferredVote>): AsyncGenerator<string> {
  for await (const vote of votes) yield `${formatVoteLine(vote)}\n`;
}

/** The lines of an export as one JSON array. */
export async function* voteDocument(votes: AsyncIterable<TransferredVote>): AsyncGenerator<string> {
  let before = '[';
  for await (const vote of votes) {
    yield before + formatVoteLine(vote);
    before = ',\n';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

const CHUNK_LENGTH = 64 * 1024;

/** Joins the text into few large chunks: one write per line would dominate the time of an export. */
export async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** An invalid line of an import file. The message describes the error. */
export class BadVoteLine extends Error {}

/** One line of NDJSON, as `votes export` writes and `votes import` reads it. */
export function formatVoteLine(vote: TransferredVote): string {
  return JSON.stringify({
    guild_id: vote.guildId,
    user_id: vote.userId,
    timestamp: formatInstant(vote.castAt),
    ...(vote.externalId === null ? {} : { external_id: vote.externalId }),
    is_doubled: vote.isDoubled,
    ...(vote.claimedAt === null ? {} : { claimed_at: formatInstant(vote.claimedAt) }),
    ...claimsField(vote),
  });
}

/** Only if others than `default` have claimed the vote. */
function claimsField({ claimedAt, claims = {} }: TransferredVote): { claims?: Record<string, string> } {
  const named = Object.entries(claims);
  if (named.length === 0) return {};
  const all = claimedAt === null ? named : [[DEFAULT_CONSUMER, claimedAt] as const, ...named];
  return { claims: Object.fromEntries(all.map(([consumer, at]) => [consumer, formatInstant(at)])) };
}

export function parseVoteLine(line: string): TransferredVote {
  const fields = parseObject(line);
  const { guild_id, user_id, timestamp, external_id = null, is_doubled = false, claimed_at = null } = fields;
  const { [DEFAULT_CONSUMER]: byDefault = null, ...claims } = readClaims(fields.claims ?? {});
  if (!isSnowflakeText(guild_id)) throw new BadVoteLine('"guild_id" must be a string of 15 to 20 digits');
  if (!isSnowflakeText(user_id)) throw new BadVoteLine('"user_id" must be a string of 15 to 20 digits');
  const castAt = typeof timestamp === 'string' ? parseIsoDate(timestamp) : undefined;
  if (castAt === undefined) throw new BadVoteLine('"timestamp" must be an ISO 8601 date-time');
  if (external_id !== null && !(typeof external_id === 'string' && isStorableExternalId(external_id))) {
    throw new BadVoteLine('"external_id" must be text of 1 to 191 characters, or left out');
  }
  if (typeof is_doubled !== 'boolean') throw new BadVoteLine('"is_doubled" must be true or false');
  return {
    guildId: guild_id,
    userId: user_id,
    castAt,
    externalId: external_id,
    isDoubled: is_doubled,
    claimedAt: readClaimedAt(claimed_at) ?? byDefault,
    ...(Object.keys(claims).length > 0 && { claims }),
  };
}

function readClaims(value: unknown): Record<string, Instant> {
  if (!isRecord(value) || Array.isArray(value))
    throw new BadVoteLine('"claims" must be an object of consumers and date-times, or left out');
  const claims = Object.entries(value).map(([consumer, at]) => {
    if (!isConsumer(consumer))
      throw new BadVoteLine(
        '"claims" must name consumers: 1 to 32 lower-case letters (a-z), digits or hyphens',
      );
    const claimedAt = typeof at === 'string' ? parseIsoDate(at) : undefined;
    if (claimedAt === undefined) throw new BadVoteLine('"claims" must contain ISO 8601 date-times');
    return [consumer, claimedAt] as const;
  });
  return Object.fromEntries(claims);
}

function readClaimedAt(value: unknown): Instant | null {
  if (value === null) return null;
  const claimedAt = typeof value === 'string' ? parseIsoDate(value) : undefined;
  if (claimedAt === undefined)
    throw new BadVoteLine('"claimed_at" must be an ISO 8601 date-time, or left out');
  return claimedAt;
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (isRecord(value) && !Array.isArray(value)) return value;
  } catch {
    throw new BadVoteLine('not valid JSON');
  }
  throw new BadVoteLine('not a JSON object');
}

function isSnowflakeText(value: unknown): value is string {
  return typeof value === 'string' && isSnowflake(value);
}

/** The maximum length of a line. A vote takes a few hundred bytes. */
export const MAX_LINE_BYTES = 64 * 1024;

/** An invalid line. The message starts with the line number. */
export class BadLine extends Error {
  constructor(lineNumber: number, problem: string) {
    super(`line ${lineNumber}: ${problem}`);
    this.name = 'BadLine';
  }
}

const NEWLINE = 0x0a;
const REPLACEMENT = '\ufffd';
const BYTE_ORDER_MARK = '\ufeff';

/**
 * The lines of a stream, including blank ones so that they can be counted, as one list per chunk: an async
 * iteration per line would cost more than reading it.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0);
  let lineNumber = 0;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      lineNumber += 1;
      lines.push(decodeLine(bytes.subarray(start, end), lineNumber));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_LINE_BYTES) throw tooLong(lineNumber + 1);
    yield lines;
  }
  if (rest.length > 0) yield [decodeLine(rest, lineNumber + 1)];
}

function decodeLine(bytes: Buffer, lineNumber: number): string {
  if (bytes.length > MAX_LINE_BYTES) throw tooLong(lineNumber);
  const text = bytes.toString('utf8');
  // Decoding replaces invalid bytes with U+FFFD, but the text itself can contain that character too.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) throw new BadLine(lineNumber, 'not valid UTF-8');
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  return lineNumber === 1 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
}

function tooLong(lineNumber: number): BadLine {
  return new BadLine(lineNumber, `longer than ${MAX_LINE_BYTES} bytes`);
}
