import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError, assertInvalid, onAnyDatabase, toAnswer, USER } from '../../support/api.ts';
import { openManage, unusedId } from './support.ts';

onAnyDatabase('bodies of the management API', (open) => {
  test('a body must be a JSON object', async () => {
    const manage = await openManage(await open());
    for (const body of ['{', 'name', '{"name":}', '[1,', '"\\ud8', '{"a":1}{"b":2}']) {
      const answer = await manage.post('/guilds', body);
      assertError(answer, 400, 'BAD_REQUEST');
      assert.match(String(answer.body.message), /not valid JSON/);
    }
    for (const body of ['[]', '"text"', '1', 'true']) {
      const answer = await manage.post('/guilds', body);
      assertError(answer, 400, 'BAD_REQUEST');
      assert.match(String(answer.body.message), /JSON object/);
    }
  });

  test('a body that is not UTF-8 is refused', async () => {
    const { api, token } = await openManage(await open());
    const text = JSON.stringify({ guild_id: unusedId(), name: 'Café' });
    const response = await api.app.inject({
      ...{ method: 'POST', url: '/manage/v1/guilds', payload: Buffer.from(text, 'latin1') },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    assertError(toAnswer(response), 400, 'BAD_REQUEST');
    assert.match(String(response.json().message), /not valid JSON/);
  });

  test('a body of another type is refused, and says which type to send', async () => {
    const manage = await openManage(await open());
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/xml']) {
      const answer = await manage.post('/guilds', 'guild_id=1', { headers: { 'content-type': type } });
      assertError(answer, 400, 'BAD_REQUEST');
      assert.match(String(answer.body.message), /application\/json/);
    }
  });

  test('a body may have 16 KiB, and not more', async () => {
    const manage = await openManage(await open());
    const bodyOf = (bytes: number) => {
      const body = { guild_id: unusedId(), name: 'Large', padding: '' };
      return JSON.stringify({ ...body, padding: 'x'.repeat(bytes - JSON.stringify(body).length) });
    };
    assert.equal((await manage.post('/guilds', bodyOf(16 * 1024))).status, 201);
    assertError(await manage.post('/guilds', bodyOf(16 * 1024 + 1)), 413, 'BODY_TOO_LARGE');
  });

  test('missing fields are listed, one entry each', async () => {
    const manage = await openManage(await open());
    const required = ['guild_id', 'name'].map((field) => ({ field, rule: 'required' }));
    for (const body of [undefined, '', '{}', 'null', { guild_id: '', name: '' }])
      assertInvalid(await manage.post('/guilds', body), required);
  });

  for (const [field, value, rule] of [
    ['guild_id', 300_000_000_000_000, 'string'],
    ['guild_id', null, 'string'],
    ['guild_id', '123', 'regex'],
    ['guild_id', '1'.repeat(21), 'maxLength'],
    ['name', { $ne: '' }, 'string'],
    ['name', ['a'], 'string'],
    ['name', 'x'.repeat(101), 'maxLength'],
    ['name', 'a\u0000b', 'regex'],
    ['name', 'a\nb', 'regex'],
    ['name', '   ', 'regex'],
    ['name', '\ud800', 'regex'],
  ] as const) {
    test(`${field} ${JSON.stringify(value).slice(0, 30)} fails the rule ${rule}`, async () => {
      const manage = await openManage(await open());
      const body = { guild_id: unusedId(), name: 'Fine', [field]: value };
      assertInvalid(await manage.post('/guilds', body), [{ field, rule }]);
      assert.equal(await manage.api.store.guilds.find(body.guild_id), undefined);
    });
  }

  test('messages of fields are in both languages', async () => {
    const manage = await openManage(await open());
    const message = async (locale: string) => {
      const { body } = await manage.post(`/guilds?locale=${locale}`, { guild_id: 1, name: 'x' });
      return Object(body.errors)[0].message;
    };
    assert.equal(await message('en'), 'The field guild_id must be a string.');
    assert.equal(await message('fr'), 'Le champ guild_id doit être une chaîne de caractères.');
  });

  test('fields that come from a prototype are ignored', async () => {
    const manage = await openManage(await open());
    const polluted = '{"__proto__":{"guild_id":"300000000000000001","name":"x"},"constructor":1}';
    assertInvalid(await manage.post('/guilds', polluted), [
      { field: 'guild_id', rule: 'required' },
      { field: 'name', rule: 'required' },
    ]);
  });

  test('a network must be an IP address', async () => {
    const manage = await openManage(await open());
    const { guildId } = manage.api;
    for (const network of ['localhost', '198.51.100.0/24', '010.0.0.1', '1.2.3.4:80', '[::1]', '::g'])
      assertInvalid(await manage.post('/votes', { guild_id: guildId, user_id: USER, network }), [
        { field: 'network', rule: 'ip' },
      ]);
  });
});
