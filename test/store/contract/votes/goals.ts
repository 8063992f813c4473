import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, formatInstant, HOUR_MS, type Instant } from '../../../../src/domain/clock.ts';
import type { Goal } from '../../../../src/domain/votes/goal.ts';
import { dayOf, weekOf, wholeMonth } from '../../../../src/domain/votes/period.ts';
import type { Vote } from '../../../../src/domain/votes/vote.ts';
import { openStore } from '../../../../src/store/open.ts';
import type { Store } from '../../../../src/store/store.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, importAll, NOW, voteOf } from '../../fixtures.ts';
import { addEndpoint } from '../../webhook-fixtures.ts';

const GOAL: Goal = { period: 'day', target: 3 };

let users = 0;

/** A vote of somebody who has not voted before. */
function newVote(guildId: string, castAt: Instant, given: Partial<Vote> = {}): Vote {
  users += 1;
  return voteOf(guildId, { userId: String(300000000000000000n + BigInt(users)), castAt, ...given });
}

async function cast(store: Store, guildId: string, count: number, castAt = NOW): Promise<void> {
  for (let i = 0; i < count; i += 1)
    assert.equal((await store.votes.cast(newVote(guildId, castAt))).kind, 'accepted');
}

async function guildWithGoal(store: Store, goal: Goal = GOAL): Promise<string> {
  const guildId = await addGuild(store);
  await addEndpoint(store, guildId, { events: ['goal_reached'] });
  assert.equal(await store.goals.set(guildId, goal, NOW), true);
  return guildId;
}

/** The data of all `goal_reached` events, without the guild. */
async function eventsOf({ query }: Subject, guildId: string): Promise<unknown[]> {
  const rows = await query(
    `SELECT body FROM webhook_events WHERE guild_id = '${guildId}' AND type = 'goal_reached' ORDER BY event_id`,
  );
  return rows.map(({ body }) => {
    const { guild_id, ...data } = JSON.parse(String(body)).data;
    assert.equal(guild_id, guildId);
    return data;
  });
}

function reached(votes: number, at: Instant = NOW, { period, target }: Goal = GOAL) {
  return { goal: target, period, votes, reached_at: formatInstant(at) };
}

function voidOf(guildId: string, userId: string, batch: string) {
  return { guildId, selection: { userId }, period: ALL_TIME, batch, reason: null, voidedAt: NOW };
}

