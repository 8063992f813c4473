import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../../../src/store/open.ts';
import { addGuild, type Databases, voteOf, votesOf } from '../../fixtures.ts';
import { addEndpoint } from '../../webhook-fixtures.ts';

export function webhookTransactionContract(createMigrated: Databases['createMigrated']): void {
  test('a vote whose event cannot be written is not stored, and starts no cooldown', async () => {
    const fresh = await createMigrated();
    const store = await openStore(fresh.database);
    const [guildId, quietGuild] = [await addGuild(store), await addGuild(store)];
    await addEndpoint(store, guildId);
    await fresh.run('ALTER TABLE webhook_deliveries RENAME TO elsewhere');
    await assert.rejects(store.votes.cast(voteOf(guildId)));
    assert.deepEqual(await votesOf(store, guildId), []);
    // The table is not even read for a guild without endpoints.
    assert.equal((await store.votes.cast(voteOf(quietGuild))).kind, 'accepted');
    await fresh.run('ALTER TABLE elsewhere RENAME TO webhook_deliveries');
    assert.equal((await store.votes.cast(voteOf(guildId))).kind, 'accepted');
    await store.close();
    await fresh.drop();
  });
}
