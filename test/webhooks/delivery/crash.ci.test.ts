import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { DatabaseUrl } from '../../../src/config.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { votesOf } from '../../store/fixtures.ts';
import { createTestDatabase } from '../../support/postgres/postgres.ts';
import { type Fixture, MASTER_SECRET, openFixture } from '../fixture.ts';
import { answerWith, type Receiver, startReceiver } from '../receiver.ts';
import { type CrashingProcess, startCrashing } from './crash.ts';

const CRASHES = 10;
const LONGEST_LIFE = 60;

const DATABASES: Record<string, () => Promise<DatabaseUrl>> = {
  SQLite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'votary-crash-'));
    after(() => rm(folder, { recursive: true, force: true }));
    return { kind: 'sqlite', path: join(folder, 'votary.db') };
  },
  PostgreSQL: async () => {
    const { url, drop } = await createTestDatabase();
    after(drop);
    return { kind: 'postgres', url };
  },
};

describe(`after ${CRASHES} kills at random points`, () => {
  for (const [name, createDatabase] of Object.entries(DATABASES)) {
    test(`every vote has arrived with one id, and nothing else has (${name})`, async () => {
      const [database, receiver] = [await createDatabase(), await startReceiver()];
      const fixture = await openFixture({ database });
      const { guildId } = await fixture.addEndpoint(receiver.url);
      const accepted = await crashAgainAndAgain(database, guildId, receiver);
      receiver.answer = answerWith(200);
      await sendTheRest(fixture, guildId);

      const kept = (await votesOf(fixture.store, guildId)).map(({ userId }) => userId);
      const ids = idsByUser(receiver);
      assert.ok(accepted.length >= CRASHES, `only ${accepted.length} votes were accepted`);
      assert.deepEqual(
        accepted.filter((userId) => !ids.has(userId)),
        [],
      );
      assert.deepEqual([...ids.keys()].sort(), kept.toSorted());
      assert.deepEqual(
        [...ids.values()].filter((found) => found.size !== 1),
        [],
      );
      assert.equal(
        (await fixture.store.webhooks.deliveries(guildId, fixture.clock(), 10_000)).length,
        kept.length,
      );
    });
  }
});

/** The votes that were confirmed to voters. Every third response of the receiver is a failure. */
async function crashAgainAndAgain(
  database: DatabaseUrl,
  guildId: string,
  receiver: Receiver,
): Promise<string[]> {
  const accepted: string[] = [];
  let running: CrashingProcess | undefined;
  receiver.answer = (request, response) => {
    running?.happened();
    answerWith(receiver.received.length % 3 === 0 ? 503 : 200)(request, response);
  };
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const firstUser = String(400_000_000_000_000_000n + BigInt(crash) * 1_000_000n);
    const lifetime = 1 + Math.floor(Math.random() * LONGEST_LIFE);
    running = startCrashing({ database, guildId, masterSecret: MASTER_SECRET, firstUser }, lifetime);
    await running.gone;
    accepted.push(...running.accepted);
  }
  return accepted;
}

/** A day later, the claims of killed processes have expired and every retry is due. */
async function sendTheRest(fixture: Fixture, guildId: string): Promise<void> {
  fixture.clock.set(Date.now() + DAY_MS);
  for (let round = 0; round < 100; round += 1) {
    await fixture.worker.runDue();
    const log = await fixture.store.webhooks.deliveries(guildId, fixture.clock(), 10_000);
    if (log.every(({ state }) => state === 'delivered')) return;
  }
  assert.fail('something is never delivered');
}

function idsByUser(receiver: Receiver): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { body, headers } of receiver.received) {
    const userId: string = JSON.parse(body).data.user_id;
    ids.set(userId, (ids.get(userId) ?? new Set()).add(headers['webhook-id'] ?? ''));
  }
  return ids;
}
