import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError, onAnyDatabase } from '../../support/api.ts';
import { loggedBy, openManage, unusedId } from './support.ts';

onAnyDatabase('users in the management API', (open) => {
  test('everything about a user is exported, then erased, and votes still count', async () => {
    const manage = await openManage(await open());
    const { api } = manage;
    const userId = unusedId();
    await api.vote({ userId, at: '2026-11-15T09:00:00Z', externalId: 'Steve' });
    const { status, headers, body } = await manage.get(`/users/${userId}`);
    assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8']);
    assert.deepEqual([body.ok, body.user_id, Object(body.votes).length], [true, userId, 1]);
    assert.equal(Object(body.votes)[0].external_id, 'Steve');
    const erased = await manage.remove(`/users/${userId}`);
    assert.deepEqual([erased.status, erased.body], [200, { ok: true, user_id: userId, votes: 1, guilds: 1 }]);
    const votes = await api.store.votes.recent(api.guildId, null, null, 10);
    assert.deepEqual([votes.length, votes[0]?.userId === userId], [1, false]);
    assert.deepEqual(await loggedBy(manage), ['user_erased']);
    assert.ok(!JSON.stringify(await api.store.audit.recent(null, 50)).includes(userId));
    assertError(await manage.get(`/users/${userId}`), 404, 'USER_NOT_FOUND');
    assertError(await manage.remove(`/users/${userId}`), 404, 'USER_NOT_FOUND');
  });

  test('a malformed id is INVALID_USER_ID', async () => {
    const manage = await openManage(await open());
    for (const id of ['abc', '1', '%00', '1'.repeat(30)]) {
      assertError(await manage.get(`/users/${id}`), 400, 'INVALID_USER_ID');
      assertError(await manage.remove(`/users/${id}`), 400, 'INVALID_USER_ID');
    }
  });
});
