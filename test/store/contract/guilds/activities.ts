import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import type { Activity } from '../../../../src/store/activities.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, OTHER_USER, USER } from '../../fixtures.ts';

const ADMIN = { userId: USER, name: 'Zoé “Z” <b>' };

/** As stored after it happened once. */
const once = (activity: Activity) => ({ ...activity, firstAt: activity.at, count: 1 });

export function activityContract(subject: Subject): void {
  test('activities of a guild are returned newest first, as they were recorded', async () => {
    const { activities } = subject.store;
    const [guildId, neighbour] = [await addGuild(subject.store), await addGuild(subject.store)];
    const endpoint = { id: 'ep_1', name: 'Zoé’s “bot”', host: 'bot.example.org' };
    const name = { from: null, to: 'Zoé’s “bot”' };
    const done: Activity[] = [
      { guildId, at: NOW, actor: ADMIN, action: 'guild_listed' },
      { guildId, at: NOW + 5, actor: null, action: 'key_generated' },
      // In the same millisecond, the one recorded later is newer.
      { guildId, at: NOW + 5, actor: ADMIN, action: 'key_shown' },
      {
        guildId,
        at: NOW + 6,
        actor: ADMIN,
        action: 'webhook_changed',
        detail: { endpoint, change: { kind: 'edited', name } },
      },
    ];
    for (const activity of done) await activities.record(activity);
    await activities.record({ guildId: neighbour, at: NOW + 9, actor: null, action: 'key_revoked' });
    assert.deepEqual(await activities.recent(guildId, 10), done.map(once).toReversed());
    assert.deepEqual(await activities.recent(guildId, 1), done.slice(3).map(once));
  });

  test('actions repeated within an hour are one entry with a count and the first and last time', async () => {
    const { activities } = subject.store;
    const guildId = await addGuild(subject.store);
    const shown: Activity = { guildId, at: NOW, actor: ADMIN, action: 'key_shown' };
    const others: Activity[] = [
      { ...shown, actor: null },
      { ...shown, actor: { ...ADMIN, userId: OTHER_USER } },
      { ...shown, action: 'key_generated' },
      { ...shown, detail: { endpoint: { id: 'ep_1', name: null, host: 'a.example' } } },
      { ...shown, at: NOW + HOUR_MS },
    ];
    for (const activity of others) await activities.record(activity);
    for (const at of [NOW, NOW + 2000, NOW + HOUR_MS - 1, NOW + 3000])
      await activities.record({ ...shown, at, actor: { ...ADMIN, name: `Zoé at ${at}` } });
    const kept = await activities.recent(guildId, 10);
    assert.equal(kept.length, 6);
    const merged = kept.find(({ count }) => count > 1);
    const actor = { ...ADMIN, name: `Zoé at ${NOW + 3000}` };
    assert.deepEqual(merged, { ...shown, actor, at: NOW + HOUR_MS - 1, firstAt: NOW, count: 4 });
  });

  test('thousands of concurrent repetitions are all counted, and push out no earlier entries', async () => {
    const { activities } = subject.store;
    const guildId = await addGuild(subject.store);
    await activities.record({ guildId, at: NOW - DAY_MS, actor: null, action: 'guild_listed' });
    const flood = Array.from({ length: 1000 }, (_, i) =>
      activities.record({ guildId, at: NOW + i, actor: ADMIN, action: 'key_shown' }),
    );
    await Promise.all(flood);
    const kept = await activities.recent(guildId, 200);
    assert.deepEqual(
      kept.map(({ action, count }) => [action, count]),
      [
        ['key_shown', 1000],
        ['guild_listed', 1],
      ],
    );
  });

  test('at most 200 activities are returned', async () => {
    const { activities } = subject.store;
    const guildId = await addGuild(subject.store);
    for (let i = 0; i < 205; i += 1) {
      await activities.record({ guildId, at: NOW + i * HOUR_MS, actor: null, action: 'key_shown' });
    }
    const read = await activities.recent(guildId, 1000);
    assert.equal(read.length, 200);
    assert.equal(read[0]?.at, NOW + 204 * HOUR_MS);
  });

  test('pruning removes activities that are old or beyond the newest of a guild, for that guild only', async () => {
    const { activities } = subject.store;
    const [guildId, neighbour] = [await addGuild(subject.store), await addGuild(subject.store)];
    const hours = [1, 2, 3, 4, 5, 100];
    for (const id of [guildId, neighbour])
      for (const hour of hours)
        await record(subject, id, { at: NOW - hour * HOUR_MS, action: 'doubling_changed' });
    await record(subject, neighbour, { at: NOW, action: 'doubling_changed' });
    const rule = { before: NOW - DAY_MS, maxRows: 4 };
    const before = String(BigInt(guildId) - 1n);
    assert.equal(await activities.prune(rule, before, 1), guildId);
    const left = async (id: string) =>
      (await activities.recent(id, 10)).map(({ at }) => (NOW - at) / HOUR_MS);
    assert.deepEqual(await left(guildId), [1, 2, 3, 4]);
    assert.equal((await left(neighbour)).length, 7);
    assert.equal(await activities.prune(rule, guildId, 1), neighbour);
    assert.deepEqual(await left(neighbour), [0, 1, 2, 3]);
    assert.equal(await activities.prune(rule, '~', 1), undefined);
  });

  test('pruning keeps the last time that each user generated a key, revealed it, or revealed a secret', async () => {
    const { activities } = subject.store;
    const guildId = await addGuild(subject.store);
    const [zoe, sam] = [ADMIN, { userId: OTHER_USER, name: 'Sam' }];
    const lasting = ['key_generated', 'key_shown', 'webhook_secret_shown'] as const;
    for (const year of [3, 2])
      for (const action of lasting)
        for (const actor of [zoe, sam, null])
          await record(subject, guildId, { at: NOW - year * 365 * DAY_MS, actor, action });
    for (let i = 0; i < 30; i += 1)
      await record(subject, guildId, { at: NOW - i * HOUR_MS, actor: zoe, action: 'webhook_changed' });
    await activities.prune({ before: NOW - DAY_MS, maxRows: 10 }, String(BigInt(guildId) - 1n), 1);
    const kept = await activities.recent(guildId, 200);
    const old = kept.filter(({ at }) => at < NOW - DAY_MS);
    assert.equal(kept.length - old.length, 10);
    assert.deepEqual(
      old.map(({ at, actor, action }) => [(NOW - at) / DAY_MS, actor?.name ?? null, action]).toSorted(),
      lasting.flatMap((action) => [zoe.name, 'Sam', null].map((name) => [730, name, action])).toSorted(),
    );
  });

  test('removing a guild removes its activities, and an unknown guild has none', async () => {
    const { activities, guilds } = subject.store;
    const guildId = await addGuild(subject.store);
    const activity: Activity = { guildId, at: NOW, actor: null, action: 'key_shown' };
    await activities.record(activity);
    await guilds.remove(guildId);
    assert.deepEqual(await activities.recent(guildId, 10), []);
    await activities.record(activity);
    assert.deepEqual(await activities.recent(guildId, 10), []);
  });
}

async function record(
  { store }: Subject,
  guildId: string,
  given: Partial<Activity> & Pick<Activity, 'at' | 'action'>,
): Promise<void> {
  await store.activities.record({ guildId, actor: null, ...given });
}
