/**
 * A server with custom limits, and as many signed-in voters as a test needs, each with any address.
 *
 *   const scene = await openVoting(t, { networkVotes: { challengeFrom: 2, refuseAbove: 4 } });
 *   const voter = await scene.voter();
 *   const page = await voter.open();
 *   assert.equal((await voter.vote({ altcha: await solve(page) })).status, 303);
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/scrypt';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { createMetrics, type PrometheusMetrics } from '../../../src/observability/prometheus.ts';
import { buildServer, type Transport } from '../../../src/server.ts';
import { missingSignIn } from '../../../src/site/sign-in/sign-in.ts';
import type { Store } from '../../../src/store/store.ts';
import type { VotingSettings } from '../../../src/voting/settings.ts';
import { newUserId, openSessionIssuer } from '../../../torture/lib/sessions.ts';
import { NOW, testServerDeps } from '../../support/api.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { openTestStore } from '../../support/sqlite.ts';

export type Answer = { status: number; text: string; headers: Record<string, unknown> };

export type Voter = {
  userId: string;
  open(query?: string): Promise<Answer>;
  vote(fields?: Record<string, string>, query?: string): Promise<Answer>;
};

export type VotingScene = {
  store: Store;
  clock: TestClock;
  metrics: PrometheusMetrics;
  guildId: string;
  voter(options?: {
    userId?: string;
    ip?: string;
    guildId?: string;
    headers?: Record<string, string>;
  }): Promise<Voter>;
};

export const IP = '192.0.2.10';

export async function openVoting(
  t: TestContext,
  integrity: Partial<VotingSettings> = {},
  {
    change = (store: Store): Store => store,
    transport,
  }: { change?: (store: Store) => Store; transport?: Transport } = {},
): Promise<VotingScene> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-integrity-'));
  const store = await openTestStore(join(folder, 'votary.db'));
  const clock = testClock(NOW);
  const secrets = deriveSecrets('a master secret for tests');
  const metrics = createMetrics();
  const app = buildServer({
    ...testServerDeps(change(store), clock, secrets),
    metrics,
    integrity: { challengeWork: { keys: 5, memoryKib: 64 }, ...integrity },
    // Behind a proxy there is no demo sign-in.
    ...(transport && { transport, signIn: missingSignIn() }),
  });
  const issuer = await openSessionIssuer(secrets, { isDemo: !transport, clock });
  t.after(async () => {
    await issuer.close();
    await app.close();
    await store.close();
    await rm(folder, { recursive: true });
  });
  const ownGuild = '300000000000000001';
  await store.guilds.add({ guildId: ownGuild, name: 'Voted', createdAt: clock() });
  return {
    store,
    clock,
    metrics,
    guildId: ownGuild,
    async voter({ userId = newUserId(), ip = IP, guildId = ownGuild, headers = {} } = {}) {
      const { cookie, csrfToken } = await issuer.issue(userId);
      const send = async (method: 'GET' | 'POST', query: string, payload?: string): Promise<Answer> => {
        const answer = await app.inject({
          method,
          url: `/guild/${guildId}/vote${query}`,
          remoteAddress: ip,
          headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
          ...(payload === undefined ? {} : { payload }),
        });
        return { status: answer.statusCode, text: answer.payload, headers: answer.headers };
      };
      return {
        userId,
        open: (query = '') => send('GET', query),
        vote: (fields = {}, query = '') =>
          send('POST', query, new URLSearchParams({ _csrf: csrfToken, ...fields }).toString()),
      };
    },
  };
}

export function challengeIn({ text }: Answer): Challenge {
  const given = /data-challenge="([^"]+)"/.exec(text)?.[1];
  assert.ok(given, 'the page has no challenge');
  return JSON.parse(given.replaceAll('&#34;', '"'));
}

/** The form of a browser that has solved the challenge of the page. */
export async function solve(page: Answer): Promise<string> {
  const challenge = challengeIn(page);
  const solution = await solveChallenge({ challenge, deriveKey });
  return encode({ challenge, solution });
}

export function encode(payload: unknown): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64');
}
