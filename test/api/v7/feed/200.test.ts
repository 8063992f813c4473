import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, NOW, OTHER_USER, onEachDatabase, USER } from '../../../support/api.ts';

type Page = { votes: { user_id: string; vote_id: string }[]; next_cursor: string; has_more: boolean };

async function read(api: Api, query = ''): Promise<Page> {
  const { status, text } = await api.get(`/v7/guild/feed?${query}`);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

async function cast(api: Api, userId: string): Promise<void> {
  const vote = { guildId: api.guildId, userId, castAt: api.clock(), externalId: null, isDoubled: false };
  assert.equal((await api.store.votes.cast(vote)).kind, 'accepted');
}

onEachDatabase('GET /v7/guild/feed', (open) => {
  test('starts now, and following the cursor returns each new vote once', async () => {
    const api = await open();
    await cast(api, USER);
    const start = await read(api);
    assert.deepEqual([start.votes, start.has_more], [[], false]);
    await cast(api, OTHER_USER);
    const next = await read(api, `cursor=${start.next_cursor}`);
    assert.deepEqual(
      next.votes.map((vote) => vote.user_id),
      [OTHER_USER],
    );
    assert.deepEqual((await read(api, `cursor=${next.next_cursor}`)).votes, []);
  });

  test('from starts in the past, pages continue, and imported votes are not included', async () => {
    const api = await open();
    await api.vote({ at: '2026-11-15T11:00:00.000Z' });
    await cast(api, USER);
    await cast(api, OTHER_USER);
    const first = await read(api, 'from=2026-11-15T10:00:00Z&limit=1');
    const second = await read(api, `cursor=${first.next_cursor}&limit=1`);
    assert.deepEqual(
      [...first.votes, ...second.votes].map((vote) => vote.user_id),
      [USER, OTHER_USER],
    );
    assert.deepEqual([first.has_more, second.has_more], [true, false]);
  });

  test('with wait, an empty page is delayed until a vote arrives', async () => {
    const api = await open();
    const { next_cursor } = await read(api);
    const waiting = read(api, `cursor=${next_cursor}&wait=30`);
    await cast(api, USER);
    assert.deepEqual(
      (await waiting).votes.map((vote) => vote.user_id),
      [USER],
    );
  });

  test('dates are validated as in vote lists', async () => {
    const api = await open();
    for (const [from, error] of [
      ['yesterday', 'INVALID_DATE'],
      ['2026-11-16', 'INVALID_DATE_RANGE'],
      ['2026-10-01', 'DATE_RANGE_TOO_LARGE'],
    ]) {
      const { status, body } = await api.get(`/v7/guild/feed?from=${from}`);
      assert.deepEqual([status, body.error], [400, error]);
    }
    assert.deepEqual((await read(api, `from=${NOW}`)).votes, []);
  });
});