export function goalContract(subject: Subject): void {
  test('the goals of several guilds are found together', async () => {
    const { store } = subject;
    const party: Goal = { period: 'party', target: 50 };
    const [first, second] = [await guildWithGoal(store), await guildWithGoal(store, party)];
    const without = await addGuild(store);
    const found = await store.goals.findMany([without, second, first]);
    assert.deepEqual(
      found,
      new Map([
        [first, GOAL],
        [second, party],
      ]),
    );
    assert.deepEqual(await store.goals.findMany([]), new Map());
  });

  test('a goal is reached once a day, with the vote that reaches it', async () => {
    const { store } = subject;
    const guildId = await guildWithGoal(store);
    await cast(store, guildId, 2);
    assert.deepEqual(await eventsOf(subject, guildId), []);
    await cast(store, guildId, 1, NOW + 1);
    assert.deepEqual(await eventsOf(subject, guildId), [reached(3, NOW + 1)]);
    await cast(store, guildId, 4, NOW + 2);
    assert.equal((await eventsOf(subject, guildId)).length, 1);
    const tomorrow = dayOf(NOW) + DAY_MS;
    await cast(store, guildId, 4, tomorrow);
    assert.deepEqual((await eventsOf(subject, guildId))[1], reached(3, tomorrow));
  });

  for (const [period, start] of [
    ['week', weekOf(NOW)],
    ['month', wholeMonth(NOW).from],
  ] as const) {
    test(`a goal of a ${period} counts the whole ${period}, and nothing before it`, async () => {
      const { store } = subject;
      const goal: Goal = { period, target: 3 };
      const guildId = await guildWithGoal(store, goal);
      await cast(store, guildId, 3, start - 1);
      assert.deepEqual(await eventsOf(subject, guildId), [reached(3, start - 1, goal)]);
      await cast(store, guildId, 1, start);
      await cast(store, guildId, 1, NOW);
      assert.deepEqual((await store.goals.progress(guildId, NOW))?.votes, 2);
      await cast(store, guildId, 2, NOW);
      assert.deepEqual((await eventsOf(subject, guildId))[1], reached(3, NOW, goal));
    });
  }

  test('every so many votes are a vote party', async () => {
    const { store } = subject;
    const goal: Goal = { period: 'party', target: 3 };
    const guildId = await guildWithGoal(store, goal);
    await cast(store, guildId, 7);
    assert.deepEqual(await eventsOf(subject, guildId), [reached(3, NOW, goal), reached(3, NOW, goal)]);
    assert.deepEqual(await store.goals.progress(guildId, NOW), {
      ...goal,
      votes: 1,
      remaining: 2,
      resetsAt: null,
    });
  });

  test('progress counts the votes of the period; without a goal there is none', async () => {
    const { store } = subject;
    const guildId = await guildWithGoal(store);
    await cast(store, guildId, 1);
    await store.votes.cast(newVote(guildId, NOW, { isDoubled: true }));
    const resetsAt = dayOf(NOW) + DAY_MS;
    assert.deepEqual(await store.goals.progress(guildId, NOW), { ...GOAL, votes: 2, remaining: 1, resetsAt });
    await cast(store, guildId, 3);
    assert.deepEqual(await store.goals.progress(guildId, NOW), { ...GOAL, votes: 5, remaining: 0, resetsAt });
    assert.equal((await store.goals.progress(guildId, resetsAt))?.votes, 0);
    assert.equal(await store.goals.set(guildId, null, NOW), true);
    assert.equal(await store.goals.progress(guildId, NOW), null);
    assert.equal(await store.goals.find(guildId), null);
    assert.equal(await store.goals.set('999', null, NOW), false);
    assert.equal(await store.goals.set('999', GOAL, NOW), false);
  });

  test('concurrent votes at several processes reach a goal once', async () => {
    const { store } = subject;
    const stores = [store, await openStore(subject.database), await openStore(subject.database)];
    const timed = await guildWithGoal(store, { period: 'week', target: 100 });
    const partying = await guildWithGoal(store, { period: 'party', target: 30 });
    const votes = Array.from({ length: 200 }, () => [newVote(timed, NOW), newVote(partying, NOW)]).flat();
    await Promise.all(votes.map((vote, i) => stores[i % stores.length]?.votes.cast(vote)));
    await Promise.all(stores.slice(1).map((other) => other.close()));
    assert.deepEqual(await eventsOf(subject, timed), [reached(100, NOW, { period: 'week', target: 100 })]);
    const parties = await eventsOf(subject, partying);
    assert.deepEqual(
      parties,
      Array.from({ length: 6 }, () => reached(30, NOW, { period: 'party', target: 30 })),
    );
    assert.equal((await store.goals.progress(partying, NOW))?.votes, 20);
  });

  test('concurrent votes at midnight count for their own days', async () => {
    const { store } = subject;
    const guildId = await guildWithGoal(store);
    const midnight = dayOf(NOW) + DAY_MS;
    const votes = Array.from({ length: 8 }, (_, i) => newVote(guildId, midnight - 1 + (i % 2)));
    await Promise.all(votes.map((vote) => store.votes.cast(vote)));
    assert.deepEqual(await eventsOf(subject, guildId), [reached(3, midnight - 1), reached(3, midnight)]);
  });

  test('a goal that has enough votes when it is set is reached in the next period', async () => {
    const { store } = subject;
    const guildId = await guildWithGoal(store, { period: 'day', target: 10 });
    await cast(store, guildId, 5);
    await store.goals.set(guildId, GOAL, NOW);
    await cast(store, guildId, 3);
    assert.deepEqual(await eventsOf(subject, guildId), []);
    await store.goals.set(guildId, { period: 'day', target: 10 }, NOW);
    await cast(store, guildId, 2);
    assert.deepEqual(await eventsOf(subject, guildId), [reached(10, NOW, { period: 'day', target: 10 })]);
    await store.goals.set(guildId, GOAL, NOW);
    const tomorrow = dayOf(NOW) + DAY_MS;
    await cast(store, guildId, 3, tomorrow);
    assert.deepEqual((await eventsOf(subject, guildId))[1], reached(3, tomorrow));
  });

  test('a goal is not reached again after votes are voided, or the goal is removed and set', async () => {
    const { store } = subject;
    const guildId = await guildWithGoal(store);
    const first = newVote(guildId, NOW);
    await store.votes.cast(first);
    await cast(store, guildId, 2);
    const batch = `void_goal_${guildId}`;
    await store.moderation.void(voidOf(guildId, first.userId, batch));
    assert.equal((await store.goals.progress(guildId, NOW))?.votes, 2);
    await store.goals.set(guildId, null, NOW);
    await store.goals.set(guildId, GOAL, NOW);
    await cast(store, guildId, 1);
    await store.moderation.restore(batch, NOW);
    await cast(store, guildId, 1);
    assert.equal((await eventsOf(subject, guildId)).length, 1);
  });

  test('imported votes count, and the next vote reaches the goal', async () => {
    const { store } = subject;
    const guildId = await guildWithGoal(store);
    await importAll(store, ...[1, 2, 3, 4].map(() => newVote(guildId, NOW - HOUR_MS)));
    assert.deepEqual(await eventsOf(subject, guildId), []);
    await cast(store, guildId, 2);
    assert.deepEqual(await eventsOf(subject, guildId), [reached(5)]);
  });

  test('voided votes count for a vote party no more; those of earlier parties change nothing', async () => {
    const { store } = subject;
    const goal: Goal = { period: 'party', target: 3 };
    const guildId = await guildWithGoal(store, goal);
    const progress = async () => (await store.goals.progress(guildId, NOW))?.votes;
    const [earlier, later] = [newVote(guildId, NOW), newVote(guildId, NOW)];
    await store.votes.cast(earlier);
    await cast(store, guildId, 3);
    await store.votes.cast(later);
    assert.equal(await progress(), 2);
    await store.moderation.void(voidOf(guildId, earlier.userId, `void_earlier_${guildId}`));
    assert.equal(await progress(), 2);
    await store.moderation.void(voidOf(guildId, later.userId, `void_later_${guildId}`));
    assert.equal(await progress(), 1);
    await store.moderation.restore(`void_later_${guildId}`, NOW);
    await store.moderation.restore(`void_earlier_${guildId}`, NOW);
    assert.equal(await progress(), 2);
    await cast(store, guildId, 1);
    assert.equal((await eventsOf(subject, guildId)).length, 2);
  });

  test('a changed vote party keeps its votes, unless they are enough already', async () => {
    const { store } = subject;
    const guildId = await guildWithGoal(store, { period: 'party', target: 10 });
    const progress = async () => (await store.goals.progress(guildId, NOW))?.votes;
    await cast(store, guildId, 5);
    await store.goals.set(guildId, { period: 'party', target: 6 }, NOW);
    assert.equal(await progress(), 5);
    await store.goals.set(guildId, { period: 'party', target: 5 }, NOW);
    assert.equal(await progress(), 0);
    await cast(store, guildId, 4);
    assert.deepEqual(await eventsOf(subject, guildId), []);
    await store.goals.set(guildId, GOAL, NOW);
    await store.goals.set(guildId, { period: 'party', target: 5 }, NOW);
    assert.equal(await progress(), 0);
  });

  test('reached goals of old periods are deleted', async () => {
    const { store, query } = subject;
    const guildId = await guildWithGoal(store);
    await cast(store, guildId, 3, NOW - 10 * DAY_MS);
    await cast(store, guildId, 3, NOW);
    const left = () => query(`SELECT starts_at FROM reached_goals WHERE guild_id = '${guildId}'`);
    assert.equal((await left()).length, 2);
    while ((await store.goals.prune(NOW - 5 * DAY_MS, 100)) > 0);
    assert.deepEqual(
      (await left()).map(({ starts_at }) => Number(starts_at)),
      [dayOf(NOW)],
    );
    await store.guilds.remove(guildId);
    assert.deepEqual(await left(), []);
  });
}
