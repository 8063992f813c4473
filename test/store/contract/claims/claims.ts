import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { claimWindow, voteId } from '../../../../src/domain/votes/vote.ts';
import { UnknownGuildError } from '../../../../src/store/store.ts';
import { claimAll, claimedAts, claimRequest, claimVote, hoursAgo } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';
import { addEndpoint, claim as claimDeliveries } from '../../webhook-fixtures.ts';

export function claimContract(subject: Subject): void {
  test('a vote is claimed once, either by its user or by its name', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: NOW - 5, externalId: 'Steve', isDoubled: true });
    await store.votes.cast(vote);
    const other = await addGuild(store);
    assert.equal((await claimVote(store, other, { userId: USER })).vote, null);
    assert.equal((await claimVote(store, guildId, { userId: OTHER_USER })).vote, null);
    assert.equal((await claimVote(store, guildId, { externalId: 'steve' })).vote, null);
    const first = await claimVote(store, guildId, { externalId: 'Steve' });
    const totals = { totalVotes: 1, streakDays: 1 };
    assert.deepEqual(first, { vote: { ...vote, claimedAt: NOW, ...totals }, remaining: 0 });
    for (const identity of [{ userId: USER }, { externalId: 'Steve' }, { foldedName: 'STEVE' }])
      assert.deepEqual(await claimVote(store, guildId, identity), { vote: null, remaining: 0 });
  });

  test('the oldest vote is claimed first, and the number of remaining votes is returned', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    for (const hours of [3, 2, 1]) await store.votes.cast(voteOf(guildId, { castAt: hoursAgo(hours) }));
    const outcomes = [];
    for (let i = 0; i < 4; i += 1) outcomes.push(await claimVote(store, guildId, { userId: USER }));
    assert.deepEqual(
      outcomes.map(({ vote, remaining }) => [vote?.castAt, remaining]),
      [
        [hoursAgo(3), 2],
        [hoursAgo(2), 1],
        [hoursAgo(1), 0],
        [undefined, 0],
      ],
    );
  });

  test('only votes inside the window can be claimed, including imported ones', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const window = claimWindow(NOW, 2);
    const times = [window.after, window.after + 1, window.until, window.until + 1];
    await importAll(store, ...times.map((castAt) => voteOf(guildId, { castAt })));
    assert.deepEqual(await claimAll(store, guildId, { userId: USER }, { window }), [times[1], times[2]]);
    const wider = claimWindow(NOW + HOUR_MS, 24);
    assert.deepEqual(await claimAll(store, guildId, { userId: USER }, { window: wider }), [
      times[0],
      times[3],
    ]);
  });

  test('a claim that fails half-way claims nothing', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await store.votes.cast(voteOf(guildId));
    const idempotency = { key: 'half-way', requestHash: 'same' };
    const render = () => {
      throw new Error('half-way');
    };
    const request = claimRequest(guildId, { userId: USER }, { idempotency });
    await assert.rejects(store.claims.claim({ ...request, render }), /half-way/);
    const result = await store.claims.claim(request);
    assert.ok(result.kind === 'done' && result.claimed && !result.replayed);
  });

  test('a claim creates an event for subscribed endpoints, and claiming a released vote creates another one', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: NOW - 5 });
    await store.votes.cast(vote);
    const { endpointId } = await addEndpoint(store, guildId, { events: ['reward_granted'] });
    await addEndpoint(store, guildId, { events: ['vote_received'] });
    await claimVote(store, guildId, { userId: USER });
    await claimVote(store, guildId, { userId: USER });
    const [first, ...others] = await claimDeliveries(store, guildId);
    assert.deepEqual([first?.endpointId, first?.type, others], [endpointId, 'reward_granted', []]);
    assert.deepEqual(JSON.parse(first?.body ?? '').data, {
      vote_id: voteId(vote),
      guild_id: guildId,
      user_id: USER,
      external_id: null,
      vote_timestamp: new Date(NOW - 5).toISOString(),
      is_doubled: false,
      claimed_at: new Date(NOW).toISOString(),
      consumer: 'default',
    });
    assert.equal(
      await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: null }),
      true,
    );
    await claimVote(store, guildId, { userId: USER }, { now: NOW + 1 });
    const [second] = await claimDeliveries(store, guildId, NOW + 1);
    assert.equal(second?.type, 'reward_granted');
    assert.notEqual(second?.eventId, first?.eventId);
  });

  test('a released vote can be claimed again, by either identity', async () => {
    const { store } = subject;
    const [guildId, other] = [await addGuild(store), await addGuild(store)];
    const vote = voteOf(guildId, { castAt: NOW - 5, externalId: 'Alex' });
    await store.votes.cast(vote);
    assert.equal(
      await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: null }),
      false,
    );
    await claimVote(store, guildId, { userId: USER });
    assert.equal(
      await store.claims.release({
        guildId: other,
        consumer: 'default',
        voteId: voteId(vote),
        claimedAt: null,
      }),
      false,
    );
    assert.equal(
      await store.claims.release({
        guildId,
        consumer: 'default',
        voteId: voteId({ ...vote, castAt: NOW }),
        claimedAt: null,
      }),
      false,
    );
    assert.equal(
      await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: null }),
      true,
    );
    assert.equal(
      await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: null }),
      false,
    );
    assert.equal((await claimVote(store, guildId, { externalId: 'Alex' })).vote?.castAt, NOW - 5);
  });

  test('an overview lists claimed and claimable votes in order, and counts more than it lists', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const votes = Array.from({ length: 120 }, (_, i) => voteOf(guildId, { castAt: NOW - 120 + i }));
    await importAll(store, ...votes);
    const query = claimRequest(guildId, { userId: USER });
    for (let i = 0; i < 30; i += 1) await store.claims.claim(query);
    const overview = await store.claims.ofIdentity(query);
    assert.deepEqual([overview.claimable, overview.claimed], [90, 30]);
    const expected = votes.slice(0, 100).map((vote, i) => ({ ...vote, claimedAt: i < 30 ? NOW : null }));
    assert.deepEqual(overview.votes, expected);
    const nobody = await store.claims.ofIdentity({ ...query, identity: { userId: OTHER_USER } });
    assert.deepEqual(nobody, { claimable: 0, claimed: 0, votes: [] });
  });

  test('pending votes are the unclaimed votes of the window, page by page', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const window = claimWindow(NOW, 24);
    const users = [USER, OTHER_USER, '200000000000000003'];
    const votes = [window.after, window.after + 1, hoursAgo(5), NOW, window.until, window.until + 1].flatMap(
      (castAt) => users.map((userId) => voteOf(guildId, { castAt, userId })),
    );
    await importAll(store, ...votes);
    await claimVote(store, guildId, { userId: OTHER_USER });
    const expected = votes
      .slice(3, -3)
      .filter((vote) => vote.userId !== OTHER_USER || vote.castAt !== window.after + 1);
    assert.deepEqual(
      await store.claims.pending({ guildId, consumer: 'default' }, window, null, 100),
      expected,
    );
    const pages = [];
    for (let after = null; ; after = pages.at(-1) ?? null) {
      const page = await store.claims.pending({ guildId, consumer: 'default' }, window, after, 4);
      pages.push(...page);
      if (page.length < 4) break;
    }
    assert.deepEqual(pages, expected);
  });

  test('pending votes are found behind a thousand claimed ones', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const votes = Array.from({ length: 1200 }, (_, i) =>
      voteOf(guildId, { castAt: NOW - 1200 + i, userId: String(BigInt(USER) + BigInt(i)) }),
    );
    await importAll(store, ...votes);
    // Claims of one tick share a transaction.
    for (let i = 0; i < 1100; i += 100)
      await Promise.all(votes.slice(i, i + 100).map(({ userId }) => claimVote(store, guildId, { userId })));
    const window = claimWindow(NOW, 24);
    assert.deepEqual(
      await store.claims.pending({ guildId, consumer: 'default' }, window, null, 50),
      votes.slice(1100, 1150),
    );
    assert.deepEqual(
      await store.claims.pending({ guildId, consumer: 'default' }, window, null, 1000),
      votes.slice(1100),
    );
  });

  test('the claim times of votes are returned in the requested order', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const votes = [3, 2, 1].map((hours) => voteOf(guildId, { castAt: hoursAgo(hours) }));
    await importAll(store, ...votes);
    await claimVote(store, guildId, { userId: USER });
    const [first, second, third] = votes;
    assert.ok(first && second && third);
    assert.deepEqual(await claimedAts(store, guildId, [third, first, second, first]), [null, NOW, null, NOW]);
    assert.deepEqual(await claimedAts(store, guildId, []), []);
    assert.deepEqual(await claimedAts(store, '999999999999999999', [first]), [null]);
  });

  test('a claim is released only if its time matches the given one', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: hoursAgo(1) });
    await importAll(store, vote);
    await claimVote(store, guildId, { userId: USER });
    assert.equal(
      await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: NOW - 1 }),
      false,
    );
    assert.equal(
      await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: NOW }),
      true,
    );
    assert.equal(
      await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: NOW }),
      false,
    );
  });

  test('a repeated release does not release a newer claim, not even one of the same millisecond', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: hoursAgo(1), externalId: 'Steve' });
    await importAll(store, vote);
    const times: number[] = [];
    // The clock of one process may also be behind that of another.
    for (const now of [NOW, NOW, NOW - 5]) {
      const { vote: claimed } = await claimVote(store, guildId, { externalId: 'Steve' }, { now });
      const claimedAt = claimed?.claimedAt ?? 0;
      for (const earlier of times)
        assert.equal(
          await store.claims.release({
            guildId,
            consumer: 'default',
            voteId: voteId(vote),
            claimedAt: earlier,
          }),
          false,
        );
      assert.deepEqual(await claimedAts(store, guildId, [vote]), [claimedAt]);
      assert.equal(
        await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt }),
        true,
      );
      times.push(claimedAt);
    }
    assert.deepEqual(times, [NOW, NOW + 1, NOW + 2]);
    while ((await store.claims.pruneReleases(NOW + 2, 1)) > 0);
    assert.equal(await store.claims.pruneReleases(NOW + 3, 10), 1);
    const { vote: later } = await claimVote(store, guildId, { userId: USER }, { now: NOW - 5 });
    assert.equal(later?.claimedAt, NOW - 5);
  });

  test('nothing can be claimed from an unknown guild, and removing a guild removes its claims', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await store.votes.cast(voteOf(guildId));
    const idempotency = { key: 'removed', requestHash: 'same' };
    const request = claimRequest(guildId, { userId: USER }, { idempotency });
    await store.claims.claim(request);
    await store.guilds.remove(guildId);
    await assert.rejects(store.claims.claim(request), UnknownGuildError);
    assert.equal(
      await store.claims.release({
        guildId,
        consumer: 'default',
        voteId: voteId(voteOf(guildId)),
        claimedAt: null,
      }),
      false,
    );
    await store.guilds.add({ guildId, name: 'Again', createdAt: NOW });
    const result = await store.claims.claim(request);
    assert.ok(result.kind === 'done' && !result.replayed && !result.claimed);
    assert.deepEqual(await store.feed.heads([guildId]), new Map());
  });
}
