import type { Instant } from '../domain/clock.ts';
import type { Vote } from '../domain/votes/vote.ts';
import type { Store } from '../store/store.ts';
import type { ImportResult } from '../store/votes.ts';
import { BadLine, readLines } from './read-lines.ts';
import { BadVoteLine, formatVoteLine, parseVoteLine } from './vote-line.ts';

const BATCH_SIZE = 5000;

/**
 * Imports NDJSON as a stream, so memory use does not depend on the file size. Imports everything, or nothing
 * and throws `BadLine` if a line is invalid. `onRead` is called with the number of votes read so far.
 */
export function importVotes(
  store: Store,
  chunks: AsyncIterable<Uint8Array>,
  now: Instant,
  onRead: (votes: number) => void = () => {},
): Promise<ImportResult> {
  return store.votes.import(readBatches(store, chunks, onRead), now);
}

async function* readBatches(
  store: Store,
  chunks: AsyncIterable<Uint8Array>,
  onRead: (votes: number) => void,
): AsyncGenerator<Vote[]> {
  const listedGuilds = new Set<string>();
  let batch: Vote[] = [];
  let lineNumber = 0;
  let votesRead = 0;
  for await (const lines of readLines(chunks)) {
    for (const line of lines) {
      lineNumber += 1;
      if (line.trim() === '') continue;
      const vote = parseLine(line, lineNumber);
      if (!listedGuilds.has(vote.guildId)) {
        await requireListed(store, vote.guildId, lineNumber);
        listedGuilds.add(vote.guildId);
      }
      batch.push(vote);
      votesRead += 1;
    }
    onRead(votesRead);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function parseLine(line: string, lineNumber: number): Vote {
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
export async function* voteLines(votes: AsyncIterable<Vote>): AsyncGenerator<string> {
  for await (const vote of votes) yield `${formatVoteLine(vote)}\n`;
}

/** The same votes as one JSON array. */
export async function* voteDocument(votes: AsyncIterable<Vote>): AsyncGenerator<string> {
  let before = '[';
  for await (const vote of votes) {
    yield before + formatVoteLine(vote);
    before = ',\n';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

const PIECE_LENGTH = 64 * 1024;

/** Joins the text into few large chunks: one write per line would dominate the time of an export. */
export async function* inLargePieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
