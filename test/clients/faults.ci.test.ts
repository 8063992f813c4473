/** How each client behaves when the service is busy, unavailable, or not a Votary service. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { GUILD, rateLimited, VOTED } from '../sdk/support/bodies.ts';
import {
  KEY,
  makeCertificate,
  type Reply,
  startLocalService,
  trustedCertificate,
} from '../sdk/support/local-service.ts';
import { CLIENTS, type RunningClient, startClient } from './drivers.ts';

const NOTHING = { ok: true, guild_id: GUILD, claimed: false, vote: null, remaining: 0 };
const FEED_PAGE = { ok: true, guild_id: GUILD, votes: [], next_cursor: 'c1', has_more: false };
const STEVE = { external_id: 'Steve_42' };

for (const client of CLIENTS) {
  describe(client.name, { skip: client.skip }, () => {
    let running: RunningClient;
    let folder: string;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'votary-clients-'));
      writeFileSync(join(folder, 'cert.pem'), trustedCertificate.cert);
      running = startClient(client, join(folder, 'cert.pem'));
    });
    after(async () => {
      await running.stop();
      await rm(folder, { recursive: true });
    });

    /** One call to a service that sends the replies in order, and repeats the last one. */
    async function call(name: string, given: object, ...replies: Reply[]) {
      const arrivals: number[] = [];
      const service = await startLocalService((_request, count) => {
        arrivals.push(performance.now());
        return replies[Math.min(count, replies.length) - 1] ?? 'cut';
      });
      const outcome = await running.call({ url: service.url, key: KEY }, name, given);
      return { ...outcome, requests: service.requests, pauseMs: (arrivals[1] ?? 0) - (arrivals[0] ?? 0) };
    }

    it('waits as long as the rate limit requires', async () => {
      const { result, requests, pauseMs } = await call('check', STEVE, rateLimited(1), { body: VOTED });
      assert.ok(result);
      assert.equal(requests.length, 2);
      assert.ok(pauseMs >= 1000, `${pauseMs} ms`);
    });

    it('fails immediately if the rate limit lasts longer than its maximum wait', async () => {
      const { error, requests } = await call('check', STEVE, rateLimited(59));
      assert.deepEqual([error?.code, error?.status, requests.length], ['RATE_LIMITED', 429, 1]);
    });

    it('retries a claim whose response was lost, with the same key', async () => {
      const { result, requests } = await call('claim', STEVE, 'cut', { body: NOTHING });
      assert.ok(result);
      const keys = requests.map(({ headers }) => headers['idempotency-key']);
      assert.equal(keys.length, 2);
      assert.ok(keys[0] && keys[0] === keys[1]);
    });

    it('does not retry a release without claimed_at whose response was lost', async () => {
      const { error, requests } = await call('release', { vote: 'vote_1' }, 'cut');
      assert.deepEqual([error?.code, requests.length], ['NETWORK_ERROR', 1]);
    });

    it('retries the release of its own claim', async () => {
      const vote = { vote_id: 'vote_1', claimed_at: '2026-11-15T12:00:00.000Z' };
      const body = { ok: true, guild_id: GUILD, released: false };
      const { result, requests } = await call('release', { vote }, 'cut', { body });
      assert.deepEqual([result, requests.length], [false, 2]);
      for (const { url } of requests)
        assert.equal(url.searchParams.get('claimed_at'), '2026-11-15T12:00:00.000Z');
    });

    it('continues the feed after an outage', async () => {
      const { result, requests } = await call(
        'feed',
        { wait: 0 },
        { status: 502, body: '<html>' },
        { body: FEED_PAGE },
      );
      assert.deepEqual(result, { votes: [], cursor: 'c1' });
      assert.equal(requests.length, 2);
    });

    it('does not send its key to the target of a redirect', async () => {
      const target = await startLocalService(() => ({ body: VOTED }));
      const { error } = await call('check', STEVE, { status: 302, headers: { location: target.url } });
      assert.deepEqual([error?.code, target.requests.length], ['INVALID_RESPONSE', 0]);
    });

    it('reports a response that is not from the API', async () => {
      for (const reply of [{ body: '<html>' }, { status: 404, body: '' }, { status: 500, body: 'oops' }]) {
        const { error } = await call('check', STEVE, reply);
        assert.ok(['INVALID_RESPONSE', 'NOT_FOUND'].includes(error?.code ?? ''), JSON.stringify(error));
      }
    });

    it('reports an untrusted certificate immediately, in the feed too', async () => {
      const service = await startLocalService(() => ({ body: VOTED }), await makeCertificate());
      for (const name of ['check', 'feed']) {
        const given = name === 'check' ? STEVE : { wait: 0 };
        const { error } = await running.call({ url: service.url, key: KEY }, name, given);
        assert.equal(error?.code, 'CERTIFICATE_ERROR');
      }
      assert.deepEqual([service.connections(), service.requests.length], [2, 0]);
    });
  });
}
