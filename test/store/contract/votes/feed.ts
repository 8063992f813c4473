import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import type { FeedVote } from '../../../../src/store/votes/feed.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

const PAGE = 7;

export function feedContract(subject: Subject): void {
  async function readAll(guildId: string, afterSeq: number, from = 0): Promise<FeedVote[]> {
    const votes: FeedVote[] = [];
    for (;;) {
      const { votes: page } = await subject.store.feed.read(
        guildId,
        votes.at(-1)?.seq ?? afterSeq,
        from,
        PAGE,
      );
      votes.push(...page);
      if (page.length < PAGE) return votes;
    }
  }

  const historyOf = async (guildId: string, seq: number) =>
    (await subject.store.feed.read(guildId, seq, 0, 1)).history;

  test('the feed contains accepted votes in the order of acceptance, and no imported ones', async () => {
    const { store } = subject;
    const [guildId, other] = [await addGuild(store), await addGuild(store)];
    const votes = Array.from({ length: 20 }, (_, i) =>
      voteOf(guildId, { castAt: NOW + i, userId: String(BigInt(USER) + BigInt(i)), externalId: `name ${i}` }),
    );
    const imported = [NOW - 5, NOW + 5].map((castAt) =>
      voteOf(guildId, { castAt, userId: '2000000000000000000' }),
    );
    await importAll(store, ...imported);
    for (const vote of votes) {
      await store.votes.cast(vote);
      assert.equal((await store.votes.cast(vote)).kind, 'cooldown');
      await store.votes.cast({ ...vote, guildId: other });
    }
    const feed = await readAll(guildId, 0);
    const [{ seq: first = 0 } = {}] = feed;
    assert.deepEqual(
      feed,
      votes.map((vote, i) => ({ ...vote, seq: first + i })),
    );
    assert.deepEqual(await readAll(guildId, feed.at(-3)?.seq ?? 0), feed.slice(-2));
  });

  test('a vote that is accepted later comes later in the feed, even if its clock was behind', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const [ahead, behind] = [
      voteOf(guildId, { castAt: NOW + 1 }),
      voteOf(guildId, { userId: OTHER_USER, castAt: NOW }),
    ];
    await store.votes.cast(ahead);
    const { votes: seen } = await store.feed.read(guildId, 0, 0, 10);
    await store.votes.cast(behind);
    const { votes: next } = await store.feed.read(guildId, seen.at(-1)?.seq ?? 0, 0, 10);
    assert.deepEqual(
      next.map(({ userId }) => userId),
      [OTHER_USER],
    );
    // A feed ordered by time would fail here: after the first vote it finds nothing more.
    const period = { from: 0, to: NOW + 10 };
    assert.deepEqual(await store.votes.page({ guildId, userId: null, period }, ahead, 10), []);
  });

  test('heads are the newest numbers of guilds with votes', async () => {
    const { store } = subject;
    const guilds = [await addGuild(store), await addGuild(store), await addGuild(store)];
    const [a = '', b = '', none = ''] = guilds;
    await importAll(store, voteOf(none));
    await store.votes.cast(voteOf(a));
    for (const userId of [USER, OTHER_USER]) await store.votes.cast(voteOf(b, { userId }));
    const newest = async (guildId: string) => (await readAll(guildId, 0)).at(-1)?.seq;
    assert.deepEqual(
      await store.feed.heads([a, none, b, '199999999999999999']),
      new Map([
        [a, await newest(a)],
        [b, await newest(b)],
      ]),
    );
    assert.deepEqual(await store.feed.heads([]), new Map());
  });

  test('a poll finds every vote accepted since the previous one', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const users = [USER, OTHER_USER];
    for (const [accepted, userId] of users.entries()) {
      await store.feed.changedHeads([guildId]);
      await store.votes.cast(voteOf(guildId, { userId }));
      const seq = (await readAll(guildId, 0))[accepted]?.seq;
      assert.deepEqual(await store.feed.changedHeads([guildId]), new Map([[guildId, seq]]));
    }
  });

  test('a feed that starts at an instant misses no vote from then on', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    assert.equal(await store.feed.startAt(guildId, NOW), 0);
    const user = (i: number) => String(BigInt(USER) + BigInt(i));
    // The clocks of two servers differ, also across the start of an hour.
    const times = [-90, -30, -29, -1, 0, 1, -2, 31, 29, 200, 170, 400].map(
      (minutes) => NOW + minutes * 60_000,
    );
    for (const [i, castAt] of times.entries())
      await store.votes.cast(voteOf(guildId, { castAt, userId: user(i) }));
    await importAll(store, voteOf(guildId, { castAt: NOW + 300 * 60_000 }));
    for (const from of [...times, NOW - 2 * HOUR_MS, NOW + 205 * 60_000]) {
      const feed = await readAll(guildId, await store.feed.startAt(guildId, from), from);
      assert.deepEqual(
        feed.map(({ castAt }) => castAt),
        times.filter((castAt) => castAt >= from),
      );
    }
    const end = await store.feed.startAt(guildId, NOW + 500 * 60_000);
    assert.deepEqual(await readAll(guildId, end), []);
    await store.votes.cast(voteOf(guildId, { castAt: NOW + 500 * 60_000, userId: user(99) }));
    assert.equal((await readAll(guildId, end)).length, 1);
  });

  test('the history of a reader names the vote at its position, voided or not, and the last number', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    assert.deepEqual(await historyOf(guildId, 0), { epochs: [0], lastSeq: 0, castAt: null });
    await store.votes.cast(voteOf(guildId, { castAt: NOW }));
    await store.votes.cast(voteOf(guildId, { userId: OTHER_USER, castAt: NOW + 1 }));
    const [first, second] = await readAll(guildId, 0);
    assert.ok(first && second);
    const lastSeq = second.seq;
    assert.deepEqual(await historyOf(guildId, first.seq), { epochs: [0], lastSeq, castAt: NOW });
    const voided = { selection: { userId: OTHER_USER }, period: ALL_TIME, reason: null, voidedAt: NOW };
    await store.moderation.void({ guildId, batch: `history_${guildId}`, ...voided });
    assert.deepEqual(await historyOf(guildId, lastSeq), { epochs: [0], lastSeq, castAt: NOW + 1 });
    assert.equal((await historyOf(guildId, lastSeq + 1)).castAt, null);
  });

  test('numbers given after a new epoch are greater than its time', async () => {
    const { store, run } = subject;
    const [guildId, other] = [await addGuild(store), await addGuild(store)];
    await store.votes.cast(voteOf(guildId));
    const epoch = 1_790_000_000_000;
    await run(`INSERT INTO feed_epochs (epoch) VALUES (${epoch})`);
    try {
      for (const [i, each] of [guildId, other, guildId].entries())
        await store.votes.cast(voteOf(each, { userId: `30000000000000000${i}` }));
      assert.deepEqual(
        (await readAll(guildId, 0)).map(({ seq }) => seq),
        [1, epoch + 1, epoch + 2],
      );
      assert.deepEqual(
        (await readAll(other, 0)).map(({ seq }) => seq),
        [epoch + 1],
      );
      assert.deepEqual((await historyOf(other, 0)).epochs, [0, epoch]);
    } finally {
      await run(`DELETE FROM feed_epochs WHERE epoch = ${epoch}`);
    }
  });
}
