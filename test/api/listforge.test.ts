import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../support/any-text.ts';
import { type Api, ago, assertError, OTHER_USER, onAnyDatabase, USER } from '../support/api.ts';

const BASE = '/compat/listforge/api/';
const CHECK = 'object=votes&element=claim';
const SET = 'action=post&object=votes&element=claim';
const REWARD = 'action=custom&object=plugin&element=reward';
const VOTERS = 'object=servers&element=voters';
const HOUR_MS = 3_600_000;

/** Plugins send only the URL, without headers. */
async function ask(api: Api, query: string, method = 'GET', headers: Record<string, string> = {}) {
  return api.send(method, `${BASE}?${query}&key=${api.key}`, { key: null, headers });
}

async function digit(api: Api, query: string, method = 'GET', headers: Record<string, string> = {}) {
  const answer = await ask(api, query, method, headers);
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/plain; charset=utf-8']);
  return answer.text;
}

onAnyDatabase('the ListForge protocol', (open) => {
  test('a check returns 1 until the vote is claimed, then 2; 0 for a user without a vote', async () => {
    const api = await open();
    await api.vote({ at: ago(HOUR_MS), externalId: 'Steve' });
    assert.equal(await digit(api, `${CHECK}&username=Steve`), '1');
    assert.equal(await digit(api, `${CHECK}&username=Nobody`), '0');
    assert.equal(await digit(api, `${SET}&username=Nobody`, 'POST'), '0');
    assert.equal(await digit(api, `${SET}&username=Steve`, 'POST'), '1');
    assert.equal(await digit(api, `${CHECK}&username=Steve`), '2');
    assert.equal(await digit(api, `${SET}&username=Steve`), '0');
  });

  test('names are case-insensitive, and a Steam id is a name', async () => {
    const api = await open();
    await api.vote(
      { at: ago(HOUR_MS), externalId: 'ÉLODIE' },
      { at: ago(HOUR_MS), externalId: '76561198000000001', userId: OTHER_USER },
    );
    assert.equal(await digit(api, `${CHECK}&username=${encodeURIComponent('élodie')}`), '1');
    assert.equal(await digit(api, `${CHECK}&steamid=76561198000000001`), '1');
    assert.equal(await digit(api, `${CHECK}&steamid=${USER}`), '0');
  });

  test('one-step claims return 1 when claimed now, 2 when all votes are claimed, 0 without a vote', async () => {
    const api = await open();
    await api.vote({ at: ago(HOUR_MS), externalId: 'Steve' }, { at: ago(3 * HOUR_MS), externalId: 'Steve' });
    assert.equal(await digit(api, `${REWARD}&username=Alex`), '0');
    const answers = ['GET', 'POST', 'GET'].map((method) => digit(api, `${REWARD}&username=steve`, method));
    assert.deepEqual((await Promise.all(answers)).sort(), ['1', '1', '2']);
  });

  test('several votes within 24 hours are claimed one after the other, oldest first', async () => {
    const api = await open();
    await api.vote(
      { at: ago(25 * HOUR_MS), externalId: 'Steve' },
      { at: ago(5 * HOUR_MS), externalId: 'Steve' },
      { at: ago(2 * HOUR_MS), externalId: 'Steve' },
    );
    assert.equal(await digit(api, `${SET}&username=Steve`), '1');
    assert.equal(await digit(api, `${CHECK}&username=Steve`), '1');
    const { body } = await api.get('/v7/guild/claims?external_id=Steve&within_hours=48');
    const votes = body.votes as { timestamp: string; claimed_at: string | null }[];
    assert.deepEqual(
      votes.filter((vote) => vote.claimed_at !== null).map((vote) => vote.timestamp),
      [ago(5 * HOUR_MS)],
    );
    assert.equal(await digit(api, `${SET}&username=Steve`), '1');
    assert.equal(await digit(api, `${CHECK}&username=Steve`), '2');
  });

  test('a vote claimed through /v7/guild/claims is claimed here too', async () => {
    const api = await open();
    await api.vote({ at: ago(HOUR_MS), externalId: 'Steve' });
    await api.send('POST', `/v7/guild/claims?discord_id=${USER}`);
    assert.equal(await digit(api, `${REWARD}&username=Steve`), '2');
  });

  test('claims are those of the consumer in the settings, and names are compared by their rule', async () => {
    const api = await open();
    await api.vote({ at: ago(HOUR_MS), externalId: '.Steve' });
    assert.equal(await digit(api, `${CHECK}&username=Steve`), '0');
    await api.store.guilds.setPlayerNames(api.guildId, 'minecraft');
    await api.store.guilds.setListforgeConsumer(api.guildId, 'survival');
    await api.send('POST', `/v7/guild/claims?discord_id=${USER}`);
    assert.equal(await digit(api, `${SET}&username=steve`), '1');
    assert.equal(await digit(api, `${SET}&username=steve`), '0');
    const { body } = await api.get('/v7/guild/claims?external_id=Steve&consumer=survival');
    assert.deepEqual([body.claimable, body.claimed], [0, 1]);
  });

  test('an Idempotency-Key replays the first response', async () => {
    const api = await open();
    const headers = { 'idempotency-key': 'steve-1' };
    const none = { 'idempotency-key': 'steve-0' };
    assert.equal(await digit(api, `${REWARD}&username=Steve`, 'GET', none), '0');
    await api.vote({ at: ago(HOUR_MS), externalId: 'Steve' });
    for (const method of ['GET', 'POST'])
      assert.equal(await digit(api, `${REWARD}&username=Steve`, method, headers), '1');
    assert.equal(await digit(api, `${REWARD}&username=Steve`, 'GET', none), '0');
    assert.equal(await digit(api, `${REWARD}&username=Steve`), '2');
    assertError(await ask(api, `${SET}&username=Steve`, 'GET', headers), 400, 'IDEMPOTENCY_MISMATCH');
  });

  test('POST reads the parameters from a form in the body, and those in the URL first', async () => {
    const api = await open();
    await api.vote({ at: ago(HOUR_MS), externalId: 'Élodie' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    const post = (query: string, body: string) =>
      api.send('POST', `${BASE}${query}`, { key: null, headers, body });
    const form = new URLSearchParams(`${REWARD}&key=${api.key}`);
    form.set('username', 'élodie');
    assert.equal((await post('', form.toString())).text, '1');
    assert.equal((await post(`?username=Nobody`, form.toString())).text, '0');
    assert.equal((await post(`?${CHECK}&key=${api.key}`, 'username=%C3%A9lodie')).text, '2');
    const latin1 = await post(`?${CHECK}&key=${api.key}`, 'username=%E9lodie');
    assert.deepEqual([latin1.status, JSON.stringify(latin1.body).includes('encoding')], [400, true]);
    assert.equal((await post(`?${CHECK}`, 'key=wrong')).text, 'Error: server key not found');
    assertError(await post(`?${CHECK}&key=${api.key}`, `username=${'x'.repeat(9000)}`), 400, 'BAD_REQUEST');
  });

  test('other bodies are ignored', async () => {
    const api = await open();
    for (const [type, body] of [
      ['application/json', '{"username":"Steve"}'],
      ['text/plain', 'username=Steve'],
      ['application/x-www-form-urlencoded', '\0%%%&=&&;__proto__=1'],
    ] as const) {
      const answer = await api.send('POST', `${BASE}?${CHECK}&key=${api.key}`, {
        key: null,
        headers: { 'content-type': type },
        body,
      });
      assertError(answer, 400, 'BAD_REQUEST');
    }
  });

  test('a wrong request is told what is missing, in its language', async () => {
    const api = await open();
    const message = async (query: string) => (await ask(api, query)).body.message;
    assert.match(String(await message('element=claim')), /The parameter object is missing/);
    assert.match(String(await message('object=votes&username=Steve')), /The parameter element is missing/);
    assert.match(String(await message('object=votes&element=x')), /There is no such request/);
    assert.match(String(await message(CHECK)), /send username or steamid/);
    assert.match(String(await message(`${VOTERS}&limit=0`)), /limit must be a positive integer/);
    assert.match(String(await message('object=votes&locale=fr')), /Le paramètre element manque/);
  });

  test('HEAD changes nothing', async () => {
    const api = await open();
    await api.vote({ at: ago(HOUR_MS), externalId: 'Steve' });
    assert.equal(await digit(api, `${REWARD}&username=Steve`, 'HEAD'), '');
    assert.equal(await digit(api, `${CHECK}&username=Steve`), '1');
  });

  test('an invalid key gets the text that plugins expect, with status 200', async () => {
    const api = await open();
    await api.store.guilds.remove(api.guildId);
    for (const key of [api.key, '', 'YOUR_API_KEY', `${api.key}x`, '%00', 'a&key=b'])
      for (const query of [CHECK, SET, REWARD, VOTERS, '']) {
        const { status, text } = await api.get(`${BASE}?${query}&username=Steve&key=${key}`, {
          ip: `198.51.100.${key.length}`,
        });
        assert.deepEqual([status, text], [200, 'Error: server key not found']);
      }
  });

  test('requests share the rate limit of v7', async () => {
    const api = await open();
    for (let i = 0; i < 15; i += 1) {
      await ask(api, `${CHECK}&username=Steve`);
      await api.get(`/v7/vote-check?discord_id=${USER}`);
    }
    const answer = await ask(api, `${CHECK}&username=Steve`);
    assertError(answer, 429, 'RATE_LIMITED');
    assert.equal(answer.headers['retry-after'], '60');
  });

  test('the voters of a month are listed by the name they used last', async () => {
    const api = await open();
    await api.vote(
      { at: '2026-11-02T00:00:00Z', externalId: 'steve' },
      { at: '2026-11-03T00:00:00Z', externalId: 'Steve' },
      { at: '2026-11-04T00:00:00Z', externalId: 'Alex', userId: OTHER_USER },
      { at: '2026-11-05T00:00:00Z', userId: OTHER_USER },
      { at: '2026-10-31T23:59:59Z', externalId: 'October' },
      { at: '2026-09-30T23:59:59Z', externalId: 'September' },
    );
    const guild = await api.store.guilds.find(api.guildId);
    const { body } = await ask(api, `${VOTERS}&month=current&format=json`);
    assert.deepEqual(body, {
      name: guild?.name,
      voters: [
        { nickname: 'Steve', votes: 2 },
        { nickname: 'Alex', votes: 1 },
      ],
    });
    const one = await ask(api, `${VOTERS}&limit=1`);
    assert.deepEqual(one.body.voters, [{ nickname: 'Steve', votes: 2 }]);
    const previous = await ask(api, `${VOTERS}&month=previous&limit=5000`);
    assert.deepEqual(previous.body.voters, [{ nickname: 'October', votes: 1 }]);
  });

  test('unknown objects, elements and actions are rejected without a 5xx', async () => {
    const api = await open();
    for (const query of [
      '',
      'object=votes',
      `${CHECK}`,
      `${CHECK}&username=`,
      'action=delete&object=votes&element=claim&username=a',
      'object=__proto__&element=constructor&username=a',
      `${VOTERS}&month=2026-10`,
      `${VOTERS}&format=xml`,
      `${VOTERS}&limit=0`,
      `${VOTERS}&limit=1e99`,
      `${VOTERS}&limit=x`,
    ])
      assertError(await ask(api, query), 400, 'BAD_REQUEST');
    for (const name of ['%00', 'x'.repeat(5000), '%F0%9F%98%80', 'a&username=b', "'%3B--"])
      assert.equal(await digit(api, `${REWARD}&username=${name}`), '0');
    await fc.assert(
      fc.asyncProperty(anyText({ maxLength: 40 }), async (name) => {
        api.clock.advance(60_000);
        const text = encodeURIComponent(name.toWellFormed());
        const expected = text === '' ? 400 : 200;
        for (const query of [CHECK, SET, REWARD])
          assert.equal((await ask(api, `${query}&username=${text}`)).status, expected);
        assert.equal(
          (await ask(api, `${VOTERS}&month=${text}&limit=${text}`)).status,
          text === '' ? 200 : 400,
        );
        assert.equal((await ask(api, `action=${text}&object=${text}&element=${text}`)).status, 400);
      }),
      { numRuns: 50 },
    );
    const put = await ask(api, CHECK, 'PUT');
    assertError(put, 405, 'METHOD_NOT_ALLOWED');
    assert.equal(put.headers.allow, 'GET, HEAD, POST');
  });
});
