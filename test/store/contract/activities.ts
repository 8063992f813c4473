import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Activity } from '../../../src/store/store.ts';
import type { Subject } from '../contract.ts';
import { addGuild, NOW, USER } from '../fixtures.ts';

const ADMIN = { userId: USER, name: 'Zoé “Z” <b>' };

export function activityContract(subject: Subject): void {
  test('activities of a guild come newest first, as they were recorded', async () => {
    const { activities } = subject.store;
    const [guildId, neighbour] = [await addGuild(subject.store), await addGuild(subject.store)];
    const done: Activity[] = [
      { guildId, at: NOW, actor: ADMIN, action: 'guild_listed' },
      { guildId, at: NOW + 5, actor: null, action: 'key_generated' },
      // The same millisecond: the one recorded later is the newer one.
      { guildId, at: NOW + 5, actor: ADMIN, action: 'key_shown' },
    ];
    for (const activity of done) await activities.record(activity);
    await activities.record({ guildId: neighbour, at: NOW + 9, actor: null, action: 'key_revoked' });
    assert.deepEqual(await activities.recent(guildId, 10), done.toReversed());
    assert.deepEqual(await activities.recent(guildId, 1), done.slice(2));
  });

  test('no more than 200 activities are read at once', async () => {
    const { activities } = subject.store;
    const guildId = await addGuild(subject.store);
    for (let i = 0; i < 205; i += 1) {
      await activities.record({ guildId, at: NOW + i, actor: null, action: 'key_shown' });
    }
    const read = await activities.recent(guildId, 1000);
    assert.equal(read.length, 200);
    assert.equal(read[0]?.at, NOW + 204);
  });

  test('a removed guild takes its activities with it, and a guild that is not listed has none', async () => {
    const { activities, guilds } = subject.store;
    const guildId = await addGuild(subject.store);
    const activity: Activity = { guildId, at: NOW, actor: null, action: 'key_shown' };
    await activities.record(activity);
    await guilds.remove(guildId);
    assert.deepEqual(await activities.recent(guildId, 10), []);
    await assert.rejects(activities.record(activity));
  });
}
