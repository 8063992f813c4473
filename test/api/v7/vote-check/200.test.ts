import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../../src/domain/clock.ts';
import { ago, NOW, OTHER_USER, onEachDatabase, USER } from '../../../support/api.ts';

const NO_VOTE = {
  has_voted: false,
  is_doubled: false,
  last_vote_at: null,
  next_vote_at: null,
  cooldown_remaining_seconds: 0,
};

onEachDatabase('GET /v7/vote-check answers 200', (open) => {
  test('a user who voted ten minutes ago has voted, and can vote again in fifty', async () => {
    const api = await open();
    await api.vote({ at: ago(10 * MINUTE_MS) });
    const { status, body } = await api.get(`/v7/vote-check?discord_id=${USER}`);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      ok: true,
      guild_id: api.guildId,
      has_voted: true,
      is_doubled: false,
      last_vote_at: '2026-11-15T11:50:00.000Z',
      next_vote_at: '2026-11-15T12:50:00.000Z',
      cooldown_remaining_seconds: 3000,
    });
  });

  test('a user who never voted gets null dates and no 404', async () => {
    const api = await open();
    const { status, body } = await api.get(`/v7/vote-check?discord_id=${USER}`);
    assert.equal(status, 200);
    assert.deepEqual(body, { ok: true, guild_id: api.guildId, ...NO_VOTE });
  });

  test('a vote expires at exactly one hour, not one millisecond earlier', async () => {
    const api = await open();
    await api.vote({ at: NOW, isDoubled: true });
    api.clock.advance(HOUR_MS - 1);
    const before = await api.get(`/v7/vote-check?discord_id=${USER}`);
    assert.deepEqual(
      [before.body.has_voted, before.body.is_doubled, before.body.cooldown_remaining_seconds],
      [true, true, 1],
    );
    api.clock.advance(1);
    const after = await api.get(`/v7/vote-check?discord_id=${USER}`);
    assert.deepEqual(after.body, { ok: true, guild_id: api.guildId, ...NO_VOTE });
  });

  test('a vote that was just cast is seen by the next request', async () => {
    const api = await open();
    const vote = {
      guildId: api.guildId,
      userId: USER,
      castAt: api.clock(),
      externalId: null,
      isDoubled: true,
    };
    await api.store.votes.cast(vote);
    const { body } = await api.get(`/v7/vote-check?discord_id=${USER}`);
    assert.deepEqual([body.has_voted, body.is_doubled, body.cooldown_remaining_seconds], [true, true, 3600]);
  });

  test('a vote with a future time is not a recent vote', async () => {
    const api = await open();
    await api.vote({ at: ago(-HOUR_MS) });
    const { body } = await api.get(`/v7/vote-check?discord_id=${USER}`);
    assert.equal(body.has_voted, false);
  });

  test('a key sees only the votes of its own guild', async () => {
    const [mine, other] = [await open(), await open()];
    await other.vote({ at: NOW, externalId: 'Steve_42' });
    assert.equal((await mine.get(`/v7/vote-check?discord_id=${USER}`)).body.has_voted, false);
    assert.equal((await mine.get('/v7/vote-check?external_id=Steve_42')).body.has_voted, false);
  });

  test('/v7/check-vote is an exact alias', async () => {
    const api = await open();
    await api.vote({ at: ago(MINUTE_MS), externalId: 'Steve_42' });
    const named = await api.get('/v7/vote-check?external_id=Steve_42');
    const alias = await api.get('/v7/check-vote?external_id=Steve_42');
    assert.equal(alias.status, 200);
    assert.deepEqual(alias.body, named.body);
    assert.equal(alias.body.has_voted, true);
  });

  test('an external id is compared exactly: no case folding, trimming or normalization', async () => {
    const api = await open();
    await api.vote({ at: NOW, externalId: 'Zoé_42' });
    for (const [externalId, hasVoted] of [
      ['Zoé_42', true],
      ['zoé_42', false],
      ['Zoé_42 ', false],
      [' Zoé_42', false],
      ['Zoe\u0301_42', false],
      ['Zoé_42\0', false],
    ] as const) {
      const { status, body } = await api.get(`/v7/vote-check?external_id=${encodeURIComponent(externalId)}`);
      assert.deepEqual([status, body.has_voted], [200, hasVoted], JSON.stringify(externalId));
    }
  });

  test('an external id of imported votes may contain control characters, which new vote links reject', async () => {
    const api = await open();
    for (const [index, externalId] of ['a\tb', 'a\r\nb', 'a\u0085b', 'a\u202eb'].entries()) {
      await api.vote({ at: ago(index * MINUTE_MS), externalId });
      const { status, body } = await api.get(`/v7/vote-check?external_id=${encodeURIComponent(externalId)}`);
      assert.deepEqual([status, body.has_voted], [200, true], JSON.stringify(externalId));
    }
  });

  test('when several users voted under one external id, the newest vote counts', async () => {
    const api = await open();
    await api.vote(
      { userId: USER, at: ago(30 * MINUTE_MS), externalId: 'shared', isDoubled: false },
      { userId: OTHER_USER, at: ago(5 * MINUTE_MS), externalId: 'shared', isDoubled: true },
    );
    const { body } = await api.get('/v7/vote-check?external_id=shared');
    assert.deepEqual([body.last_vote_at, body.is_doubled], [ago(5 * MINUTE_MS), true]);
  });

  test('191 code points are a valid external id, however many bytes they take', async () => {
    const api = await open();
    const externalId = '🗳'.repeat(191);
    await api.vote({ at: NOW, externalId });
    const { body } = await api.get(`/v7/vote-check?external_id=${encodeURIComponent(externalId)}`);
    assert.equal(body.has_voted, true);
  });

  test('an empty identifier counts as absent, and unknown parameters are ignored', async () => {
    const api = await open();
    const { status } = await api.get(
      `/v7/vote-check?discord_id=${USER}&external_id=&Discord_ID=1&page=2&page=3`,
    );
    assert.equal(status, 200);
  });

  test('HEAD mirrors GET without a body', async () => {
    const api = await open();
    const get = await api.get(`/v7/vote-check?discord_id=${USER}`);
    const head = await api.send('HEAD', `/v7/vote-check?discord_id=${USER}`);
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers['content-length'], get.headers['content-length']);
    assert.equal(head.headers['content-type'], get.headers['content-type']);
  });
});
