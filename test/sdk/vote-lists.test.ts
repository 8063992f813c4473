import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Votary } from '../../sdk/src/index.ts';
import { parseIsoDate } from '../../src/domain/votes/period.ts';
import { GUILD, pageBody, USER } from './support/bodies.ts';
import { KEY, type Reply, type SeenRequest, startLocalService } from './support/local-service.ts';
import { testRuntime } from './support/test-runtime.ts';

async function start(reply: (request: SeenRequest, count: number) => Reply) {
  const service = await startLocalService(reply);
  const runtime = testRuntime();
  return { service, runtime, votary: new Votary({ apiKey: KEY, baseUrl: service.url }, runtime) };
}

const parametersOf = (request: SeenRequest | undefined) =>
  Object.fromEntries(request?.url.searchParams ?? []);

/** One vote at the start of each requested period. */
function oneVoteEach({ url }: SeenRequest): Reply {
  const [from, to] = [url.searchParams.get('from'), url.searchParams.get('to')];
  return { body: pageBody({ timestamps: [from ?? ''], from, to }) };
}

describe('listVotes', () => {
  it('returns a page in camelCase, with dates as Date', async () => {
    const body = pageBody({ timestamps: ['2026-11-02T03:04:05.678Z'], nextCursor: 'abc' });
    const { votary } = await start(() => ({ body }));
    assert.deepEqual(await votary.listVotes(), {
      guildId: GUILD,
      votes: [{ userId: USER, timestamp: new Date('2026-11-02T03:04:05.678Z'), isDoubled: false }],
      total: 1,
      pagination: { limit: 100, hasMore: true, nextCursor: 'abc' },
      period: { from: new Date('2026-11-01T00:00:00.000Z'), to: new Date('2026-11-15T12:00:00.000Z') },
    });
  });

  it('sends the given dates, limit and cursor', async () => {
    const { service, votary } = await start(() => ({ body: pageBody() }));
    await votary.listVotes({
      from: new Date('2026-10-01'),
      to: '2026-10-31T10:00',
      limit: 7,
      cursor: 'a+b/c=',
    });
    assert.deepEqual(parametersOf(service.requests[0]), {
      from: '2026-10-01T00:00:00.000Z',
      to: '2026-10-31T10:00:00.000Z',
      limit: '7',
      cursor: 'a+b/c=',
    });
  });

  it('treats a date without an offset as UTC, in any time zone', async () => {
    const zone = process.env.TZ;
    process.env.TZ = 'America/New_York';
    try {
      const { service, votary } = await start(() => ({ body: pageBody() }));
      await votary.listVotes({ from: '2026-10-31T10:00', to: '2026-10-31T13:00:00.5+02:00' });
      assert.deepEqual(parametersOf(service.requests[0]), {
        from: '2026-10-31T10:00:00.000Z',
        to: '2026-10-31T11:00:00.500Z',
      });
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it('sends no parameters by default', async () => {
    const { service, votary } = await start(() => ({ body: pageBody() }));
    await votary.listVotes({ cursor: null });
    assert.deepEqual(parametersOf(service.requests[0]), {});
  });

  for (const offset of ['+02:00', '+0200', '+02', ' 02:00']) {
    it(`accepts the offset ${offset} as the API does`, async () => {
      const { service, votary } = await start(() => ({ body: pageBody() }));
      const from = `2026-10-01T12:30:00${offset}`;
      await votary.listVotes({ from });
      const expected = new Date(parseIsoDate(from) ?? Number.NaN).toISOString();
      assert.equal(expected, '2026-10-01T10:30:00.000Z');
      assert.deepEqual(parametersOf(service.requests[0]), { from: expected });
    });
  }

  for (const from of [
    'yesterday',
    '2026-02-30',
    '2026-13-01',
    '01/02/2026',
    '2026-01-01T24:61',
    new Date(Number.NaN),
  ]) {
    it(`rejects the date ${from}`, async () => {
      const { service, votary } = await start(() => ({ body: pageBody() }));
      await assert.rejects(votary.listVotes({ from }), { code: 'INVALID_DATE', message: /^from / });
      assert.equal(service.requests.length, 0);
    });
  }
});

describe('listUserVotes', () => {
  it('requests one user and returns the id', async () => {
    const { service, votary } = await start(() => ({ body: { ...pageBody(), user_id: USER } }));
    assert.equal((await votary.listUserVotes(USER, { limit: 5 })).userId, USER);
    assert.equal(service.requests[0]?.url.pathname, `/v7/guild/votes/users/${USER}`);
    assert.deepEqual(parametersOf(service.requests[0]), { limit: '5' });
  });

  for (const userId of ['', '.', '..', '../..', 'a/b', 'a?b', '\ud800']) {
    it(`never changes the path with the id ${JSON.stringify(userId)}`, async () => {
      const { service, votary } = await start(() => ({ body: pageBody() }));
      await assert.rejects(votary.listUserVotes(userId), { code: 'INVALID_USER_ID' });
      await assert.rejects(votary.userVotes(userId).next(), { code: 'INVALID_USER_ID' });
      assert.equal(service.requests.length, 0);
    });
  }
});

describe('votes', () => {
  it('splits a span of any length into periods of 31 days, without gaps or overlaps', async () => {
    const { service, votary } = await start(oneVoteEach);
    const votes = await Array.fromAsync(votary.votes({ from: '2026-01-01', to: new Date('2026-04-01') }));
    const starts = ['2026-01-01', '2026-02-01', '2026-03-04'].map((day) => new Date(day));
    assert.deepEqual(
      votes.map(({ timestamp }) => timestamp),
      starts,
    );
    const periods = service.requests.map(({ url }) => [
      url.searchParams.get('from'),
      url.searchParams.get('to'),
    ]);
    assert.deepEqual(periods, [
      ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
      ['2026-02-01T00:00:00.000Z', '2026-03-04T00:00:00.000Z'],
      ['2026-03-04T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ]);
  });

  it('requests 31 days at once', async () => {
    const { service, votary } = await start(oneVoteEach);
    await Array.fromAsync(votary.votes({ from: '2026-01-01', to: '2026-02-01' }));
    assert.equal(service.requests.length, 1);
  });

  it('follows the cursor through all pages of a period, with the same dates', async () => {
    const cursors = ['second', 'third', null];
    const { service, votary } = await start((_request, count) => ({
      body: pageBody({
        timestamps: [`2026-10-0${count}T00:00:00.000Z`],
        nextCursor: cursors[count - 1] ?? null,
      }),
    }));
    const votes = await Array.fromAsync(votary.votes({ from: '2026-10-01', to: '2026-10-08', pageSize: 1 }));
    assert.deepEqual(
      votes.map(({ timestamp }) => timestamp.getUTCDate()),
      [1, 2, 3],
    );
    const period = { from: '2026-10-01T00:00:00.000Z', to: '2026-10-08T00:00:00.000Z', limit: '1' };
    assert.deepEqual(service.requests.map(parametersOf), [
      period,
      { ...period, cursor: 'second' },
      { ...period, cursor: 'third' },
    ]);
  });

  it('of one user requests that user', async () => {
    const { service, votary } = await start(oneVoteEach);
    await Array.fromAsync(votary.userVotes(USER, { from: '2026-01-01', to: '2026-02-15' }));
    const paths = service.requests.map(({ url }) => url.pathname);
    assert.deepEqual(paths, Array(2).fill(`/v7/guild/votes/users/${USER}`));
  });

  it('default to the current month, UTC, until now, with full pages', async () => {
    const { service, votary } = await start(oneVoteEach);
    await Array.fromAsync(votary.votes());
    assert.deepEqual(parametersOf(service.requests[0]), {
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-15T12:00:00.000Z',
      limit: '1000',
    });
  });

  it('requests only the pages that are read', async () => {
    const { service, votary } = await start(oneVoteEach);
    for await (const vote of votary.votes({ from: '2020-01-01', to: '2026-01-01' })) {
      assert.ok(vote);
      break;
    }
    assert.equal(service.requests.length, 1);
  });

  for (const to of ['2026-01-01', '2025-12-31']) {
    it(`rejects a span from 2026-01-01 to ${to}`, async () => {
      const { votary } = await start(oneVoteEach);
      await assert.rejects(votary.votes({ from: '2026-01-01', to }).next(), { code: 'INVALID_DATE_RANGE' });
    });
  }

  it('waits for the rate limit to reset before vote checks would fail', async () => {
    const { service, runtime, votary } = await start((request, count) => ({
      ...Object(oneVoteEach(request)),
      headers: { ratelimit: `"default";r=${count === 1 ? 5 : 29};t=41` },
    }));
    const votes = Array.fromAsync(votary.votes({ from: '2026-01-01', to: '2026-04-01' }));
    await runtime.passAfterSleep(41_000);
    assert.equal((await votes).length, 3);
    assert.equal(service.requests.length, 3);
  });

  it('ends with the reason of its signal, also while it waits', async () => {
    const { votary } = await start((request) => ({
      ...Object(oneVoteEach(request)),
      headers: { ratelimit: '"default";r=0;t=60' },
    }));
    const controller = new AbortController();
    const votes = votary.votes({ from: '2026-01-01', to: '2026-04-01', signal: controller.signal });
    assert.ok((await votes.next()).value);
    const next = votes.next();
    controller.abort(new Error('enough'));
    await assert.rejects(next, /enough/);
  });
});
