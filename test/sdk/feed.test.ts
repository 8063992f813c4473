import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FeedPage, Votary } from '../../sdk/src/index.ts';
import { GUILD, rateLimited } from './support/bodies.ts';
import { KEY, type Reply, type SeenRequest, startLocalService } from './support/local-service.ts';
import { testRuntime } from './support/test-runtime.ts';

function page(next: string, users: string[] = [], headers = {}): Reply {
  const votes = users.map((user_id) => ({
    vote_id: `vote_${user_id}`,
    user_id,
    external_id: null,
    timestamp: '2026-11-15T11:59:00.000Z',
    is_doubled: false,
  }));
  return { body: { ok: true, guild_id: GUILD, votes, next_cursor: next, has_more: false }, headers };
}

/** Responds with the replies in order; the request after the last one stays open. */
async function start(...replies: Reply[]) {
  const service = await startLocalService((_request, count) => replies[count - 1] ?? 'silence');
  const runtime = testRuntime();
  return { service, runtime, votary: new Votary({ apiKey: KEY, baseUrl: service.url }, runtime) };
}

const parametersOf = ({ url }: SeenRequest) => Object.fromEntries(url.searchParams);

async function next(feed: AsyncGenerator<FeedPage, void>): Promise<[users: string[], cursor: string]> {
  const { value } = await feed.next();
  assert.ok(value);
  return [value.votes.map(({ userId }) => userId), value.cursor];
}

describe('feed', () => {
  it('continues after the stored cursor and returns the next one with each page', async () => {
    const { service, votary } = await start(page('c2', ['1', '2']), page('c3', ['3']));
    const feed = votary.feed({ cursor: 'c1', pageSize: 2 });
    assert.deepEqual(
      [await next(feed), await next(feed)],
      [
        [['1', '2'], 'c2'],
        [['3'], 'c3'],
      ],
    );
    assert.deepEqual(service.requests.map(parametersOf), [
      { cursor: 'c1', limit: '2', wait: '25' },
      { cursor: 'c2', limit: '2', wait: '25' },
    ]);
  });

  it('requests a page only when the previous one was processed', async () => {
    const { service, votary } = await start(page('c2', ['1']), page('c3', ['2']));
    const feed = votary.feed({ cursor: 'c1' });
    await next(feed);
    assert.equal(service.requests.length, 1);
    await feed.return();
  });

  it('returns its start if it has no cursor, and later only pages with votes', async () => {
    const { service, runtime, votary } = await start(page('c1'), page('c1'), page('c2', ['1']));
    const feed = votary.feed({ from: '2026-11-15T10:00' });
    assert.deepEqual(await next(feed), [[], 'c1']);
    const second = next(feed);
    await service.untilRequested(2);
    await runtime.passAfterSleep(1000);
    assert.deepEqual(await second, [['1'], 'c2']);
    assert.deepEqual(service.requests.map(parametersOf), [
      { from: '2026-11-15T10:00:00.000Z', wait: '0' },
      { cursor: 'c1', wait: '25' },
      { cursor: 'c1', wait: '25' },
    ]);
  });

  it('retries during an outage of any length, with the same request', async () => {
    const { service, runtime, votary } = await start(
      ...Array.from({ length: 7 }, () => 'cut' as const),
      page('c2', ['1']),
    );
    const first = next(votary.feed({ cursor: 'c1' }));
    // Two retries of the call, then a pause of the feed.
    let requests = 1;
    for (const pauseMs of [1000, 3000, 1000, 1000, 3000, 2000, 1000]) {
      await service.untilRequested(requests);
      await runtime.passAfterSleep(pauseMs);
      requests += 1;
    }
    assert.deepEqual(await first, [['1'], 'c2']);
    assert.equal(new Set(service.requests.map(({ url }) => url.href)).size, 1);
  });

  it('waits as long as a rate limit requires', async () => {
    const { runtime, votary } = await start(rateLimited(59), page('c2', ['1']));
    const first = next(votary.feed({ cursor: 'c1' }));
    await runtime.passAfterSleep(59_000);
    assert.deepEqual(await first, [['1'], 'c2']);
  });

  it('leaves ten requests per minute for claims and checks', async () => {
    const busy = { ratelimit: '"default";r=10;t=42' };
    const { service, runtime, votary } = await start(page('c2', ['1'], busy), page('c3', ['2']));
    const feed = votary.feed({ cursor: 'c1' });
    await next(feed);
    const second = next(feed);
    await runtime.passAfterSleep(42_000);
    assert.deepEqual(await second, [['2'], 'c3']);
    assert.equal(service.requests.length, 2);
  });

  it('fails on errors that a retry cannot fix', async () => {
    for (const error of ['INVALID_API_TOKEN', 'INVALID_CURSOR']) {
      const { votary } = await start({ status: 400, body: { ok: false, error, message: 'No.' } });
      await assert.rejects(votary.feed({ cursor: 'c1' }).next(), { code: error, message: 'No.' });
    }
  });

  it('adds waitSeconds to its timeout', async () => {
    const { service, runtime, votary } = await start('silence', page('c2', ['1']));
    const first = next(votary.feed({ cursor: 'c1', waitSeconds: 20 }));
    await service.untilRequested(1);
    assert.deepEqual(runtime.sleeping(), [30_000]);
    await runtime.passAfterSleep(30_000);
    await runtime.passAfterSleep(1000);
    assert.deepEqual(await first, [['1'], 'c2']);
  });

  it('ends with the reason of its signal, while it waits for votes and while it pauses', async () => {
    const reason = new Error('enough');
    for (const reply of ['silence', 'cut'] as const) {
      const { service, votary } = await start(reply);
      const controller = new AbortController();
      const first = votary.feed({ cursor: 'c1', signal: controller.signal }).next();
      await service.untilRequested(1);
      controller.abort(reason);
      await assert.rejects(first, reason);
    }
  });
});
