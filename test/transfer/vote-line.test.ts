import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ClaimableVote } from '../../src/domain/votes/vote.ts';
import { BadVoteLine, formatVoteLine, parseVoteLine } from '../../src/transfer.ts';
import { anyInstant, anyText, anyVote } from '../domain/arbitraries.ts';

const LINE = {
  guild_id: '100000000000000001',
  user_id: '200000000000000002',
  timestamp: '2026-03-20T10:00:00.000Z',
};

describe('a line of votes', () => {
  const anyLine = fc
    .tuple(anyVote, fc.option(anyInstant))
    .map(([vote, claimedAt]): ClaimableVote => ({ ...vote, claimedAt }));

  it('round-trips', () => {
    fc.assert(fc.property(anyLine, (vote) => assert.deepEqual(parseVoteLine(formatVoteLine(vote)), vote)));
  });

  it('is one line for any external id', () => {
    fc.assert(fc.property(anyLine, (vote) => !/[\r\n]/.test(formatVoteLine(vote))));
  });

  it('requires only the guild, the user and the time', () => {
    assert.deepEqual(parseVoteLine(JSON.stringify(LINE)), {
      guildId: LINE.guild_id,
      userId: LINE.user_id,
      castAt: Date.parse(LINE.timestamp),
      externalId: null,
      isDoubled: false,
      claimedAt: null,
    });
  });

  it('can contain unknown fields', () => {
    assert.equal(parseVoteLine(JSON.stringify({ ...LINE, source: 'old site' })).userId, LINE.user_id);
  });

  it('omits an external id and a claim that are absent', () => {
    const vote = parseVoteLine(JSON.stringify({ ...LINE, external_id: null, claimed_at: null }));
    assert.deepEqual(JSON.parse(formatVoteLine(vote)), { ...LINE, is_doubled: false });
  });
});

describe('an invalid line is reported with the reason', () => {
  const wrong: [line: unknown, problem: RegExp][] = [
    [{ ...LINE, guild_id: undefined }, /guild_id/],
    [{ ...LINE, guild_id: 100000000000000 }, /guild_id/],
    [{ ...LINE, guild_id: 'x' }, /guild_id/],
    [{ ...LINE, user_id: undefined }, /user_id/],
    [{ ...LINE, user_id: '12' }, /user_id/],
    [{ ...LINE, timestamp: undefined }, /timestamp/],
    [{ ...LINE, timestamp: 1_767_225_600_000 }, /timestamp/],
    [{ ...LINE, timestamp: '2026-02-30' }, /timestamp/],
    [{ ...LINE, external_id: '' }, /external_id/],
    [{ ...LINE, external_id: 5 }, /external_id/],
    [{ ...LINE, external_id: 'a'.repeat(192) }, /external_id/],
    [{ ...LINE, is_doubled: 'true' }, /is_doubled/],
    [{ ...LINE, is_doubled: null }, /is_doubled/],
    [{ ...LINE, claimed_at: true }, /claimed_at/],
    [{ ...LINE, claimed_at: '' }, /claimed_at/],
    [{ ...LINE, claimed_at: 1_767_225_600_000 }, /claimed_at/],
    [{ ...LINE, claimed_at: '2026-02-30' }, /claimed_at/],
    [[LINE], /not a JSON object/],
    [null, /not a JSON object/],
    ['text', /not a JSON object/],
  ];
  for (const [line, problem] of wrong) {
    const text = JSON.stringify(line);
    it(text.slice(0, 120), () =>
      assert.throws(() => parseVoteLine(text), { constructor: BadVoteLine, message: problem }),
    );
  }

  for (const text of ['', '{', `${JSON.stringify(LINE)},`, 'guild_id=1']) {
    it(JSON.stringify(text).slice(0, 60), () =>
      assert.throws(() => parseVoteLine(text), { constructor: BadVoteLine, message: /not valid JSON/ }),
    );
  }

  it('and no other error is thrown, whatever it contains', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.json()), (text) => {
        assert.throws(() => parseVoteLine(text), BadVoteLine);
      }),
    );
  });
});
