import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { hashToken, isWellFormedToken } from '../../../src/domain/keys/api-token.ts';
import { type Api, onSqlite } from '../../support/api.ts';
import { newVisitor, type Visitor } from '../visitor.ts';

const PATH = '/operator/tokens';

async function enter({ app }: Api): Promise<Visitor> {
  const alex = newVisitor(app);
  await alex.signIn('Alex');
  return alex;
}

onSqlite('tokens in the operator console', (open) => {
  test('a new token is shown once, works, and is revoked', async () => {
    const api = await open();
    const { store, clock } = api;
    const alex = await enter(api);
    const fields = { name: 'Billing <x>', 'guilds:read': 'on', 'votes:write': 'on', expires: '2027-01-01' };
    const created = await alex.submit(await alex.get(PATH), PATH, fields);
    const token = /id="new-token">([^<]+)</.exec(created.text)?.[1] ?? '';
    assert.deepEqual([created.status, isWellFormedToken(token)], [200, true]);
    const stored = await store.tokens.findByHash(hashToken(token));
    assert.deepEqual(
      [stored?.name, stored?.scopes, stored?.expiresAt],
      ['Billing <x>', ['guilds:read', 'votes:write'], Date.parse('2027-01-01')],
    );
    const used = await api.get('/manage/v1/guilds', { key: token });
    assert.equal(used.status, 200);
    const page = await alex.get(PATH);
    assert.ok(!page.text.includes(token));
    assert.match(page.text, /<bdi>Billing &(?:lt|#60);x&(?:gt|#62);<\/bdi>/);
    const hour = new Date(clock() - (clock() % HOUR_MS)).toISOString();
    assert.ok(page.text.includes(`datetime="${hour}"`), 'the last use is shown');
    const revoked = await alex.submit(page, `${PATH}/${stored?.tokenId}/revoke`, {});
    assert.deepEqual([revoked.status, revoked.location], [303, `${PATH}?done=token-revoked`]);
    assert.equal((await api.get('/manage/v1/guilds', { key: token })).status, 401);
    assert.match((await alex.get(PATH)).text, /<span class="badge bad">Revoked<\/span>/);
    const log = await store.audit.recent(null, 2);
    assert.deepEqual(
      log.map(({ actor, action, detail }) => [actor?.name, action, detail.name]),
      [
        ['Alex', 'token_revoked', 'Billing <x>'],
        ['Alex', 'token_created', 'Billing <x>'],
      ],
    );
    assert.ok(!JSON.stringify(log).includes(token));
    assert.match((await alex.get('/operator/log')).text, /Created a token/);
  });

  for (const [fields, message] of [
    [{ name: ' ', 'guilds:read': 'on' }, /1 to 100 characters/],
    [{ name: 'x' }, /Choose at least one scope/],
    [{ name: 'x', 'guilds:read': 'on', expires: '2020-01-01' }, /must be in the future/],
    [{ name: 'x', 'guilds:read': 'on', expires: 'soon' }, /must be in the future/],
  ] as const) {
    test(`${JSON.stringify(fields)} creates no token`, async () => {
      const api = await open();
      const alex = await enter(api);
      const before = await api.store.tokens.list();
      const { status, text } = await alex.submit(await alex.get(PATH), PATH, fields);
      assert.equal(status, 400);
      assert.match(text, message);
      assert.deepEqual(await api.store.tokens.list(), before);
    });
  }

  test('the log shows the name of a token as the actor', async () => {
    const api = await open();
    const alex = await enter(api);
    const fields = { name: 'Robot', 'guilds:write': 'on' };
    const created = await alex.submit(await alex.get(PATH), PATH, fields);
    const key = /id="new-token">([^<]+)</.exec(created.text)?.[1] ?? '';
    await api.send('POST', `/manage/v1/guilds/${api.guildId}/key`, { key });
    const { text } = await alex.get('/operator/log');
    assert.match(text, /<span class="badge">Token<\/span> <bdi title="tok_[0-9a-f]{16}">Robot<\/bdi>/);
  });

  test('an unknown token cannot be revoked', async () => {
    const alex = await enter(await open());
    assert.equal((await alex.submit(await alex.get(PATH), `${PATH}/tok_0/revoke`, {})).status, 404);
  });

  test('a community gets a rate limit of its own, or the default again', async () => {
    const api = await open();
    const { store, guildId } = api;
    const alex = await enter(api);
    const path = `/operator/communities/${guildId}`;
    const save = async (limit: string) =>
      (await alex.submit(await alex.get(path), `${path}/rate-limit`, { limit })).status;
    assert.equal(await save('300'), 303);
    assert.equal((await store.guilds.find(guildId))?.rateLimit, 300);
    assert.match((await alex.get(path)).text, /id="limit"[^>]*value="300"/);
    for (const wrong of ['0', '100001', '1.5', 'x', '-1']) assert.equal(await save(wrong), 400, wrong);
    assert.equal(await save(''), 303);
    assert.equal((await store.guilds.find(guildId))?.rateLimit, null);
  });
});
