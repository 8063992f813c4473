import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../src/domain/clock.ts';
import { createBatchId } from '../../../../src/domain/votes/voids.ts';
import {
  COMMUNITY_SORTS,
  COMMUNITY_STATES,
  type Community,
  type CommunityPosition,
  type CommunitySort,
} from '../../../../src/store/moderation/communities.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, importAll, NOW, USER, voteOf } from '../../fixtures.ts';
import { addEndpoint } from '../../webhook-fixtures.ts';

function positionAfter(page: readonly Community[]): CommunityPosition | null {
  const last = page.at(-1);
  return last ? { value: last.value, guildId: last.guild.guildId } : null;
}

/** As a process that stops in between leaves it. */
async function beginRemoval({ store }: Subject, guildId: string): Promise<void> {
  await importAll(store, voteOf(guildId), voteOf(guildId, { castAt: NOW - 1 }));
  const stop = () => {
    throw new Error('stopped');
  };
  await assert.rejects(store.guilds.remove(guildId, { batchSize: 1, onProgress: stop }), /stopped/);
}

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
    const query = { search: 'zoo', sort: 'name', state: null, after: null, now: NOW, limit: 2 } as const;
    const page = await operator.communities(query);
    const rest = await operator.communities({ ...query, after: positionAfter(page) });
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

  test('communities are sorted by votes, age and end of Premium, page by page', async () => {
    const { store } = subject;
    const [one, two, three, four] = [
      await addGuild(store, 'Sorted 1'),
      await addGuild(store, 'Sorted 2'),
      await addGuild(store, 'Sorted 3'),
      await addGuild(store, 'Sorted 4'),
    ];
    await importAll(store, voteOf(two), voteOf(two, { castAt: NOW - 1 }), voteOf(four));
    await store.guilds.setPremiumUntil(three, NOW + 2 * DAY_MS);
    await store.guilds.setPremiumUntil(four, NOW + DAY_MS);
    // It has ended, so it is as if there had been none.
    await store.guilds.setPremiumUntil(one, NOW);
    const sorted = async (sort: CommunitySort) => {
      const ids: string[] = [];
      for (let after: CommunityPosition | null = null; ; ) {
        const page: Community[] = await store.operator.communities({
          ...{ search: 'sorted', sort, state: null, after, now: NOW, limit: 1 },
        });
        ids.push(...page.map(({ guild }) => guild.guildId));
        after = positionAfter(page);
        if (after === null) return ids;
      }
    };
    assert.deepEqual(await sorted('votes'), [two, four, ...[one, three].toSorted()]);
    assert.deepEqual(await sorted('premium'), [four, three, ...[one, two].toSorted()]);
    const added = [one, two, three, four];
    const created = await Promise.all(added.map(async (id) => (await store.guilds.find(id))?.createdAt ?? 0));
    const newestFirst = added
      .map((id, index) => ({ id, at: created[index] ?? 0 }))
      .toSorted((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));
    assert.deepEqual(
      await sorted('created'),
      newestFirst.map(({ id }) => id),
    );
  });

  test('communities are filtered by what an operator looks for, whatever they are sorted by', async () => {
    const { store } = subject;
    const names = [
      'Filtered plain',
      'Filtered sanctioned',
      'Filtered premium',
      'Filtered out',
      'Filtered hidden',
    ];
    const ids: string[] = [];
    for (const name of names) ids.push(await addGuild(store, name));
    const [, sanctioned = '', premium = '', unlisted = '', hidden = ''] = ids;
    await store.guilds.setSanction(sanctioned, { since: NOW, reason: null });
    await store.guilds.setPremiumUntil(premium, NOW + 1);
    await store.guilds.setUnlisted(unlisted, NOW);
    await store.guilds.setHidden(hidden, NOW);
    const expected = { sanctioned: [sanctioned], premium: [premium], unlisted: [unlisted, hidden] };
    for (const state of COMMUNITY_STATES)
      for (const sort of COMMUNITY_SORTS) {
        const found = await store.operator.communities({
          ...{ search: 'filtered', sort, state, after: null, now: NOW, limit: 9 },
        });
        const foundIds = found.map(({ guild }) => guild.guildId);
        assert.deepEqual(foundIds.toSorted(), expected[state].toSorted(), `${state} by ${sort}`);
      }
    await beginRemoval(subject, sanctioned);
    const query = { search: '', state: 'sanctioned', after: null, now: NOW, limit: 1000 } as const;
    for (const sort of COMMUNITY_SORTS) {
      const found = await store.operator.communities({ ...query, sort });
      assert.ok(found.every(({ guild }) => guild.guildId !== sanctioned));
    }
  });

  test('names are found for the communities that exist', async () => {
    const { store } = subject;
    const [kept, removed] = [await addGuild(store, 'Kept'), await addGuild(store, 'Removed')];
    await beginRemoval(subject, removed);
    const names = await store.operator.communityNames([kept, removed, '123456789012345678']);
    assert.deepEqual([...names], [[kept, 'Kept']]);
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
    const name = (await store.guilds.find(guildId))?.name;
    const { kind, guild, disabledAt } = endpoint ?? {};
    assert.deepEqual([endpoint?.endpointId, guild, kind, disabledAt], [endpointId, name, 'https', NOW]);
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
