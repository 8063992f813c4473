import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import { MARK_BITS } from '../../../../src/domain/votes/marks.ts';
import { networkPeriod, oldestKeptNetwork } from '../../../../src/domain/votes/networks.ts';
import { currentMonth } from '../../../../src/domain/votes/period.ts';
import type { VoidSelection } from '../../../../src/domain/votes/voids.ts';
import { type Vote, voteId } from '../../../../src/domain/votes/vote.ts';
import { VOID_CHUNK, type VoidRequest } from '../../../../src/store/moderation/voiding.ts';
import { openStore } from '../../../../src/store/open.ts';
import { type Store, UnknownGuildError } from '../../../../src/store/store.ts';
import { claimAll, claimVote } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import {
  ALL_TIME,
  addGuild,
  importAll,
  LAST_HOUR,
  listedGuild,
  NOW,
  OTHER_USER,
  USER,
  voteOf,
  votesOf,
} from '../../fixtures.ts';
import { addEndpoint, claim as claimDeliveries } from '../../webhook-fixtures.ts';

let batchesMade = 0;

function request(guildId: string, selection: VoidSelection, given: Partial<VoidRequest> = {}): VoidRequest {
  batchesMade += 1;
  const batch = `void_${batchesMade}_${guildId}`;
  return { guildId, selection, period: ALL_TIME, batch, reason: null, voidedAt: NOW, ...given };
}

/** Everything a reader of the guild can see, in one object to compare. */
async function everything(store: Store, guildId: string) {
  const filter = { guildId, userId: null, period: ALL_TIME };
  return {
    votes: await votesOf(store, guildId),
    listed: await store.votes.list(filter, null, 1000, (votes) => votes),
    recent: await store.votes.recent(guildId, null, null, 1000),
    count: await store.votes.count(filter),
    countOfUser: await store.votes.count({ ...filter, userId: USER }),
    month: await store.votes.countInMonth(guildId, currentMonth(NOW).from),
    daily: await store.votes.daily(guildId, ALL_TIME),
    top: await store.votes.topVoters(guildId, ALL_TIME, 10),
    listing: (await listedGuild(store, guildId))?.votes,
    byUser: await store.votes.latestOfUser(guildId, USER, LAST_HOUR),
    byName: await store.votes.latestOfExternalId(guildId, 'Steve', LAST_HOUR),
    many: await store.votes.latestOfMany(guildId, 'userId', [USER, OTHER_USER], LAST_HOUR),
    feed: (await store.feed.read(guildId, 0, 0, 1000)).votes,
    feedStart: (
      await store.feed.read(guildId, await store.feed.startAt(guildId, NOW - HOUR_MS), NOW - HOUR_MS, 1000)
    ).votes,
    pending: await store.claims.pending(
      { guildId, consumer: 'default' },
      { after: 0, until: NOW + 1 },
      null,
      1000,
    ),
  };
}

async function cast(store: Store, ...votes: Vote[]): Promise<void> {
  for (const vote of votes) assert.equal((await store.votes.cast(vote)).kind, 'accepted');
}

