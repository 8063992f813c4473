import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anonymizeJson, anonymizeText } from '../../src/domain/text/erased-text.ts';
import { voteId } from '../../src/domain/votes/vote.ts';

const USER = '345678901234567890';
const REPLACEMENT = { guildId: '100000000000000001', userId: USER, anonymousId: '400000000000000000' };

test('a body about the user keeps its fields, without the user and the name', () => {
  const castAt = Date.parse('2026-11-15T12:00:00.000Z');
  const ids = { guildId: REPLACEMENT.guildId, castAt };
  const body = {
    type: 'vote_received',
    data: {
      vote_id: voteId({ ...ids, userId: USER }),
      user_id: USER,
      external_id: 'Steve',
      timestamp: '2026-11-15T12:00:00.000Z',
      total_votes: 3,
      is_doubled: false,
    },
  };
  assert.deepEqual(JSON.parse(anonymizeJson(JSON.stringify(body), REPLACEMENT)), {
    type: 'vote_received',
    data: {
      vote_id: voteId({ ...ids, userId: REPLACEMENT.anonymousId }),
      user_id: REPLACEMENT.anonymousId,
      external_id: null,
      timestamp: '2026-11-15T12:00:00.000Z',
      total_votes: 3,
      is_doubled: false,
    },
  });
});

test('entries about others keep their names', () => {
  const body = JSON.stringify([
    { user_id: '1', external_id: 'Alex', reason: `like <@${USER}>` },
    { user_id: USER, external_id: 'Steve' },
  ]);
  assert.deepEqual(JSON.parse(anonymizeJson(body, REPLACEMENT)), [
    { user_id: '1', external_id: 'Alex', reason: 'like <@400000000000000000>' },
    { user_id: '400000000000000000', external_id: null },
  ]);
});

test('an id that is part of a longer number is another id', () => {
  assert.equal(anonymizeText(`1${USER} ${USER}9`, REPLACEMENT), `1${USER} ${USER}9`);
});
