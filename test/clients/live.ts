/**
 * A running service with communities to vote for, for programs that call it from outside.
 *
 *   const live = await startLive();
 *   const community = await live.addCommunity();
 *   await community.cast({ externalId: 'Steve_42', minutesAgo: 240 });
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import type { Goal } from '../../src/domain/votes/goal.ts';
import { openStore } from '../../src/store/open.ts';
import { makeHome } from '../cli/votary.ts';
import { type Served, serve } from '../support/serve.ts';

export type LiveVote = {
  userId?: string;
  externalId?: string | null;
  minutesAgo?: number;
  isDoubled?: boolean;
};

export type Community = {
  guildId: string;
  key: string;
  /** Accepts a vote as the voting page does, so that it is in the feed. */
  cast(vote: LiveVote): Promise<void>;
  setGoal(goal: Goal): Promise<void>;
  /** The number of votes under this name that the consumer can claim, and that it claimed. */
  claims(externalId: string, consumer?: string): Promise<Claims>;
  /** Waits for these numbers; checks again after every other request that the service has answered. */
  untilClaims(externalId: string, expected: Claims, consumer?: string): Promise<void>;
};

type Claims = { claimable: unknown; claimed: unknown };

const CLAIMS_PATH = '/v7/guild/claims';

export type Live = { url: string; certificate: string; addCommunity(): Promise<Community> };

/** Stopped after the tests of the file. */
export async function startLive(): Promise<Live> {
  const home = await makeHome({ VOTARY_PORT: '0', VOTARY_RATE_LIMIT: '10000' });
  const served = await serve(home);
  const store = await openStore({ kind: 'sqlite', path: join(home.dataDir, 'votary.db') });
  after(async () => {
    await store.close();
    await served.stop();
  });
  let communities = 0;
  return {
    url: served.url,
    certificate: join(home.dataDir, 'tls/cert.pem'),
    addCommunity: async () => {
      communities += 1;
      const guildId = String(100_000_000_000_000_000n + BigInt(communities));
      await home.json('guild', 'add', guildId);
      await home.json('premium', 'grant', guildId, '--until', '2100-01-01T00:00:00Z');
      const made = await home.json('key', 'generate', guildId);
      assert.ok(typeof made === 'object' && made && 'key' in made && typeof made.key === 'string');
      const { key } = made;
      const claims: Community['claims'] = async (externalId, consumer = 'default') => {
        const query = new URLSearchParams({ external_id: externalId, consumer });
        const { body } = await served.get(`${CLAIMS_PATH}?${query}`, key);
        return { claimable: body.claimable, claimed: body.claimed };
      };
      return {
        guildId,
        key,
        cast: async ({
          userId = '200000000000000001',
          externalId = null,
          minutesAgo = 0,
          isDoubled = false,
        }) => {
          const castAt = Date.now() - minutesAgo * MINUTE_MS;
          const outcome = await store.votes.cast({ guildId, userId, castAt, externalId, isDoubled });
          assert.equal(outcome.kind, 'accepted');
        },
        setGoal: async (goal) => {
          await store.goals.set(guildId, goal, Date.now());
        },
        claims,
        untilClaims: async (externalId, expected, consumer) => {
          for (;;) {
            // Listens before it asks, so that no request is missed between the two.
            const answered = otherRequest(served);
            if (isDeepStrictEqual(await claims(externalId, consumer), expected)) return;
            await answered;
          }
        },
      };
    },
  };
}

/** Resolves when the service logs a request of the client, which only posts and deletes claims. */
function otherRequest({ process: { stdout } }: Served): Promise<void> {
  assert.ok(stdout);
  const { promise, resolve } = Promise.withResolvers<void>();
  stdout.on('data', function listen(chunk: Buffer) {
    const lines = String(chunk).split('\n');
    const isOwn = (line: string) => line.includes(`"method":"GET","url":"${CLAIMS_PATH}?`);
    if (!lines.some((line) => line.includes('"url":"/v7/') && !isOwn(line))) return;
    stdout.off('data', listen);
    resolve();
  });
  return promise;
}
