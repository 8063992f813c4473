import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DatabaseUrl } from '../../../src/config.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { openFixture } from '../fixture.ts';
import { startReceiver } from '../receiver.ts';

describe('several workers on one PostgreSQL database', () => {
  let fresh: TestDatabase;
  let database: DatabaseUrl;
  before(async () => {
    fresh = await createTestDatabase();
    database = { kind: 'postgres', url: fresh.url };
  });
  after(() => fresh.drop());

  test('share the queue: everything is sent once', async () => {
    const worlds = await Promise.all([
      openFixture({ database }),
      openFixture({ database }),
      openFixture({ database }),
    ]);
    const [first] = worlds;
    const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
    for (const receiver of receivers) {
      const { guildId } = await first.addEndpoint(receiver.url);
      await Promise.all(Array.from({ length: 20 }, () => first.vote(guildId)));
    }
    await Promise.all(worlds.map(({ worker }) => worker.runDue()));
    for (const { received } of receivers) {
      assert.equal(received.length, 20);
      assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 20);
    }
    assert.deepEqual(
      worlds.flatMap(({ errors }) => errors),
      [],
    );
  });
});
