import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../src/domain/clock.ts';
import { createBatchId } from '../../../../src/domain/votes/voids.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, importAll, NOW, USER, voteOf } from '../../fixtures.ts';
import { addEndpoint } from '../../webhook-fixtures.ts';

export function operatorContract(subject: Subject): void {
  test('communities are listed by name, page by page, and found by a part of the name', async () => {
    const { operator } = subject.store;
    const names = ['Zoo Éclair 9', 'zoo alpha 9', 'ZOO Beta 9', 'Zoo beta 9'];
    const ids: string[] = [];
    for (const name of names) ids.push(await addGuild(subject.store, name));
    const [last = '', first = '', second = '', third = ''] = ids;
    await importAll(subject.store, voteOf(first), voteOf(first, { castAt: NOW - 1 }));
    await subject.store.guilds.setSanction(second, { since: NOW, reason: null });
    await subject.store.guilds.setUnlisted(third, NOW);
    const query = { search: 'zoo', after: null, month: NOW, limit: 2 };
    const page = await operator.communities(query);
    const after = page.at(-1)?.guild ?? null;
    const rest = await operator.communities({ ...query, after });
    assert.deepEqual(
      [...page, ...rest].map(({ guild, votesThisMonth }) => [guild.guildId, votesThisMonth]),
      [
        [first, 2],
        [second, 0],
        [third, 0],
        [last, 0],
      ],
    );
    const found = await operator.communities({ ...query, search: 'ECLAIR 9' });
    assert.deepEqual(
      found.map(({ guild }) => guild.guildId),
      [last],
    );
    assert.deepEqual(await operator.communities({ ...query, search: '\0' }), []);
    const counts = await operator.counts(NOW);
    assert.ok(counts.communities >= 4 && counts.sanctioned >= 1 && counts.unlisted >= 1);
  });

  test('failing endpoints and pending deliveries are reported', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    const before = await store.operator.counts(NOW);
    await store.votes.cast(voteOf(guildId));
    assert.equal((await store.operator.counts(NOW)).pendingDeliveries, before.pendingDeliveries + 1);
    const failing = async () =>
      (await store.operator.failingEndpoints(1000)).filter((endpoint) => endpoint.guildId === guildId);
    assert.deepEqual(await failing(), []);
    await store.webhooks.disableEndpoint(guildId, endpointId, NOW, 'failing');
    const [endpoint] = await failing();
    assert.deepEqual([endpoint?.endpointId, endpoint?.disabledAt], [endpointId, NOW]);
  });

  test('batches of all communities are listed, newest first', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await importAll(store, voteOf(guildId), voteOf(guildId, { castAt: NOW - 1 }));
    const made: string[] = [];
    for (const to of [NOW, NOW + 1]) {
      const batch = createBatchId();
      const period = { ...ALL_TIME, to };
      const voidedAt = NOW + 100 * DAY_MS + to;
      await store.moderation.void({
        guildId,
        selection: { userId: USER },
        period,
        batch,
        reason: null,
        voidedAt,
      });
      made.push(batch);
    }
    const [newest] = await store.operator.batches(null, 1);
    assert.ok(newest);
    const [next] = await store.operator.batches(newest, 1);
    assert.deepEqual([newest.batch, next?.batch], made.toReversed());
  });

  test('tallies of processes add up', async () => {
    const { operator } = subject.store;
    const day = NOW - (NOW % DAY_MS) + 400 * DAY_MS;
    await operator.addTallies([
      { day, name: 'votes', count: 2 },
      { day: day + DAY_MS, name: 'votes', count: 1 },
    ]);
    await operator.addTallies([
      { day, name: 'votes', count: 3 },
      { day, name: 'sign_ins', count: 1 },
    ]);
    assert.deepEqual(await operator.tallies(day), [
      { day, name: 'sign_ins', count: 1 },
      { day, name: 'votes', count: 5 },
      { day: day + DAY_MS, name: 'votes', count: 1 },
    ]);
    await operator.pruneTallies(day + DAY_MS);
    assert.equal((await operator.tallies(day)).length, 1);
    await operator.pruneTallies(day + 2 * DAY_MS);
  });
}
