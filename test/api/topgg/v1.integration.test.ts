import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, ago, OTHER_USER, onAnyDatabase, USER } from '../../support/api.ts';

const ME = '/compat/topgg/api/v1/projects/@me';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function assertProblem(answer: Answer, status: number, detail: RegExp): void {
  assert.equal(answer.status, status);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  const problem: Record<string, unknown> = JSON.parse(answer.text);
  assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'detail']);
  assert.deepEqual([problem.type, problem.status], ['about:blank', status]);
  assert.match(String(problem.detail), detail);
}

type VotePage = { cursor: string | null; data: Record<string, unknown>[] };

onAnyDatabase('top.gg v1', (open) => {
  test('the project is the community of the key', async () => {
    const api = await open();
    const profile = {
      description: 'Northern lights',
      tags: ['survival'],
      language: null,
      invite: null,
      about: '',
      links: [],
    };
    await api.store.profiles.set(api.guildId, profile);
    await api.vote({ at: ago(HOUR_MS) }, { at: ago(60 * DAY_MS) }, { at: ago(HOUR_MS), userId: OTHER_USER });
    const { status, body, headers } = await api.get(ME);
    assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8']);
    const { name } = (await api.store.guilds.find(api.guildId)) ?? {};
    assert.deepEqual(body, {
      id: api.guildId,
      name,
      type: 'server',
      platform: 'discord',
      headline: 'Northern lights',
      tags: ['survival'],
      votes: 2,
      votes_total: 3,
      review_score: 0,
      review_count: 0,
    });
    assert.deepEqual((await api.get(ME.replace('@me', '400000000000000001'))).body, body);
  });

  test('a vote is active for an hour; then there is none', async () => {
    const api = await open();
    await api.vote(
      { at: ago(HOUR_MS - 1), isDoubled: true },
      { at: ago(2 * HOUR_MS) },
      { at: ago(HOUR_MS), userId: OTHER_USER },
    );
    for (const query of ['', '?source=discord', '?source=topgg', '?source=']) {
      const { status, body } = await api.get(`${ME}/votes/${USER}${query}`);
      assert.equal(status, 200);
      assert.deepEqual(body, { created_at: ago(HOUR_MS - 1), expires_at: ago(-1), weight: 2 });
      assertProblem(await api.get(`${ME}/votes/${OTHER_USER}${query}`), 404, /has not voted/);
    }
    assertProblem(await api.get(`${ME}/votes/${USER}?source=roblox`), 400, /discord or topgg/);
    assertProblem(await api.get(`${ME}/votes/Steve`), 400, /15 to 20 digits/);
  });

  test('following the cursors returns every vote of the period once, oldest first', async () => {
    const api = await open();
    await api.grantPremium();
    const votes = Array.from({ length: 2100 }, (_, index) => ({
      userId: String(600000000000000000n + BigInt(index)),
      at: ago(40 * DAY_MS - index * 1000),
    }));
    await api.vote(...votes, { at: ago(50 * DAY_MS) });
    const pages: VotePage[] = [];
    let query = `startDate=${ago(45 * DAY_MS)}`;
    for (;;) {
      const answer = await api.get(`${ME}/votes?${query}`);
      assert.equal(answer.status, 200, answer.text);
      const page: VotePage = JSON.parse(answer.text);
      pages.push(page);
      if (page.cursor === null) break;
      query = `cursor=${page.cursor}`;
      // Cast meanwhile, and so not in this list.
      await api.vote({ at: ago(0), userId: String(700000000000000000n + BigInt(pages.length)) });
    }
    assert.deepEqual(
      pages.map(({ data }) => data.length),
      [1000, 1000, 100, 0],
    );
    assert.deepEqual(
      pages.flatMap(({ data }) => data.map(({ user_id }) => user_id)),
      votes.map(({ userId }) => userId),
    );
    assert.deepEqual(pages[0]?.data[0], {
      user_id: votes[0]?.userId,
      platform_id: votes[0]?.userId,
      created_at: ago(40 * DAY_MS),
      expires_at: ago(40 * DAY_MS - HOUR_MS),
      weight: 1,
    });
  });

  test('the list needs a start or a cursor of this list', async () => {
    const api = await open();
    await api.grantPremium();
    await api.vote({ at: ago(HOUR_MS) });
    for (const query of [
      '',
      '?startDate=',
      '?startDate=yesterday',
      `?startDate=${ago(367 * DAY_MS)}`,
      '?cursor=',
    ])
      assertProblem(await api.get(`${ME}/votes${query}`), 400, /startDate/);
    const other = await open();
    await other.grantPremium();
    const { cursor } = (await api.get(`${ME}/votes?startDate=${ago(DAY_MS)}`)).body;
    for (const wrong of ['x', `${cursor}x`])
      assertProblem(await api.get(`${ME}/votes?cursor=${wrong}`), 400, /not issued by this list/);
    assertProblem(await other.get(`${ME}/votes?cursor=${cursor}`), 400, /not issued by this list/);
    assert.deepEqual((await other.get(`${ME}/votes?startDate=2999-01-01`)).body, { cursor: null, data: [] });
  });

  test('the list is for Premium communities, as in v7', async () => {
    const api = await open();
    assertProblem(await api.get(`${ME}/votes?startDate=${ago(DAY_MS)}`), 403, /Premium/);
  });

  test('reports are accepted and ignored', async () => {
    const api = await open();
    const headers = { 'content-type': 'application/json' };
    for (const name of ['commands', 'metrics', 'metrics/batch', 'announcements'])
      for (const body of ['[{"name":"vote"}]', 'not JSON']) {
        const { status, text } = await api.send('POST', `${ME}/${name}`, { headers, body });
        assert.deepEqual([status, text], [204, '']);
      }
    assert.equal((await api.send('PATCH', ME, { headers, body: '{}' })).status, 204);
    assert.equal((await api.store.guilds.find(api.guildId))?.name, (await api.get(ME)).body.name);
  });

  test('a request without a valid key is rejected, with the reason', async () => {
    const api = await open();
    for (const path of [ME, `${ME}/votes`, `${ME}/votes/${USER}`]) {
      assertProblem(await api.get(path, { key: null }), 401, /No API key was sent/);
      assertProblem(await api.get(path, { key: `${api.key}x` }), 401, /not valid/);
      const raw = await api.get(path, { key: null, headers: { authorization: api.key } });
      assertProblem(raw, 401, /Put "Bearer" and a space before the key/);
      assert.match(String(raw.headers['www-authenticate']), /^Bearer/);
    }
    assertProblem(await api.send('POST', `${ME}/commands`, { key: null }), 401, /No API key/);
  });

  test('an unknown path and another method are problems too', async () => {
    const api = await open();
    for (const path of [
      ME.replace('@me', 'x'),
      ME.replace('@me', ''),
      `${ME}/reviews`,
      '/compat/topgg/api/v1',
    ])
      assertProblem(await api.get(path), 404, /There is nothing at this path/);
    const answer = await api.send('DELETE', ME);
    assertProblem(answer, 405, /does not support this method/);
    assert.equal(answer.headers.allow, 'GET, HEAD, PATCH');
  });

  test('requests count together with those of v7', async () => {
    const api = await open();
    for (let count = 0; count < 15; count += 1) {
      await api.get(`/v7/vote-check?discord_id=${USER}`);
      assert.equal((await api.get(`${ME}/votes/${USER}`)).status, 404);
    }
    const answer = await api.get(ME);
    assertProblem(answer, 429, /Too many requests/);
    assert.equal(answer.headers['retry-after'], '60');
  });

  test('HEAD mirrors GET', async () => {
    const api = await open();
    const head = await api.send('HEAD', ME);
    assert.deepEqual([head.status, head.text], [200, '']);
  });
});
