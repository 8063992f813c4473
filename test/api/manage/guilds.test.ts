import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWellFormedApiKey } from '../../../src/domain/keys/api-key.ts';
import { type Api, assertError, assertInvalid, NOW, onAnyDatabase, USER } from '../../support/api.ts';
import { loggedBy, openManage, unusedId } from './support.ts';

/** What the admins of the community see, without repetitions. */
async function activitiesOf({ store, guildId }: Api): Promise<string[]> {
  return [...new Set((await store.activities.recent(guildId, 200)).map(({ action }) => action))];
}

onAnyDatabase('communities in the management API', (open) => {
  test('a community is added once, read and found', async () => {
    const manage = await openManage(await open());
    const guild_id = unusedId();
    const added = await manage.post('/guilds', { guild_id, name: ' Crème brûlée ', unknown: true });
    const guild = {
      guild_id,
      name: 'Crème brûlée',
      listed: true,
      premium_until: null,
      sanction: null,
      rate_limit: null,
      player_names: 'exact',
      goal: null,
      has_key: false,
      created_at: NOW,
    };
    assert.deepEqual([added.status, added.body], [201, { ok: true, guild }]);
    assertError(await manage.post('/guilds', { guild_id, name: 'Other' }), 409, 'GUILD_EXISTS');
    const shown = await manage.get(`/guilds/${guild_id}`);
    assert.deepEqual([shown.status, shown.body], [200, { ok: true, guild }]);
    for (const q of ['CREME BRU', guild_id, ' crème']) {
      const { body } = await manage.get(`/guilds?q=${encodeURIComponent(q)}`);
      assert.ok(
        Object(body).guilds.some((found: typeof guild) => found.guild_id === guild_id),
        q,
      );
    }
    assert.deepEqual(await loggedBy(manage), ['guild_added']);
  });

  test('walking all pages returns every community once, also while others are renamed', async () => {
    const manage = await openManage(await open());
    const word = `walk${unusedId()}`;
    const ids = Array.from({ length: 7 }, unusedId);
    for (const guild_id of ids) await manage.post('/guilds', { guild_id, name: `${word} ${guild_id}` });
    const walked: string[] = [];
    let path = `/guilds?limit=3&q=${word}`;
    for (let pages = 0; ; pages += 1) {
      const { body } = await manage.get(path);
      const { guilds, pagination } = Object(body);
      walked.push(...guilds.map((guild: { guild_id: string }) => guild.guild_id));
      await manage.patch(`/guilds/${guilds[0].guild_id}`, { name: `zzz ${word} ${pages}` });
      assert.equal(pagination.has_more, pagination.next_cursor !== null);
      if (pagination.next_cursor === null) break;
      path = `/guilds?limit=3&cursor=${encodeURIComponent(pagination.next_cursor)}`;
    }
    assert.deepEqual(walked, ids.toSorted());
  });

  test('a cursor of another list, another search or another service is refused', async () => {
    const manage = await openManage(await open());
    for (const name of ['a', 'b']) await manage.post('/guilds', { guild_id: unusedId(), name });
    for (const id of ['200000000000000011', '200000000000000012'])
      await manage.post('/bans', { user_id: id });
    const cursorOf = async (path: string) => Object((await manage.get(path)).body).pagination.next_cursor;
    const [guilds, bans] = [await cursorOf('/guilds?limit=1'), await cursorOf('/bans?limit=1')];
    assert.ok(guilds && bans);
    for (const path of [
      `/guilds?cursor=${bans}`,
      `/bans?cursor=${guilds}`,
      `/guilds?cursor=${guilds}&q=other`,
      '/guilds?cursor=MTIz.abc',
      `/guilds?cursor=${guilds}x`,
    ])
      assertError(await manage.get(path), 400, 'INVALID_CURSOR');
    for (const [limit, rule] of [
      ['0', 'min'],
      ['1001', 'max'],
      ['x', 'integer'],
    ])
      assertInvalid(await manage.get(`/guilds?limit=${limit}`), [{ field: 'limit', rule: rule ?? '' }]);
  });

  test('a change affects only the fields that are sent, and each is logged', async () => {
    const manage = await openManage(await open());
    const { guildId, clock } = manage.api;
    const patch = async (change: object) => {
      const { status, body } = await manage.patch(`/guilds/${guildId}`, change);
      assert.equal(status, 200, JSON.stringify(body));
      return Object(body).guild;
    };
    const before = Object((await manage.get(`/guilds/${guildId}`)).body).guild;
    assert.deepEqual(await patch({}), before);
    const name = 'New name';
    assert.deepEqual(await patch({ name }), { ...before, name });
    assert.deepEqual(await patch({ listed: false }), { ...before, name, listed: false });
    const premium_until = '2027-01-01T00:00:00.000Z';
    assert.equal((await patch({ premium_until: '2027-01-01' })).premium_until, premium_until);
    assert.deepEqual((await patch({ sanction: { reason: 'bought votes' } })).sanction, {
      reason: 'bought votes',
      since: new Date(clock()).toISOString(),
    });
    assert.equal((await patch({ sanction: {} })).sanction.reason, null);
    assert.equal((await patch({ rate_limit: 300 })).rate_limit, 300);
    const reset = { listed: true, premium_until: null, sanction: null, rate_limit: null };
    assert.deepEqual(await patch(reset), { ...before, name });
    assert.deepEqual(await loggedBy(manage), [
      'guild_renamed',
      'guild_unlisted',
      'premium_changed',
      'sanction_added',
      'sanction_added',
      'rate_limit_changed',
      'guild_relisted',
      'premium_changed',
      'sanction_lifted',
      'rate_limit_changed',
    ]);
  });

  test('an invalid field changes nothing, even if others are valid', async () => {
    const manage = await openManage(await open());
    const { guildId } = manage.api;
    for (const [change, field, rule] of [
      [{ rate_limit: 0 }, 'rate_limit', 'min'],
      [{ rate_limit: 100_001 }, 'rate_limit', 'max'],
      [{ rate_limit: 1.5 }, 'rate_limit', 'integer'],
      [{ rate_limit: '30' }, 'rate_limit', 'integer'],
      [{ listed: 'yes' }, 'listed', 'boolean'],
      [{ listed: null }, 'listed', 'boolean'],
      [{ sanction: 'yes' }, 'sanction', 'object'],
      [{ sanction: [] }, 'sanction', 'object'],
      [{ sanction: { reason: 5 } }, 'sanction.reason', 'string'],
      [{ sanction: { reason: 'x'.repeat(501) } }, 'sanction.reason', 'maxLength'],
      [{ name: null }, 'name', 'string'],
      [{ player_names: 'bedrock' }, 'player_names', 'enum'],
      [{ player_names: null }, 'player_names', 'string'],
      [{ goal: 100 }, 'goal', 'object'],
      [{ goal: { target: 5 } }, 'goal.period', 'required'],
      [{ goal: { period: 'day' } }, 'goal.target', 'required'],
      [{ goal: { period: 'year', target: 5 } }, 'goal.period', 'enum'],
      [{ goal: { period: 'day', target: 0 } }, 'goal.target', 'min'],
      [{ goal: { period: 'day', target: 1_000_000_001 } }, 'goal.target', 'max'],
      [{ goal: { period: 'day', target: '5' } }, 'goal.target', 'integer'],
    ] as const)
      assertInvalid(await manage.patch(`/guilds/${guildId}`, { name: 'Changed', ...change }), [
        { field, rule },
      ]);
    for (const premium_until of ['soon', '2027-02-30', '2027-01-01 00:00'])
      assertError(
        await manage.patch(`/guilds/${guildId}`, { name: 'Changed', premium_until }),
        400,
        'INVALID_DATE',
      );
    assert.notEqual((await manage.api.store.guilds.find(guildId))?.name, 'Changed');
    assert.deepEqual(await loggedBy(manage), []);
  });

  test('the rule for player names applies to the next claim, and admins see who changed it', async () => {
    const manage = await openManage(await open());
    const { api } = manage;
    const { guildId } = api;
    await api.vote({ at: '2026-11-15T11:00:00Z', externalId: '.Steve' });
    const claimable = async () =>
      Object((await api.get('/v7/guild/claims?external_id=steve')).body).claimable;
    assert.equal(await claimable(), 0);
    for (let again = 0; again < 2; again += 1) {
      const { status, body } = await manage.patch(`/guilds/${guildId}`, { player_names: 'minecraft' });
      assert.deepEqual([status, Object(body).guild.player_names], [200, 'minecraft']);
    }
    assert.equal(await claimable(), 1);
    assert.deepEqual(await loggedBy(manage), ['claims_changed']);
    assert.deepEqual(await activitiesOf(api), ['player_names_changed']);
  });

  test('a goal is set, listed and removed, and its progress is kept', async () => {
    const manage = await openManage(await open());
    const { api } = manage;
    const { guildId } = api;
    const goal = { period: 'day', target: 3 };
    for (const sent of [goal, goal, null, goal]) {
      const { status, body } = await manage.patch(`/guilds/${guildId}`, { goal: sent });
      assert.deepEqual([status, Object(body).guild.goal], [200, sent]);
    }
    const shown = Object((await manage.get(`/guilds/${guildId}`)).body).guild;
    const { guilds } = Object((await manage.get(`/guilds?q=${guildId}`)).body);
    assert.deepEqual([shown.goal, guilds], [goal, [shown]]);
    const progress = Object((await api.get('/v7/guild/goal')).body).goal;
    assert.deepEqual([progress.period, progress.target, progress.remaining], ['day', 3, 3]);
    const changes = ['goal_changed', 'goal_changed', 'goal_changed'];
    assert.deepEqual(await loggedBy(manage), changes);
    assert.deepEqual(await activitiesOf(api), ['goal_changed']);
  });

  test('the limit of a community applies to its next v7 request', async () => {
    const manage = await openManage(await open());
    const { api } = manage;
    await manage.patch(`/guilds/${api.guildId}`, { rate_limit: 7 });
    const { headers } = await api.get(`/v7/vote-check?discord_id=${USER}`);
    assert.equal(headers['ratelimit-policy'], '"default";q=7;w=60');
  });

  test('a new key replaces the old one at once, and can be removed', async () => {
    const manage = await openManage(await open());
    const { api } = manage;
    const check = async (key: string) => (await api.get(`/v7/vote-check?discord_id=${USER}`, { key })).status;
    const { status, body } = await manage.post(`/guilds/${api.guildId}/key`);
    const key = String(body.key);
    assert.deepEqual([status, Object.keys(body), isWellFormedApiKey(key)], [201, ['ok', 'key'], true]);
    assert.deepEqual([await check(api.key), await check(key)], [401, 200]);
    assert.equal((await manage.remove(`/guilds/${api.guildId}/key`)).status, 200);
    assert.equal(await check(key), 401);
    assert.equal(Object((await manage.get(`/guilds/${api.guildId}`)).body).guild.has_key, false);
    assert.equal((await manage.remove(`/guilds/${api.guildId}/key`)).status, 200);
    assert.deepEqual(await loggedBy(manage), ['key_generated', 'key_revoked', 'key_revoked']);
  });

  test('a community is deleted with its votes, if its id is confirmed', async () => {
    const manage = await openManage(await open());
    const { api } = manage;
    await api.vote({ at: '2026-11-15T11:00:00Z' });
    const path = `/guilds/${api.guildId}`;
    for (const query of ['', '?confirm=', '?confirm=yes', `?confirm=${unusedId()}`])
      assertError(await manage.remove(path + query), 400, 'CONFIRMATION_REQUIRED');
    const { status, body } = await manage.remove(`${path}?confirm=${api.guildId}`);
    assert.deepEqual([status, body], [200, { ok: true, guild_id: api.guildId }]);
    assertError(await manage.get(path), 404, 'GUILD_NOT_FOUND');
    assertError(await manage.remove(`${path}?confirm=${api.guildId}`), 404, 'GUILD_NOT_FOUND');
    assert.deepEqual(await loggedBy(manage), ['guild_removed']);
    assert.equal((await manage.post('/guilds', { guild_id: api.guildId, name: 'Again' })).status, 201);
  });

  test('an unknown community is a 404 everywhere', async () => {
    const manage = await openManage(await open());
    for (const id of [unusedId(), 'abc', '1', '%00', "1'--"]) {
      const path = `/guilds/${id}`;
      for (const answer of [
        await manage.get(path),
        await manage.patch(path, { name: 'x' }),
        await manage.remove(`${path}?confirm=${id}`),
        await manage.post(`${path}/key`),
        await manage.remove(`${path}/key`),
      ])
        assertError(answer, 404, 'GUILD_NOT_FOUND');
    }
    assert.deepEqual(await loggedBy(manage), []);
  });
});
