/**
 * The last test vote of each guild.
 *
 *   await store.testVotes.send(guildId, clock());
 *   const result = await store.testVotes.claim({ guildId, consumer, now, idempotency });
 *   if (result.kind === 'done') grantNothing(result.castAt);
 */
import type { Instant } from '../../domain/clock.ts';
import { type TestVote, testVoteState } from '../../domain/votes/test-vote.ts';
import { IDEMPOTENCY_MS } from '../../domain/votes/vote.ts';
import type { Database } from '../database.ts';
import { EXISTING_GUILD } from '../guilds/guilds.ts';
import type { ClaimRequest } from './claims.ts';

export type TestClaimRequest = Pick<ClaimRequest, 'guildId' | 'consumer' | 'now' | 'idempotency'>;

export type TestClaimResult =
  | { kind: 'done'; castAt: Instant; claimedAt: Instant; replayed: boolean }
  /** The key that claimed the vote was used with different parameters. */
  | { kind: 'mismatch' }
  /** No test vote can be claimed. */
  | { kind: 'none' };

export interface TestVoteStore {
  /** Replaces the test vote of the guild by a new one. Returns false if the guild does not exist. */
  send(guildId: string, now: Instant): Promise<boolean>;
  find(guildId: string): Promise<TestVote | null>;
  /** A test vote is claimed once, by any consumer. The key that claimed it gets the same result for a day. */
  claim(request: TestClaimRequest): Promise<TestClaimResult>;
}

type TestVoteRow = {
  cast_at: Instant;
  claimed_at: Instant | null;
  consumer: string | null;
  key: string | null;
  request_hash: string | null;
};

export function createTestVoteStore(database: Database): TestVoteStore {
  const sql = prepare(database);

  async function claim(request: TestClaimRequest): Promise<TestClaimResult> {
    const { guildId, consumer, now, idempotency } = request;
    const [row] = await sql.find({ guildId });
    if (!row) return { kind: 'none' };
    const state = testVoteState(toTestVote(row), now);
    if (state !== 'waiting') return replay(row, request);
    const castAt = row.cast_at;
    const { key, requestHash } = idempotency ?? { key: null, requestHash: null };
    const claimed = await sql.claim({ guildId, castAt, consumer, now, key, requestHash });
    // Somebody else claimed or replaced it in the meantime.
    return claimed === 0 ? claim(request) : { kind: 'done', castAt, claimedAt: now, replayed: false };
  }

  return {
    send: async (guildId, now) => (await sql.send({ guildId, now })) > 0,
    async find(guildId) {
      const [row] = await sql.find({ guildId });
      return row ? toTestVote(row) : null;
    },
    claim,
  };
}

function replay(row: TestVoteRow, { now, idempotency }: TestClaimRequest): TestClaimResult {
  const { claimed_at: claimedAt, cast_at: castAt } = row;
  if (!idempotency || row.key !== idempotency.key) return { kind: 'none' };
  if (claimedAt === null || claimedAt <= now - IDEMPOTENCY_MS) return { kind: 'none' };
  if (row.request_hash !== idempotency.requestHash) return { kind: 'mismatch' };
  return { kind: 'done', castAt, claimedAt, replayed: true };
}

function toTestVote({ cast_at, claimed_at, consumer }: TestVoteRow): TestVote {
  const claim = claimed_at === null || consumer === null ? null : { claimedAt: claimed_at, consumer };
  return { castAt: cast_at, claim };
}

/** The primary key, in every statement. */
function prepare({ read, write, dialect: { greatest, lock } }: Database) {
  return {
    find: read<TestVoteRow>(
      'SELECT cast_at, claimed_at, consumer, key, request_hash FROM test_votes WHERE guild_id = @guildId',
    ),
    // A later time than before, because it identifies the vote.
    send: write(`
      INSERT INTO test_votes (guild_id, cast_at)
      SELECT guild_id, CAST(@now AS BIGINT) FROM guilds WHERE ${EXISTING_GUILD} ${lock('FOR KEY SHARE')}
      ON CONFLICT (guild_id) DO UPDATE SET cast_at = ${greatest}(excluded.cast_at, test_votes.cast_at + 1),
        claimed_at = NULL, consumer = NULL, key = NULL, request_hash = NULL`),
    claim: write(`
      UPDATE test_votes SET claimed_at = @now, consumer = @consumer, key = @key, request_hash = @requestHash
      WHERE guild_id = @guildId AND cast_at = @castAt AND claimed_at IS NULL`),
  };
}
