import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Votary } from '../../../sdk/src/index.ts';
import { NOT_VOTED, pageBody, rateLimited, USER, VOTED } from '../support/bodies.ts';
import { KEY, type Reply, startLocalService } from '../support/local-service.ts';
import { testRuntime } from '../support/test-runtime.ts';

async function start(
  reply: (count: number) => Reply | Promise<Reply>,
  options: { cacheSeconds?: number } = {},
) {
  const service = await startLocalService((_request, count) => reply(count));
  const runtime = testRuntime();
  const votary = new Votary({ apiKey: KEY, baseUrl: service.url, ...options }, runtime);
  return { service, runtime, votary };
}

const VOTER = { discordId: USER };

describe('identical calls at the same time', () => {
  it('share one request', async () => {
    const { service, votary } = await start(() => ({ body: VOTED }), { cacheSeconds: 0 });
    const checks = await Promise.all(Array.from({ length: 50 }, () => votary.checkVote(VOTER)));
    assert.ok(checks.every((check) => check.hasVoted));
    assert.equal(service.requests.length, 1);
  });

  it('return separate objects to each caller', async () => {
    const { votary } = await start(() => ({ body: VOTED }));
    const [first, second] = await Promise.all([votary.checkVote(VOTER), votary.checkVote(VOTER)]);
    first.lastVoteAt?.setTime(0);
    first.hasVoted = false;
    assert.deepEqual([second.hasVoted, second.lastVoteAt?.getTime() === 0], [true, false]);
    assert.equal((await votary.checkVote(VOTER)).hasVoted, true);
  });

  it('share errors too', async () => {
    const body = { ok: false, error: 'INVALID_API_TOKEN', message: 'No.' };
    const { service, votary } = await start(() => ({ status: 401, body }));
    const results = await Promise.allSettled([votary.checkVote(VOTER), votary.checkVote(VOTER)]);
    assert.ok(results.every(({ status }) => status === 'rejected'));
    assert.equal(service.requests.length, 1);
  });

  it('are separate if their arguments differ', async () => {
    const { service, votary } = await start(() => ({ body: VOTED }));
    await Promise.all([votary.checkVote(VOTER), votary.checkVote({ externalId: USER })]);
    assert.equal(service.requests.length, 2);
  });
});

describe('an abort signal', () => {
  it('ends the call of its caller with its reason, and no other calls', async () => {
    const released = Promise.withResolvers<Reply>();
    const { service, votary } = await start(() => released.promise);
    const leaving = new AbortController();
    const left = votary.checkVote(VOTER, { signal: leaving.signal });
    const staying = votary.checkVote(VOTER, { signal: new AbortController().signal });
    await service.untilRequested(1);
    const reason = new Error('no longer needed');
    leaving.abort(reason);
    await assert.rejects(left, reason);
    released.resolve({ body: VOTED });
    assert.equal((await staying).hasVoted, true);
    assert.equal(service.requests.length, 1);
  });

  it('aborts the request when the last caller has left, and a new call sends a new one', async () => {
    const { service, votary } = await start((count) => (count === 1 ? 'silence' : { body: VOTED }));
    const controllers = [new AbortController(), new AbortController()];
    const calls = controllers.map(({ signal }) => votary.checkVote(VOTER, { signal }));
    await service.untilRequested(1);
    const gone = service.untilLeft();
    const settled = Promise.allSettled(calls);
    for (const controller of controllers) controller.abort();
    assert.deepEqual(
      (await settled).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal((await votary.checkVote(VOTER)).hasVoted, true);
    await gone;
  });

  it('that is already aborted sends no request', async () => {
    const { service, votary } = await start(() => ({ body: VOTED }));
    await assert.rejects(
      votary.checkVote(VOTER, { signal: AbortSignal.abort('before') }),
      (reason) => reason === 'before',
    );
    assert.equal(service.requests.length, 0);
  });

  it('ends the pause before a retry', async () => {
    const { service, runtime, votary } = await start(() => rateLimited(1));
    const controller = new AbortController();
    const call = assert.rejects(votary.checkVote(VOTER, { signal: controller.signal }), {
      name: 'AbortError',
    });
    await service.untilRequested(1);
    controller.abort();
    await call;
    assert.equal(service.requests.length, 1);
    runtime.advance(1000);
  });
});

describe('a response', () => {
  for (const body of [VOTED, NOT_VOTED]) {
    it(`with has_voted ${body.has_voted} is cached for 3 seconds`, async () => {
      const { service, runtime, votary } = await start(() => ({ body }));
      await votary.checkVote(VOTER);
      runtime.advance(2999);
      await votary.checkVote(VOTER);
      assert.equal(service.requests.length, 1);
      runtime.advance(1);
      await votary.checkVote(VOTER);
      assert.equal(service.requests.length, 2);
    });
  }

  it('is not cached with cacheSeconds 0', async () => {
    const { service, votary } = await start(() => ({ body: VOTED }), { cacheSeconds: 0 });
    await votary.checkVote(VOTER);
    await votary.checkVote(VOTER);
    assert.equal(service.requests.length, 2);
  });

  it('expires if the clock is set back', async () => {
    const { service, runtime, votary } = await start(() => ({ body: VOTED }));
    await votary.checkVote(VOTER);
    runtime.advance(-60_000);
    await votary.checkVote(VOTER);
    assert.equal(service.requests.length, 2);
  });

  it('that is an error is not cached', async () => {
    const failure = { status: 500, body: { ok: false, error: 'INTERNAL_ERROR', message: 'Failed.' } };
    const { votary } = await start((count) => (count === 1 ? failure : { body: VOTED }));
    await assert.rejects(votary.checkVote(VOTER), { code: 'INTERNAL_ERROR' });
    assert.equal((await votary.checkVote(VOTER)).hasVoted, true);
  });

  it('makes room for newer ones when the cache is full', async () => {
    const page = pageBody({ timestamps: Array.from({ length: 1000 }, () => '2026-11-02T00:00:00.000Z') });
    const { service, votary } = await start(() => ({ body: page }));
    for (let limit = 1; limit <= 30; limit += 1) await votary.listVotes({ limit });
    await votary.listVotes({ limit: 30 });
    assert.equal(service.requests.length, 30);
    await votary.listVotes({ limit: 1 });
    assert.equal(service.requests.length, 31);
  });
});
