import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import {
  type Api,
  ago,
  assertError,
  assertInvalid,
  OTHER_USER,
  onAnyDatabase,
  USER,
} from '../../../support/api.ts';

const PATH = '/v7/guild/votes';

async function openWithVotes(open: () => Promise<Api>): Promise<Api> {
  const api = await open();
  await api.grantPremium();
  await api.vote({ at: ago(3 * HOUR_MS) }, { at: ago(2 * HOUR_MS) }, { at: ago(HOUR_MS) });
  return api;
}

async function firstCursor(api: Api, path: string): Promise<string> {
  const { body } = await api.get(path);
  const pagination = Object(body.pagination);
  assert.equal(typeof pagination.next_cursor, 'string');
  return encodeURIComponent(pagination.next_cursor);
}

onAnyDatabase('GET /v7/guild/votes answers 400', (open) => {
  test('a limit that is not an integer from 1 to 1000 reports its first failing rule', async () => {
    const api = await openWithVotes(open);
    for (const [limit, rule] of [
      ['abc', 'integer'],
      ['1.5', 'integer'],
      ['1e2', 'integer'],
      ['0x10', 'integer'],
      ['%205', 'integer'],
      ['99999999999999999999', 'max'],
      ['-99999999999999999999', 'min'],
      ['0', 'min'],
      ['-1', 'min'],
      ['1001', 'max'],
    ] as const) {
      assertInvalid(await api.get(`${PATH}?limit=${limit}`), [{ field: 'limit', rule }]);
    }
  });

  test('a date that is not ISO 8601 or does not exist is INVALID_DATE', async () => {
    const api = await openWithVotes(open);
    for (const date of [
      'yesterday',
      '2026-02-30',
      '2026-11-10T24:00:00Z',
      '2026-11-10t00:00:00z',
      '1731628800',
    ]) {
      assertError(await api.get(`${PATH}?from=${date}`), 400, 'INVALID_DATE');
      assertError(await api.get(`${PATH}?to=${date}`), 400, 'INVALID_DATE');
    }
  });

  test('a start that is not earlier than the end is INVALID_DATE_RANGE', async () => {
    const api = await openWithVotes(open);
    for (const query of [
      '?from=2026-11-03&to=2026-11-02',
      '?from=2026-11-02&to=2026-11-02',
      '?from=2027-01-01',
      '?to=2026-10-01',
    ]) {
      assertError(await api.get(PATH + query), 400, 'INVALID_DATE_RANGE');
    }
  });

  test('one millisecond more than 31 days is DATE_RANGE_TOO_LARGE', async () => {
    const api = await openWithVotes(open);
    assertError(
      await api.get(`${PATH}?from=2026-10-01&to=2026-11-01T00:00:00.001Z`),
      400,
      'DATE_RANGE_TOO_LARGE',
    );
    assertError(await api.get(`${PATH}?from=${ago(32 * DAY_MS)}`), 400, 'DATE_RANGE_TOO_LARGE');
  });

  test('a modified, foreign or forged cursor is INVALID_CURSOR', async () => {
    const [api, other] = [await openWithVotes(open), await openWithVotes(open)];
    const good = await firstCursor(api, `${PATH}?limit=1`);
    const foreign = await firstCursor(other, `${PATH}?limit=1`);
    const ofUser = await firstCursor(api, `${PATH}/users/${USER}?limit=1`);
    const changed = (good.startsWith('M') ? 'N' : 'M') + good.slice(1);
    for (const cursor of [
      changed,
      good.slice(0, -1),
      `${good}A`,
      `${good}%3D`,
      foreign,
      ofUser,
      'abc',
      '%00',
      '.',
    ]) {
      assertError(await api.get(`${PATH}?cursor=${cursor}`), 400, 'INVALID_CURSOR');
    }
    assertError(await api.get(`${PATH}/users/${USER}?cursor=${good}`), 400, 'INVALID_CURSOR');
    const otherUser = await api.get(`${PATH}/users/${OTHER_USER}?cursor=${ofUser}`);
    assertError(otherUser, 400, 'INVALID_CURSOR');
    assert.equal((await api.get(`${PATH}?cursor=${good}`)).status, 200);
  });

  test('a cursor with dates other than its own is INVALID_CURSOR', async () => {
    const api = await openWithVotes(open);
    const cursor = await firstCursor(api, `${PATH}?from=2026-11-10&limit=1`);
    assertError(await api.get(`${PATH}?cursor=${cursor}&from=2026-11-11`), 400, 'INVALID_CURSOR');
    assertError(await api.get(`${PATH}?cursor=${cursor}&to=2026-11-16`), 400, 'INVALID_CURSOR');
    assert.equal((await api.get(`${PATH}?cursor=${cursor}&from=2026-11-10`)).status, 200);
  });

  test('errors are reported in order: limit, date, range, length of period, cursor', async () => {
    const api = await openWithVotes(open);
    const faults = [
      'limit=0',
      'from=never',
      'from=2026-11-03&to=2026-11-02',
      'from=2026-01-01&to=2026-11-02',
      'cursor=x',
    ];
    const told = [];
    told.push(await api.get(`${PATH}?limit=0&from=never&cursor=x`));
    told.push(await api.get(`${PATH}?from=never&to=2026-11-02&cursor=x`));
    told.push(await api.get(`${PATH}?${faults[2]}&cursor=x`));
    told.push(await api.get(`${PATH}?${faults[3]}&cursor=x`));
    told.push(await api.get(`${PATH}?${faults[4]}`));
    assert.deepEqual(
      told.map(({ body }) => body.error ?? Object.keys(body)[0]),
      ['errors', 'INVALID_DATE', 'INVALID_DATE_RANGE', 'DATE_RANGE_TOO_LARGE', 'INVALID_CURSOR'],
    );
  });

  test('a repeated parameter is a validation error', async () => {
    const api = await openWithVotes(open);
    assertInvalid(await api.get(`${PATH}?limit=1&limit=2&from=2026-11-01&from=2026-11-02`), [
      { field: 'from', rule: 'string' },
      { field: 'limit', rule: 'string' },
    ]);
  });
});
