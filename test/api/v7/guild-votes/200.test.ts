import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, formatInstant, HOUR_MS } from '../../../../src/domain/clock.ts';
import { type Answer, type Api, ago, NOW, OTHER_USER, onAnyDatabase, USER } from '../../../support/api.ts';

type Page = {
  votes: { user_id: string; timestamp: string; is_doubled: boolean }[];
  total: number;
  pagination: { limit: number; has_more: boolean; next_cursor: string | null };
  period: { from: string; to: string };
};

async function openPremium(open: () => Promise<Api>): Promise<Api> {
  const api = await open();
  await api.grantPremium();
  return api;
}

function pageOf(answer: Answer): Page {
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text);
}

async function page(api: Api, query: string): Promise<Page> {
  return pageOf(await api.get(`/v7/guild/votes${query}`));
}

function cursorQuery(from: Page, extra = ''): string {
  assert.ok(from.pagination.next_cursor);
  return `?cursor=${encodeURIComponent(from.pagination.next_cursor)}${extra}`;
}

onAnyDatabase('GET /v7/guild/votes answers 200', (open) => {
  test('a page lists votes by time, and contains only the id of each user', async () => {
    const api = await openPremium(open);
    await api.vote(
      { userId: OTHER_USER, at: ago(HOUR_MS), isDoubled: true },
      { userId: USER, at: ago(2 * HOUR_MS), externalId: 'Steve_42' },
    );
    const answer = await api.get('/v7/guild/votes');
    assert.deepEqual(answer.body, {
      ok: true,
      guild_id: api.guildId,
      votes: [
        { user_id: USER, timestamp: '2026-11-15T10:00:00.000Z', is_doubled: false },
        { user_id: OTHER_USER, timestamp: '2026-11-15T11:00:00.000Z', is_doubled: true },
      ],
      total: 2,
      pagination: { limit: 100, has_more: false, next_cursor: null },
      period: { from: '2026-11-01T00:00:00.000Z', to: NOW },
    });
  });

  test('without dates the period is the current UTC month until now', async () => {
    const api = await openPremium(open);
    await api.vote({ at: '2026-10-31T23:59:59.999Z' }, { at: '2026-11-01T00:00:00.000Z' });
    const { votes } = await page(api, '');
    assert.deepEqual(
      votes.map((vote) => vote.timestamp),
      ['2026-11-01T00:00:00.000Z'],
    );
  });

  test('the first millisecond of a month is an empty page, not an error', async () => {
    const api = await openPremium(open);
    api.clock.set('2026-12-01T00:00:00.000Z');
    const { votes, total, period } = await page(api, '');
    assert.deepEqual({ votes, total }, { votes: [], total: 0 });
    assert.deepEqual(period, { from: '2026-12-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' });
  });

  test('the period includes its start and excludes its end', async () => {
    const api = await openPremium(open);
    await api.vote({ at: '2026-11-02T00:00:00.000Z' }, { at: '2026-11-03T00:00:00.000Z' });
    const { votes, total } = await page(api, '?from=2026-11-02&to=2026-11-03');
    assert.deepEqual([votes.map((vote) => vote.timestamp), total], [['2026-11-02T00:00:00.000Z'], 1]);
  });

  test('exactly 31 days are allowed', async () => {
    const api = await openPremium(open);
    assert.equal((await page(api, '?from=2026-10-01&to=2026-11-01')).total, 0);
  });

  test('dates are accepted in every documented form, including an unescaped +, and returned in UTC', async () => {
    const api = await openPremium(open);
    for (const from of [
      '2026-11-10',
      '2026-11-10T00:00',
      '2026-11-10T00:00:00',
      '2026-11-10T00:00:00Z',
      '2026-11-10T00:00:00.000999999Z',
      '2026-11-10T01:30:00+01:30',
      '2026-11-10T01:30:00%2B0130',
      '2026-11-09T22:00:00-02',
    ]) {
      assert.equal((await page(api, `?from=${from}`)).period.from, '2026-11-10T00:00:00.000Z', from);
    }
  });

  test('an empty date, cursor or limit counts as not given', async () => {
    const api = await openPremium(open);
    const { pagination, period } = await page(api, '?from=&to=&cursor=&limit=');
    assert.deepEqual([pagination.limit, period.to], [100, NOW]);
  });

  test('walking the pages returns every vote once, in order, with the same total, even if many votes share a millisecond', async () => {
    const api = await openPremium(open);
    const at = (index: number) => formatInstant(Date.parse(ago(DAY_MS)) + Math.floor(index / 9) * 1000);
    const given = Array.from({ length: 50 }, (_, index) => ({
      userId: String(200000000000000000n + BigInt((index * 7) % 50)),
      at: at(index),
    }));
    await api.vote(...given);
    const seen: string[] = [];
    let current = await page(api, '?limit=7');
    for (;;) {
      assert.equal(current.total, 50);
      seen.push(...current.votes.map((vote) => `${vote.timestamp} ${vote.user_id}`));
      if (!current.pagination.has_more) break;
      current = await page(api, cursorQuery(current, '&limit=7'));
    }
    assert.deepEqual(seen, given.map((vote) => `${vote.at} ${vote.userId}`).sort());
  });

  test('votes cast during a walk do not repeat or hide others, and the total stays the same', async () => {
    const api = await openPremium(open);
    await api.vote({ at: ago(3 * HOUR_MS) }, { at: ago(2 * HOUR_MS) }, { at: ago(HOUR_MS) });
    const first = await page(api, '?limit=2');
    api.clock.advance(5 * 60_000);
    await api.vote({ userId: OTHER_USER, at: NOW }, { userId: OTHER_USER, at: ago(3 * HOUR_MS) });
    const second = await page(api, cursorQuery(first));
    assert.deepEqual(
      [...first.votes, ...second.votes].map((vote) => vote.timestamp),
      [ago(3 * HOUR_MS), ago(2 * HOUR_MS), ago(HOUR_MS)],
    );
    assert.deepEqual([first.total, second.total], [3, 3]);
  });

  test('a next page without dates keeps the first page’s period, the same dates are accepted, and limit may change', async () => {
    const api = await openPremium(open);
    await api.vote(...[1, 2, 3, 4, 5].map((hours) => ({ at: ago(hours * HOUR_MS) })));
    const first = await page(api, '?from=2026-11-15&limit=1');
    api.clock.advance(HOUR_MS);
    const second = await page(api, cursorQuery(first, '&limit=2'));
    assert.deepEqual(second.period, first.period);
    assert.equal(second.pagination.limit, 2);
    const third = await page(
      api,
      cursorQuery(second, `&from=2026-11-15T01:00:00%2B01:00&to=${first.period.to}`),
    );
    assert.deepEqual([third.votes.length, third.pagination.has_more], [2, false]);
  });

  test('a doubled vote is one entry and counts once', async () => {
    const api = await openPremium(open);
    await api.vote({ at: ago(HOUR_MS), isDoubled: true });
    const { votes, total } = await page(api, '');
    assert.deepEqual([votes.length, total], [1, 1]);
  });

  test('limit can be 1 to 1000, and a page that fits exactly has no next page', async () => {
    const api = await openPremium(open);
    await api.vote({ at: ago(2 * HOUR_MS) }, { at: ago(HOUR_MS) });
    assert.equal((await page(api, '?limit=1')).pagination.has_more, true);
    assert.deepEqual((await page(api, '?limit=2')).pagination, {
      limit: 2,
      has_more: false,
      next_cursor: null,
    });
    assert.equal((await page(api, '?limit=1000')).pagination.limit, 1000);
  });
});
