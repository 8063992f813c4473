import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError, assertInvalid, NOW, OTHER_USER, onAnyDatabase, USER } from '../../support/api.ts';
import { loggedBy, openManage, unusedId } from './support.ts';

onAnyDatabase('moderation in the management API', (open) => {
  test('a user is banned, listed, and allowed again', async () => {
    const manage = await openManage(await open());
    const user_id = unusedId();
    const ban = {
      user_id,
      until: '2027-01-01T00:00:00.000Z',
      reason: 'bots',
      public_reason: 'Automated votes',
    };
    const created = await manage.post('/bans', ban);
    assert.deepEqual([created.status, created.body], [201, { ok: true, ban: { ...ban, since: NOW } }]);
    const forever = await manage.post('/bans', { user_id });
    assert.deepEqual(Object(forever.body).ban, {
      user_id,
      since: NOW,
      until: null,
      reason: null,
      public_reason: null,
    });
    const listed = await manage.get('/bans?limit=1000');
    assert.ok(Object(listed.body).bans.some((found: typeof ban) => found.user_id === user_id));
    const lifted = await manage.remove(`/bans/${user_id}`);
    assert.deepEqual([lifted.status, lifted.body], [200, { ok: true, user_id }]);
    assertError(await manage.remove(`/bans/${user_id}`), 404, 'BAN_NOT_FOUND');
    assertError(await manage.remove('/bans/abc'), 400, 'INVALID_USER_ID');
    assert.deepEqual(await loggedBy(manage), ['voter_banned', 'voter_banned', 'voter_unbanned']);
  });

  test('walking all pages returns every ban once', async () => {
    const manage = await openManage(await open());
    const ids = Array.from({ length: 5 }, unusedId);
    for (const user_id of ids) await manage.post('/bans', { user_id });
    const walked: string[] = [];
    for (let query = '?limit=2'; query !== ''; ) {
      const { bans, pagination } = Object((await manage.get(`/bans${query}`)).body);
      walked.push(...bans.map((found: { user_id: string }) => found.user_id));
      query = pagination.next_cursor ? `?limit=2&cursor=${pagination.next_cursor}` : '';
    }
    assert.deepEqual(
      walked.filter((id) => ids.includes(id)),
      ids.toSorted(),
    );
    assert.equal(new Set(walked).size, walked.length);
  });

  test('a ban that is over, or has no valid end or user, is refused', async () => {
    const manage = await openManage(await open());
    for (const until of [NOW, '2020-01-01', 'tomorrow'])
      assertError(await manage.post('/bans', { user_id: USER, until }), 400, 'INVALID_DATE');
    assertInvalid(await manage.post('/bans', { user_id: 'x' }), [{ field: 'user_id', rule: 'regex' }]);
    assertInvalid(await manage.post('/bans', { user_id: USER, reason: 'a\u0007' }), [
      { field: 'reason', rule: 'regex' },
    ]);
    assert.deepEqual(await loggedBy(manage), []);
  });

  test('votes are counted, voided and restored', async () => {
    const manage = await openManage(await open());
    const { api } = manage;
    const guild_id = api.guildId;
    await api.vote(
      { at: '2026-11-15T09:00:00Z', externalId: 'Steve' },
      { at: '2026-11-15T10:00:00Z', externalId: 'Steve' },
      { at: '2026-11-15T10:00:00Z', userId: OTHER_USER },
    );
    const left = async () => (await api.store.votes.recent(guild_id, null, null, 10)).length;
    const dry = await manage.post('/voids', { guild_id, user_id: USER, dry_run: true });
    assert.deepEqual([dry.status, dry.body], [200, { ok: true, batch: null, voided: 2 }]);
    assert.equal(await left(), 3);
    const some = await manage.post('/voids', { guild_id, external_id: 'Steve', to: '2026-11-15T10:00Z' });
    assert.deepEqual([some.status, some.body.voided, await left()], [201, 1, 2]);
    const rest = await manage.post('/voids', { guild_id, user: USER, reason: 'bots', dry_run: false });
    assert.deepEqual([rest.status, rest.body.voided, await left()], [201, 1, 1]);
    const none = await manage.post('/voids', { guild_id, mark: 'busy_network' });
    assert.deepEqual([none.status, none.body], [200, { ok: true, batch: null, voided: 0 }]);
    const { batch } = some.body;
    const restored = await manage.remove(`/voids/${batch}`);
    assert.deepEqual([restored.status, restored.body], [200, { ok: true, batch, restored: 1 }]);
    assert.deepEqual((await manage.remove(`/voids/${batch}`)).body, { ok: true, batch, restored: 0 });
    assert.equal(await left(), 2);
    assert.deepEqual(await loggedBy(manage), ['votes_voided', 'votes_voided', 'votes_restored']);
  });

  test('votes of a network are selected by one of its votes', async () => {
    const manage = await openManage(await open());
    const { guildId: guild_id, clock } = manage.api;
    const network = '203.0.113.5';
    const cast = async (user_id: string) =>
      Object((await manage.post('/votes', { guild_id, user_id, network })).body).vote.vote_id;
    const network_of = await cast(USER);
    clock.advance(1);
    await cast(OTHER_USER);
    const voided = await manage.post('/voids', { guild_id, network_of });
    assert.deepEqual([voided.status, voided.body.voided], [201, 2]);
    const unknown = `vote_${'0'.repeat(32)}`;
    assertError(await manage.post('/voids', { guild_id, network_of: unknown }), 404, 'VOTE_NOT_FOUND');
  });

  test('exactly one selection, an existing community and a valid period are required', async () => {
    const manage = await openManage(await open());
    const { guildId: guild_id } = manage.api;
    const post = (body: object) => manage.post('/voids', { guild_id, ...body });
    assertError(await post({}), 400, 'MISSING_IDENTIFIER');
    assertError(await post({ user_id: USER, mark: 'shared_name' }), 400, 'MULTIPLE_IDENTIFIERS');
    assertError(await post({ user_id: USER, user: OTHER_USER }), 400, 'MULTIPLE_IDENTIFIERS');
    assertError(await post({ user_id: USER, from: 'x' }), 400, 'INVALID_DATE');
    const turned = { from: '2026-11-02', to: '2026-11-01' };
    assertError(await post({ user_id: USER, ...turned }), 400, 'INVALID_DATE_RANGE');
    assertError(await post({ guild_id: unusedId(), user_id: USER }), 404, 'GUILD_NOT_FOUND');
    assertInvalid(await post({ mark: 'x', network_of: 'vote_1', dry_run: 'yes' }), [
      { field: 'mark', rule: 'enum' },
      { field: 'network_of', rule: 'regex' },
      { field: 'dry_run', rule: 'boolean' },
    ]);
    for (const batch of ['void_0', 'nothing', '%00'])
      assertError(await manage.remove(`/voids/${batch}`), 404, 'BATCH_NOT_FOUND');
    assert.deepEqual(await loggedBy(manage), []);
  });
});
