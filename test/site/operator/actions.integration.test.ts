import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, NOW, onSqlite, USER } from '../../support/api.ts';
import { newVisitor, type Visitor } from '../visitor.ts';

async function enter({ app }: Api): Promise<Visitor> {
  const alex = newVisitor(app);
  await alex.signIn('Alex');
  return alex;
}

onSqlite('an action of an operator', (open) => {
  test('that voided nothing ends with a warning, and one that succeeded does not', async () => {
    const alex = await enter(await open());
    const nothing = await alex.get('/operator/voided?done=nothing-voided');
    assert.match(nothing.text, /<p class="notice warn" role="status">Nothing was voided/);
    const done = await alex.get('/operator/voided?done=voided');
    assert.match(done.text, /<p class="notice good" role="status">Votes voided/);
  });

  for (const [form, method, fields, action] of [
    ['rename', 'rename', { name: 'Our New Name' }, 'guild_renamed'],
    ['listing', 'setUnlisted', { unlisted: 'on' }, 'guild_unlisted'],
    ['premium', 'setPremiumUntil', { until: '2030-01-01T12:00' }, 'premium_changed'],
    ['sanction', 'setSanction', { reason: 'bought votes' }, 'sanction_added'],
  ] as const) {
    test(`is logged before the change: ${action}`, async (t) => {
      const api = await open();
      const { store, guildId } = api;
      const alex = await enter(api);
      const path = `/operator/communities/${guildId}`;
      t.mock.method(store.guilds, method, failing);
      assert.equal((await alex.submit(await alex.get(path), `${path}/${form}`, fields)).status, 500);
      const [entry] = await store.audit.recent(null, 1);
      assert.deepEqual([entry?.actor?.name, entry?.action, entry?.guildId], ['Alex', action, guildId]);
    });
  }

  test('is logged before the change: voter_banned', async (t) => {
    const api = await open();
    const { store } = api;
    const alex = await enter(api);
    const page = await alex.get(`/operator/ban?user_id=${USER}`);
    t.mock.method(store.moderation, 'ban', failing);
    assert.equal((await alex.submit(page, '/operator/bans', { user_id: USER })).status, 500);
    const [entry] = await store.audit.recent(null, 1);
    assert.deepEqual([entry?.action, entry?.detail.userId], ['voter_banned', USER]);
  });

  test('is logged before the change: votes_voided', async (t) => {
    const api = await open();
    const { store, guildId, clock } = api;
    await api.vote({ at: NOW, userId: USER });
    const alex = await enter(api);
    const fields = { guild_id: guildId, user_id: USER, at: String(clock()) };
    const page = await alex.get(`/operator/void?${new URLSearchParams(fields)}`);
    t.mock.method(store.moderation, 'void', failing);
    const form = { ...fields, which: 'user', reason: 'scripts' };
    assert.equal((await alex.submit(page, '/operator/void', form)).status, 500);
    const [entry] = await store.audit.recent(null, 1);
    assert.deepEqual([entry?.actor?.name, entry?.action, entry?.guildId], ['Alex', 'votes_voided', guildId]);
    assert.deepEqual([entry?.detail.votes, entry?.detail.selection], [1, 'user']);
    assert.match(String(entry?.detail.batch), /^void_/);
  });

  test('is logged before the change: votes_restored', async (t) => {
    const api = await open();
    const { store, guildId, clock } = api;
    await api.vote({ at: NOW, userId: USER });
    const batch = 'void_00112233445566ff';
    const period = { from: 0, to: clock() + 1 };
    const request = { guildId, selection: { userId: USER }, period, batch, reason: null, voidedAt: clock() };
    await store.moderation.void(request);
    const alex = await enter(api);
    const page = await alex.get('/operator/voided');
    const restore = t.mock.method(store.moderation, 'restore', failing);
    assert.equal((await alex.submit(page, `/operator/voided/${batch}/restore`)).status, 500);
    const [entry] = await store.audit.recent(null, 1);
    assert.deepEqual([entry?.action, entry?.guildId], ['votes_restored', guildId]);
    assert.deepEqual(entry?.detail, { batch, votes: 1 });
    restore.mock.restore();

    assert.equal((await alex.submit(page, `/operator/voided/${batch}/restore`)).status, 303);
    const logged = (await store.audit.recent(null, 10)).length;
    assert.equal((await alex.submit(page, `/operator/voided/${batch}/restore`)).status, 303);
    assert.equal((await store.audit.recent(null, 10)).length, logged, 'a second restore changes nothing');
  });

  test('is logged before the change: voter_unbanned', async (t) => {
    const api = await open();
    const { store, clock } = api;
    const alex = await enter(api);
    await store.moderation.ban({
      userId: USER,
      since: clock(),
      until: null,
      reason: null,
      publicReason: null,
    });
    const page = await alex.get('/operator/bans');
    t.mock.method(store.moderation, 'unban', failing);
    assert.equal((await alex.submit(page, `/operator/bans/${USER}/lift`)).status, 500);
    const [entry] = await store.audit.recent(null, 1);
    assert.deepEqual([entry?.action, entry?.detail.userId], ['voter_unbanned', USER]);
  });
});

async function failing(): Promise<never> {
  throw new Error('the database is closed');
}
