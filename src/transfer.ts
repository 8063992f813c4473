/** Vote files: one vote per line, as JSON. */

import { formatInstant, type Instant } from './domain/clock.ts';
import { isSnowflake, isStorableExternalId } from './domain/identifiers.ts';
import { isRecord } from './domain/record.ts';
import { DEFAULT_CONSUMER, isConsumer } from './domain/votes/consumers.ts';
import { parseIsoDate } from './domain/votes/period.ts';
import type { ClaimableVote } from './domain/votes/vote.ts';
import { BadLine, readLines } from './read-lines.ts';
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
  const guilds = new NamedGuilds(store);
  let batch: TransferredVote[] = [];
  let linesRead = 0;
  let votesRead = 0;
  for await (const lines of readLines(chunks)) {
    const votes = await parseLines(lines, linesRead, guilds);
    linesRead += lines.length;
    votesRead += votes.length;
    onRead(votesRead);
    for (const vote of votes) {
      batch.push(
        claimedAt === null ? vote : withClaims(vote, await guilds.consumersOf(vote.guildId), claimedAt),
      );
    }
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The votes of lines that follow `linesBefore` others. Throws `BadLine` for the first invalid one. */
async function parseLines(
  lines: readonly string[],
  linesBefore: number,
  guilds: NamedGuilds,
): Promise<TransferredVote[]> {
  const votes: TransferredVote[] = [];
  let lineNumber = linesBefore;
  try {
    for (const line of lines) {
      lineNumber += 1;
      if (line.trim() === '') continue;
      const vote = parseLine(line, lineNumber);
      guilds.add(vote.guildId, lineNumber);
      votes.push(vote);
    }
  } finally {
    // Also before an invalid line is reported, because an earlier one may name a guild that is not listed.
    await guilds.requireListed();
  }
  return votes;
}

/** The guilds that lines name. New ones are looked up together: a query for each would take a seventh of an import. */
class NamedGuilds {
  readonly #store: Store;
  readonly #listed = new Set<string>();
  /** Guilds that have not been looked up, and the first line that names each. */
  readonly #added = new Map<string, number>();
  readonly #consumers = new Map<string, readonly string[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  add(guildId: string, lineNumber: number): void {
    if (!this.#listed.has(guildId) && !this.#added.has(guildId)) this.#added.set(guildId, lineNumber);
  }

  async requireListed(): Promise<void> {
    if (this.#added.size === 0) return;
    for (const guildId of await this.#store.guilds.findExisting([...this.#added.keys()]))
      this.#listed.add(guildId);
    for (const [guildId, lineNumber] of this.#added) {
      if (this.#listed.has(guildId)) continue;
      const advice = `add it first: votary guild add ${guildId}`;
      throw new BadLine(lineNumber, `guild ${guildId} is not listed (${advice})`);
    }
    this.#added.clear();
  }

  async consumersOf(guildId: string): Promise<readonly string[]> {
    const known = this.#consumers.get(guildId);
    if (known) return known;
    const names = (await this.#store.consumers.list(guildId)).map(({ name }) => name);
    this.#consumers.set(guildId, names);
    return names;
  }
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
  const claims = readClaims(fields.claims ?? null);
  if (!isSnowflakeText(guild_id)) throw new BadVoteLine('"guild_id" must be a string of 15 to 20 digits');
  if (!isSnowflakeText(user_id)) throw new BadVoteLine('"user_id" must be a string of 15 to 20 digits');
  const castAt = typeof timestamp === 'string' ? parseIsoDate(timestamp) : undefined;
  if (castAt === undefined) throw new BadVoteLine('"timestamp" must be an ISO 8601 date-time');
  if (external_id !== null && !(typeof external_id === 'string' && isStorableExternalId(external_id))) {
    throw new BadVoteLine('"external_id" must be text of 1 to 191 characters, or left out');
  }
  if (typeof is_doubled !== 'boolean') throw new BadVoteLine('"is_doubled" must be true or false');
  const vote = {
    guildId: guild_id,
    userId: user_id,
    castAt,
    externalId: external_id,
    isDoubled: is_doubled,
    claimedAt: readClaimedAt(claimed_at),
  };
  return claims === null ? vote : claimedBy(vote, claims);
}

function claimedBy(vote: ClaimableVote, claims: Readonly<Record<string, Instant>>): TransferredVote {
  const { [DEFAULT_CONSUMER]: byDefault = null, ...byOthers } = claims;
  const claimedAt = vote.claimedAt ?? byDefault;
  return { ...vote, claimedAt, ...(Object.keys(byOthers).length > 0 && { claims: byOthers }) };
}

function readClaims(value: unknown): Record<string, Instant> | null {
  if (value === null) return null;
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