export function voidingContract(subject: Subject): void {
  test('a voided vote is in no list, total, check, listing, claim or feed', async () => {
    const { store } = subject;
    const [guildId, bare] = [await addGuild(store), await addGuild(store)];
    const kept = voteOf(guildId, { userId: OTHER_USER, castAt: NOW - 10, externalId: 'Alex' });
    const votes = [NOW - 2 * DAY_MS, NOW - 40 * DAY_MS, NOW - 20].map((castAt) =>
      voteOf(guildId, { castAt, externalId: 'Steve', isDoubled: true }),
    );
    await importAll(store, ...votes.slice(0, 2));
    await cast(store, votes[2] ?? kept, kept);
    await cast(store, { ...kept, guildId: bare });
    const before = await everything(store, guildId);
    assert.equal(before.count, 4);
    const voided = request(guildId, { userId: USER });
    assert.equal(await store.moderation.countVoidable(voided), 3);
    assert.equal(await store.moderation.void(voided), 3);
    const after = await everything(store, guildId);
    const expected = await everything(store, bare);
    const anywhere = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(bare, guildId));
    const withoutNumbers = ({ feed, feedStart, ...rest }: typeof after) => ({
      ...rest,
      feed: feed.map(({ castAt, userId }) => [castAt, userId]),
      feedStart: feedStart.map(({ castAt, userId }) => [castAt, userId]),
    });
    assert.deepEqual(anywhere(withoutNumbers(after)), anywhere(withoutNumbers(expected)));
    assert.equal(await store.moderation.countVoidable(voided), 0);
    assert.equal(await store.moderation.restore(voided.batch, NOW), 3);
    assert.deepEqual(await everything(store, guildId), before);
  });

  test('only votes of the selection and the period are voided, and names are compared exactly', async () => {
    const { store } = subject;
    const [guildId, other] = [await addGuild(store), await addGuild(store)];
    const vote = (name: string, castAt: number) => voteOf(guildId, { castAt, externalId: name });
    const votes = [
      vote('Steve', NOW - 3),
      vote('Steve', NOW - 2),
      vote('steve', NOW - 2 - HOUR_MS),
      vote('Steve', NOW - 1),
    ];
    await importAll(store, ...votes, voteOf(other, { externalId: 'Steve', castAt: NOW - 2 }));
    const period = { from: NOW - 3, to: NOW - 1 };
    const selection = { externalId: 'Steve' };
    assert.equal(await store.moderation.void(request(guildId, selection, { period })), 2);
    assert.deepEqual(await votesOf(store, guildId), [votes[2], votes[3]]);
    assert.equal((await votesOf(store, other)).length, 1);
    assert.equal(await store.moderation.void(request(guildId, { externalId: 'a\0b' })), 0);
    assert.equal(await store.moderation.void(request(guildId, { userId: OTHER_USER })), 0);
  });

  test('votes can be voided by mark or by network, and are restored with both', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const network = { hash: `${networkPeriod(NOW)}.farm`, maxAccounts: 99, busyFrom: 99 };
    const votes = [USER, OTHER_USER].map((userId) => voteOf(guildId, { userId }));
    const [young, old] = votes;
    assert.ok(young && old);
    await store.votes.cast(young, { marks: MARK_BITS.young_account, network });
    await store.votes.cast(old, { marks: 0, network });
    const third = voteOf(guildId, { userId: '200000000000000009' });
    await store.votes.cast(third);
    const byMark = request(guildId, { mark: 'young_account' });
    const byNetwork = request(guildId, { network: network.hash });
    for (let round = 0; round < 2; round += 1) {
      assert.equal(await store.moderation.networkOf(guildId, young), network.hash);
      assert.equal(await store.moderation.void({ ...byMark, batch: `${byMark.batch}${round}` }), 1);
      assert.deepEqual(await votesOf(store, guildId), [old, third]);
      assert.equal(await store.moderation.networkOf(guildId, young), null);
      await store.moderation.restore(`${byMark.batch}${round}`, NOW);
    }
    assert.equal(await store.moderation.countVoidable(byNetwork), 2);
    assert.equal(await store.moderation.void(byNetwork), 2);
    assert.deepEqual(await votesOf(store, guildId), [third]);
    assert.equal(await store.moderation.void(request(guildId, { mark: 'shared_name' })), 0);
    assert.equal(await store.moderation.pruneNetworks(oldestKeptNetwork(NOW), 10), 0);
    assert.equal(await store.moderation.pruneNetworks(oldestKeptNetwork(NOW + 31 * DAY_MS), 10), 2);
    await store.moderation.restore(byNetwork.batch, NOW);
    assert.equal(await store.moderation.networkOf(guildId, old), null);
  });

  test('a voided vote still prevents its user from voting for the rest of the hour', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await cast(store, voteOf(guildId, { castAt: NOW }));
    await store.moderation.void(request(guildId, { userId: USER }));
    const again = await store.votes.cast(voteOf(guildId, { castAt: NOW + HOUR_MS - 1 }));
    assert.deepEqual(again, { kind: 'cooldown', lastVoteAt: NOW });
    await cast(store, voteOf(guildId, { castAt: NOW + HOUR_MS }));
  });

  test('a voided vote stays claimed: its name is not rewarded twice, and neither is a restored vote', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await cast(store, voteOf(guildId, { castAt: NOW - 2, externalId: 'Steve' }));
    const claimed = await claimVote(store, guildId, { externalId: 'Steve' });
    assert.equal(claimed.vote?.castAt, NOW - 2);
    const voided = request(guildId, { userId: USER });
    await store.moderation.void(voided);
    await cast(store, voteOf(guildId, { userId: OTHER_USER, castAt: NOW - 1, externalId: 'Steve' }));
    assert.deepEqual(await claimAll(store, guildId, { externalId: 'Steve' }), []);
    await store.moderation.restore(voided.batch, NOW);
    assert.deepEqual(await claimAll(store, guildId, { userId: USER }), []);
    assert.equal(
      await store.claims.release({
        guildId,
        consumer: 'default',
        voteId: voteId(voteOf(guildId, { castAt: NOW - 2 })),
        claimedAt: null,
      }),
      true,
    );
    assert.deepEqual(await claimAll(store, guildId, { userId: USER }), [NOW - 2]);
  });

  test('subscribed endpoints get one event for each voided vote, and none when it is restored', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const votes = [1, 2].map((i) => voteOf(guildId, { castAt: NOW - i * HOUR_MS, externalId: `Name ${i}` }));
    await importAll(store, ...votes);
    const { endpointId } = await addEndpoint(store, guildId, { events: ['vote_voided'] });
    await addEndpoint(store, guildId, { events: ['vote_received'] });
    const voided = request(guildId, { userId: USER }, { reason: 'a farm' });
    await store.moderation.void(voided);
    // One at a time for each endpoint.
    const deliveries = [
      ...(await claimDeliveries(store, guildId)),
      ...(await claimDeliveries(store, guildId)),
    ];
    assert.deepEqual(new Set(deliveries.map((delivery) => delivery.endpointId)), new Set([endpointId]));
    const data = deliveries.map(({ body }) => JSON.parse(body).data);
    assert.deepEqual(
      data.map(({ vote_id, reason, batch }) => [vote_id, reason, batch]).sort(),
      votes.map((vote) => [voteId(vote), 'a farm', voided.batch]).sort(),
    );
    await store.moderation.restore(voided.batch, NOW);
    assert.equal((await claimDeliveries(store, guildId)).length, 0);
  });

  test('a batch is stored with its reason and size, and can be restored once', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await importAll(store, voteOf(guildId));
    const voided = request(guildId, { userId: USER }, { reason: 'why' });
    await store.moderation.void(voided);
    const recorded = {
      guildId,
      batch: voided.batch,
      reason: 'why',
      voidedAt: NOW,
      votes: 1,
      restoredAt: null,
    };
    assert.deepEqual(await store.moderation.findBatch(voided.batch), recorded);
    assert.equal(await store.moderation.restore(voided.batch, NOW + 1), 1);
    assert.equal(await store.moderation.restore(voided.batch, NOW + 2), 0);
    assert.deepEqual(await store.moderation.findBatch(voided.batch), { ...recorded, restoredAt: NOW + 1 });
    assert.equal(await store.moderation.restore('void_unknown', NOW), undefined);
    assert.equal((await votesOf(store, guildId)).length, 1);
  });

  test('importing a voided vote again does not restore it', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await importAll(store, voteOf(guildId));
    await store.moderation.void(request(guildId, { userId: USER }));
    await importAll(store, voteOf(guildId), voteOf(guildId, { castAt: NOW - 1 }));
    assert.deepEqual(await votesOf(store, guildId), [voteOf(guildId, { castAt: NOW - 1 })]);
  });

  test('a batch of several chunks is voided and restored completely, while others vote', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const number = VOID_CHUNK + 10;
    const votes = Array.from({ length: number }, (_, i) => voteOf(guildId, { castAt: NOW - i * 60_000 }));
    await importAll(store, ...votes);
    const voided = request(guildId, { userId: USER });
    const newcomers = Array.from({ length: 20 }, (_, i) =>
      voteOf(guildId, { castAt: NOW, userId: String(BigInt(OTHER_USER) + BigInt(i)) }),
    );
    const [total] = await Promise.all([
      store.moderation.void(voided),
      ...newcomers.map((vote) => store.votes.cast(vote)),
    ]);
    assert.equal(total, number);
    assert.equal((await store.moderation.findBatch(voided.batch))?.votes, number);
    const filter = { guildId, userId: null, period: ALL_TIME };
    assert.equal(await store.votes.count(filter), newcomers.length);
    assert.equal(await store.moderation.restore(voided.batch, NOW), number);
    assert.equal(await store.votes.count(filter), number + newcomers.length);
  });

  test('voiding by another process is seen immediately', async () => {
    const { store, database } = subject;
    const guildId = await addGuild(store);
    await cast(store, voteOf(guildId, { castAt: NOW - 1 }));
    assert.ok(await store.votes.latestOfUser(guildId, USER, LAST_HOUR));
    const elsewhere = await openStore(database);
    const voided = request(guildId, { userId: USER });
    await elsewhere.moderation.void(voided);
    assert.equal(await store.votes.latestOfUser(guildId, USER, LAST_HOUR), undefined);
    await elsewhere.moderation.restore(voided.batch, NOW);
    await elsewhere.close();
    assert.ok(await store.votes.latestOfUser(guildId, USER, LAST_HOUR));
  });

  test('an unknown guild has nothing to void, and removing a guild removes its batches', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await importAll(store, voteOf(guildId));
    const voided = request(guildId, { userId: USER });
    await store.moderation.void(voided);
    await store.guilds.remove(guildId);
    assert.equal(await store.moderation.findBatch(voided.batch), undefined);
    await assert.rejects(store.moderation.void(request(guildId, { userId: USER })), UnknownGuildError);
  });
}
