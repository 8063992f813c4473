import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sealCursor } from '../../../../src/api/v7/cursor.ts';
import { hashApiKey } from '../../../../src/domain/keys/api-key.ts';
import { ALL_TIME } from '../../../../src/domain/votes/period.ts';
import { type Api, NOW, OTHER_USER, onAnyDatabase, USER } from '../../../support/api.ts';

const CAST_AT = Date.parse(NOW);

async function cast(api: Api, userId: string): Promise<void> {
  const vote = { guildId: api.guildId, userId, castAt: api.clock(), externalId: null, isDoubled: false };
  assert.equal((await api.store.votes.cast(vote)).kind, 'accepted');
}

const read = (api: Api, cursor: string, query = '') => api.get(`/v7/guild/feed?cursor=${cursor}${query}`);

const usersOf = ({ body }: { body: Record<string, unknown> }) =>
  (body.votes as { user_id: string }[]).map((vote) => vote.user_id);

/** A cursor as the service would have issued it. */
function issue(api: Api, ...fields: (number | string)[]): string {
  return sealCursor(fields, ['feed', api.guildId], api.secrets.cursorKey);
}

onAnyDatabase('a cursor of the feed', (open) => {
  test('of an earlier version, without a history, still works', async () => {
    const api = await open();
    await cast(api, USER);
    const [seq = 0] = (await api.store.feed.heads([api.guildId])).values();
    await cast(api, OTHER_USER);
    assert.deepEqual(usersOf(await read(api, issue(api, seq, 0))), [OTHER_USER]);
    const ahead = await read(api, issue(api, seq + 2, 0));
    assert.deepEqual([ahead.status, ahead.body.error], [400, 'INVALID_CURSOR']);
  });

  test('is rejected with the reason if the votes it follows are not in the database', async () => {
    const api = await open();
    await cast(api, USER);
    await cast(api, OTHER_USER);
    const [seq = 0] = (await api.store.feed.heads([api.guildId])).values();
    for (const cursor of [
      issue(api, seq, 0, 0, CAST_AT - 1),
      issue(api, seq + 1, 0, 0, CAST_AT),
      issue(api, seq, 0, 5, CAST_AT),
    ]) {
      const { status, body } = await read(api, cursor);
      assert.deepEqual([status, body.error], [400, 'INVALID_CURSOR']);
      assert.match(String(body.message), /restored from a backup/);
      assert.match(String((await read(api, cursor, '&locale=fr')).body.message), /sauvegarde/);
    }
    assert.equal((await read(api, issue(api, seq, 0, 0, CAST_AT))).status, 200);
  });

  test('of a community that was removed and added again is rejected with a message that says so', async () => {
    const api = await open();
    await cast(api, USER);
    const cursor = String((await api.get('/v7/guild/feed')).body.next_cursor);
    await api.store.guilds.remove(api.guildId);
    await api.store.guilds.add({ guildId: api.guildId, name: 'Added again', createdAt: api.clock() });
    const key = { hash: hashApiKey(api.key), sealed: 'unused', createdAt: api.clock() };
    await api.store.guilds.setKey(api.guildId, key);
    for (const [locale, reason] of [
      ['en', /the community was removed and added again.*Start again with from/],
      ['fr', /la communauté a été supprimée puis ajoutée à nouveau.*Repartez avec from/],
    ] as const) {
      const { status, body } = await read(api, cursor, `&locale=${locale}`);
      assert.deepEqual([status, body.error], [400, 'INVALID_CURSOR']);
      assert.match(String(body.message), reason);
    }
  });

  test('continues after the last vote that it follows was voided, or its community had none', async () => {
    const api = await open();
    const empty = (await api.get('/v7/guild/feed')).body.next_cursor as string;
    await cast(api, USER);
    const { next_cursor } = (await read(api, empty)).body;
    const voided = { selection: { userId: USER }, period: ALL_TIME, reason: null, voidedAt: CAST_AT };
    await api.store.moderation.void({ guildId: api.guildId, batch: `feed_${api.guildId}`, ...voided });
    for (const cursor of [String(next_cursor), (await api.get('/v7/guild/feed')).body.next_cursor as string])
      assert.deepEqual(usersOf(await read(api, cursor)), []);
    await cast(api, OTHER_USER);
    for (const cursor of [String(next_cursor), empty])
      assert.deepEqual(usersOf(await read(api, cursor)), [OTHER_USER]);
  });

  test('of another endpoint or start is rejected with a message about the feed', async () => {
    const api = await open();
    const { next_cursor } = (await api.get(`/v7/guild/feed?from=${NOW}`)).body;
    for (const [query, locale, message] of [
      ['cursor=abc', 'en', /the feed/],
      [`cursor=${next_cursor}&from=2026-11-14`, 'en', /without from/],
      ['cursor=abc', 'fr', /flux/],
    ] as const) {
      const { status, body } = await api.get(`/v7/guild/feed?${query}&locale=${locale}`);
      assert.deepEqual([status, body.error], [400, 'INVALID_CURSOR']);
      assert.match(String(body.message), message);
      assert.doesNotMatch(String(body.message), /dates/);
    }
    assert.equal((await api.get(`/v7/guild/feed?cursor=${next_cursor}&from=${NOW}`)).status, 200);
  });
});
