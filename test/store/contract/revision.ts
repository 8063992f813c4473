import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openStore } from '../../../src/store/open.ts';
import type { Subject } from '../contract.ts';
import { addGuild, NOW } from '../fixtures.ts';

export function revisionContract(subject: Subject): void {
  test('a change of our own moves the revision before whoever made it knows, or there is none', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const changes = [
      () => store.guilds.setKey(guildId, { hash: `revision ${guildId}`, sealed: '', createdAt: NOW }),
      () => store.guilds.setSanction(guildId, { since: NOW, reason: null }),
      () => store.guilds.remove(guildId),
    ];
    for (const change of changes) {
      const before = store.guilds.revision();
      await change();
      if (before !== null) assert.notEqual(store.guilds.revision(), before, String(change));
    }
  });

  test('a change by another program moves the revision for the next request, or there is none', async () => {
    const { store, database } = subject;
    const guildId = await addGuild(store);
    const other = await openStore(database);
    try {
      const before = store.guilds.revision();
      await other.guilds.setSanction(guildId, { since: NOW, reason: null });
      await nextTurn();
      if (before !== null) assert.notEqual(store.guilds.revision(), before);
      const unchanged = store.guilds.revision();
      await nextTurn();
      assert.equal(store.guilds.revision(), unchanged);
    } finally {
      await other.close();
    }
  });
}
