import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../support/any-text.ts';
import { type Api, ago, assertError, OTHER_USER, onEachDatabase, USER } from '../support/api.ts';

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

onEachDatabase('the ListForge protocol', (open) => {
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
