import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { isWellFormedToken, TOKEN_SCOPES } from '../../src/domain/keys/api-token.ts';
import { openStore } from '../../src/store/open.ts';
import { makeHome } from './votary.ts';

type Created = { token: string; id: string; name: string; scopes: string[]; expires_at: string | null };

test('a token is printed once, with all scopes unless some are given', async () => {
  const home = await makeHome();
  const all = (await home.json('token', 'create', '--name', 'site', '--json')) as Created;
  assert.ok(isWellFormedToken(all.token));
  assert.match(all.token, /^vto_[0-9A-Za-z]{36}$/);
  assert.deepEqual([all.name, all.scopes, all.expires_at], ['site', [...TOKEN_SCOPES], null]);
  const some = ['--scope', 'votes:write, guilds:read', '--expires', '2099-01-01'];
  const { stdout } = await home.votary('token', 'create', '--name', 'voter', ...some);
  assert.ok(isWellFormedToken(stdout.trim()));
  const listed = (await home.json('token', 'list', '--json')) as Record<string, unknown>[];
  assert.deepEqual(
    listed.map(({ name, state, scopes, expires_at, last_used_at }) => [
      name,
      state,
      scopes,
      expires_at,
      last_used_at,
    ]),
    [
      ['voter', 'active', ['guilds:read', 'votes:write'], '2099-01-01T00:00:00.000Z', null],
      ['site', 'active', [...TOKEN_SCOPES], null, null],
    ],
  );
  assert.ok(!JSON.stringify(listed).includes(all.token.slice(4)));
  assert.match((await home.votary('token', 'list')).stdout, /voter +active +guilds:read,votes:write/);
});

test('the database does not contain the token', async () => {
  const home = await makeHome();
  const { token } = (await home.json('token', 'create', '--name', 'site', '--json')) as Created;
  const store = await openStore(readConfig({ VOTARY_DATA_DIR: home.dataDir }).database);
  const everything = JSON.stringify([await store.tokens.list(), await store.audit.recent(null, 9)]);
  await store.close();
  assert.ok(everything.includes('"site"'));
  assert.ok(!everything.includes(token));
});

test('a revoked token is listed as revoked; revoking it again changes nothing', async () => {
  const home = await makeHome();
  const { id } = (await home.json('token', 'create', '--name', 'site', '--json')) as Created;
  assert.deepEqual(await home.json('token', 'revoke', id, '--json'), { id, revoked: true });
  assert.match((await home.votary('token', 'revoke', id)).stdout, /already revoked/);
  assert.match((await home.votary('token', 'list')).stdout, /site +revoked/);
  const unknown = await home.votary('token', 'revoke', 'tok_0000');
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /^votary: there is no token tok_0000/);
});

test('creating and revoking a token is in the log of operators', async () => {
  const home = await makeHome();
  const { id } = (await home.json('token', 'create', '--name', 'site', '--json')) as Created;
  await home.votary('token', 'revoke', id);
  await home.votary('token', 'revoke', id);
  const store = await openStore(readConfig({ VOTARY_DATA_DIR: home.dataDir }).database);
  const entries = await store.audit.recent(null, 9);
  await store.close();
  assert.deepEqual(
    entries.map(({ actor, action, detail }) => [actor, action, detail.name, detail.token]),
    [
      [null, 'token_revoked', 'site', id],
      [null, 'token_created', 'site', id],
    ],
  );
});

for (const [what, args, message] of [
  ['an unknown scope', ['--name', 'x', '--scope', 'guilds'], /There is no scope 'guilds'. The scopes are: /],
  ['an empty scope', ['--name', 'x', '--scope', ''], /There is no scope ''/],
  ['a date in the past', ['--name', 'x', '--expires', '2020-01-01'], /'--expires' must be in the future/],
  ['a wrong date', ['--name', 'x', '--expires', 'soon'], /ISO 8601/],
  ['no name', [], /--name/],
  ['a name with control characters', ['--name', 'a\nb'], /1 to 100 characters/],
] as const) {
  test(`${what} is wrong usage, and no token is created`, async () => {
    const home = await makeHome();
    const { code, stdout, stderr } = await home.votary('token', 'create', ...args);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
    assert.deepEqual(await home.json('token', 'list', '--json'), []);
  });
}
