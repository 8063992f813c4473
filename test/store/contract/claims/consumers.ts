import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../../src/domain/clock.ts';
import { MAX_CONSUMERS } from '../../../../src/domain/votes/consumers.ts';
import { claimWindow, voteId } from '../../../../src/domain/votes/vote.ts';
import { claimAll, claimRequest, claimVote, hoursAgo } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';
import { addEndpoint, claim as claimDeliveries } from '../../webhook-fixtures.ts';

const CONSUMERS = ['default', 'bot', 'survival'];
const identity = { userId: USER };
const steve = { externalId: 'Steve' };

/** A vote can be claimed once by each consumer. */
export function consumerContract(subject: Subject): void {
  test('each consumer claims a vote once, and sees only its own claims', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: hoursAgo(1), externalId: 'Steve' });
    await importAll(store, vote);
    for (const [i, consumer] of CONSUMERS.entries()) {
      const given = { consumer, now: NOW + i };
      const query = claimRequest(guildId, identity, given);
      const pending = () => store.claims.pending({ guildId, consumer }, claimWindow(NOW, 24), null, 10);
      assert.deepEqual([(await store.claims.ofIdentity(query)).claimable, (await pending()).length], [1, 1]);
      assert.equal((await claimVote(store, guildId, steve, given)).vote?.claimedAt, NOW + i);
      assert.equal((await claimVote(store, guildId, identity, given)).vote, null);
      const { claimable, claimed, votes } = await store.claims.ofIdentity(query);
      assert.deepEqual([claimable, claimed, votes[0]?.claimedAt], [0, 1, NOW + i]);
      assert.deepEqual(await pending(), []);
      const counts = { ...query, identities: { externalIds: ['Steve', 'Alex'] } };
      assert.deepEqual(await store.claims.countClaimable(counts), [0, 0]);
    }
    const [times] = await store.claims.claimTimes(guildId, [vote]);
    assert.deepEqual(times, { claimedAt: NOW, claims: { bot: NOW + 1, survival: NOW + 2 } });
  });

  test('concurrent claims of several consumers result in one claim for each', async () => {
    const { store } = subject;
    for (let round = 0; round < 5; round += 1) {
      const guildId = await addGuild(store);
      const times = [hoursAgo(4), hoursAgo(3), hoursAgo(2)];
      await importAll(store, ...times.map((castAt) => voteOf(guildId, { castAt, externalId: 'Steve' })));
      const claims = CONSUMERS.flatMap((consumer) =>
        Array.from({ length: 8 }, (_, i) =>
          claimVote(store, guildId, i % 2 ? identity : steve, { consumer }),
        ),
      );
      const claimed = (await Promise.all(claims)).map(({ vote }) => vote?.castAt);
      for (const castAt of times)
        assert.equal(claimed.filter((at) => at === castAt).length, CONSUMERS.length, `round ${round}`);
    }
  });

  test('"one reward per name" holds for each consumer', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const at = (minutes: number) => hoursAgo(5) + minutes * MINUTE_MS;
    await importAll(
      store,
      voteOf(guildId, { userId: USER, castAt: at(0), externalId: 'Steve' }),
      voteOf(guildId, { userId: OTHER_USER, castAt: at(30), externalId: 'Steve' }),
    );
    assert.equal(
      (await claimVote(store, guildId, { userId: OTHER_USER }, { consumer: 'bot' })).vote?.castAt,
      at(30),
    );
    assert.deepEqual(await claimAll(store, guildId, steve, { consumer: 'bot' }), []);
    assert.deepEqual(await claimAll(store, guildId, steve), [at(0)]);
    assert.deepEqual(await claimAll(store, guildId, steve, { consumer: 'survival' }), [at(0)]);
  });

  test('a release makes the vote claimable for its consumer only, and a later claim is another one', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: hoursAgo(1) });
    await importAll(store, vote);
    for (const consumer of CONSUMERS) await claimVote(store, guildId, identity, { consumer });
    const release = (consumer: string, claimedAt: number | null) =>
      store.claims.release({ guildId, consumer, voteId: voteId(vote), claimedAt });
    assert.equal(await release('bot', NOW + 5), false);
    assert.equal(await release('nobody', null), false);
    assert.equal(await release('bot', NOW), true);
    for (const consumer of ['default', 'survival'])
      assert.equal((await claimVote(store, guildId, identity, { consumer })).vote, null);
    // In the same millisecond as the released claim.
    assert.equal((await claimVote(store, guildId, identity, { consumer: 'bot' })).vote?.claimedAt, NOW + 1);
    assert.equal(await release('bot', NOW), false);
    assert.ok((await store.claims.pruneReleases(NOW + HOUR_MS, 10)) > 0);
  });

  test('an Idempotency-Key holds the claim of its consumer', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: hoursAgo(1) });
    await importAll(store, vote);
    const claim = (consumer: string, key: string) =>
      store.claims.claim(
        claimRequest(guildId, identity, { consumer, idempotency: { key, requestHash: consumer } }),
      );
    for (const consumer of CONSUMERS) {
      const results = [await claim(consumer, `key ${consumer}`), await claim(consumer, `key ${consumer}`)];
      const [first, second] = results.map((result) => (result.kind === 'done' ? result : null));
      assert.deepEqual([first?.claimed, second?.replayed, second?.body], [true, true, first?.body]);
    }
    assert.equal((await claim('survival', 'key bot')).kind, 'mismatch');
    await store.claims.release({ guildId, consumer: 'bot', voteId: voteId(vote), claimedAt: null });
    const again = await claim('bot', 'key bot');
    assert.deepEqual(again.kind === 'done' && [again.replayed, again.claimed], [false, true]);
    const others = await claim('survival', 'key survival');
    assert.equal(others.kind === 'done' && others.replayed, true);
  });

  test('each claim causes a reward_granted event of its own, also in the same millisecond', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId, { events: ['reward_granted'] });
    await importAll(store, voteOf(guildId, { castAt: hoursAgo(1) }));
    await Promise.all(CONSUMERS.map((consumer) => claimVote(store, guildId, identity, { consumer })));
    const consumers: string[] = [];
    for (let i = 0; i < CONSUMERS.length; i += 1) {
      const [delivery] = await claimDeliveries(store, guildId);
      consumers.push(JSON.parse(delivery?.body ?? '{}').data?.consumer);
      if (delivery)
        await store.webhooks.finish(
          delivery,
          { at: NOW, status: 200, durationMs: 1, answer: '', error: null },
          { state: 'delivered' },
          'works',
        );
    }
    assert.deepEqual(consumers.sort(), CONSUMERS.toSorted());
  });

  test('a guild has at most ten consumers besides default, however many are added at once', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const names = Array.from({ length: MAX_CONSUMERS + 4 }, (_, i) => `server-${i}`);
    const kinds = await Promise.all(
      names.map(
        async (consumer) => (await store.claims.claim(claimRequest(guildId, identity, { consumer }))).kind,
      ),
    );
    assert.equal(kinds.filter((kind) => kind === 'done').length, MAX_CONSUMERS);
    assert.equal(kinds.filter((kind) => kind === 'too-many-consumers').length, 4);
    assert.equal((await store.claims.claim(claimRequest(guildId, identity))).kind, 'done');
    const listed = await store.consumers.list(guildId);
    assert.equal(listed.length, MAX_CONSUMERS);
    assert.equal(await store.consumers.use(await addGuild(store), 'bot', NOW), true);
  });

  test('a removed consumer makes room for another one and keeps its claims', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await importAll(store, voteOf(guildId, { castAt: hoursAgo(1) }));
    assert.notEqual((await claimVote(store, guildId, identity, { consumer: 'bot' })).vote, null);
    assert.deepEqual(await store.consumers.list(guildId), [{ name: 'bot', createdAt: NOW, lastUsedAt: NOW }]);
    assert.equal(await store.consumers.remove(guildId, 'bot'), true);
    assert.equal(await store.consumers.remove(guildId, 'bot'), false);
    assert.deepEqual(await store.consumers.list(guildId), []);
    const later = NOW + 2 * HOUR_MS;
    const given = { consumer: 'bot', now: later };
    assert.equal((await claimVote(store, guildId, identity, given)).vote, null);
    assert.deepEqual(await store.consumers.list(guildId), [
      { name: 'bot', createdAt: later, lastUsedAt: later },
    ]);
  });

  test('an endpoint that delivers a vote claims it once, and can deliver it again', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: hoursAgo(1), externalId: 'Steve' });
    await importAll(store, vote, voteOf(guildId, { castAt: hoursAgo(3), externalId: 'Steve' }));
    for (const consumer of CONSUMERS) {
      const only = (heldBy: string) => ({ castAt: vote.castAt, userId: vote.userId, heldBy });
      const deliver = (heldBy: string) => claimVote(store, guildId, steve, { consumer, only: only(heldBy) });
      assert.equal((await deliver('one')).vote?.castAt, vote.castAt);
      assert.equal((await deliver('one')).vote?.claimedAt, NOW);
      assert.equal((await deliver('two')).vote, null);
      assert.deepEqual(await claimAll(store, guildId, steve, { consumer }), [hoursAgo(3)]);
    }
  });
}
