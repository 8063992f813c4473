/** However a vote reaches its consumers, each of them rewards it once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { claimVote } from '../../store/claim-fixtures.ts';
import { addGuild, voteOf } from '../../store/fixtures.ts';
import { type Fixture, openFixture } from '../fixture.ts';
import { startVotifierServer } from './votifier-server.ts';

const TOKEN = 'e1b9c7b0token';
const USER = '320000000000000001';

async function openServer(fixture: Fixture, consumer: string) {
  const server = await startVotifierServer({ token: TOKEN });
  const guildId = await addGuild(fixture.store);
  const added = await fixture.endpoints.addEndpoint(
    guildId,
    { kind: 'votifier', url: server.address, token: TOKEN, events: ['vote_received'], consumer },
    null,
  );
  assert.ok(added.ok);
  return { server, guildId, endpointId: added.endpoint.endpointId };
}

const cast = ({ store, clock }: Fixture, guildId: string, userId = USER) =>
  store.votes.cast(voteOf(guildId, { userId, castAt: clock(), externalId: 'Steve' }));

/** The consumer claims through the API. */
const claim = async ({ store, clock }: Fixture, guildId: string, consumer: string) => {
  const now = clock();
  const window = { after: now - 24 * HOUR_MS, until: now };
  const { vote } = await claimVote(store, guildId, { externalId: 'Steve' }, { consumer, now, window });
  return vote !== null;
};

async function stateOf(fixture: Fixture, guildId: string) {
  const [record] = await fixture.log(guildId);
  return [record?.state, record?.lastAttempt?.error];
}

describe('a Votifier endpoint that claims as a consumer', () => {
  for (const consumer of ['default', 'survival']) {
    test(`claims a vote that it delivers (${consumer})`, async () => {
      const fixture = await openFixture();
      const { server, guildId } = await openServer(fixture, consumer);
      await cast(fixture, guildId);
      await fixture.worker.runDue();
      assert.deepEqual(await stateOf(fixture, guildId), ['delivered', null]);
      assert.equal(server.votes.length, 1);
      assert.equal(await claim(fixture, guildId, consumer), false);
      assert.equal(await claim(fixture, guildId, 'bot'), true);
    });

    test(`does not deliver a vote that ${consumer} has claimed`, async () => {
      const fixture = await openFixture();
      const { server, guildId } = await openServer(fixture, consumer);
      await cast(fixture, guildId);
      assert.equal(await claim(fixture, guildId, consumer), true);
      await fixture.worker.runDue();
      assert.deepEqual(await stateOf(fixture, guildId), ['skipped', 'ALREADY_CLAIMED']);
      assert.equal(server.votes.length, 0);
    });
  }

  test('leaves the vote to others while its server is down, and delivers nothing twice', async () => {
    const fixture = await openFixture();
    const { server, guildId } = await openServer(fixture, 'survival');
    await server.stop();
    await cast(fixture, guildId);
    await fixture.worker.runDue();
    assert.equal(await claim(fixture, guildId, 'survival'), true);
    await server.start();
    fixture.clock.advance(HOUR_MS);
    await fixture.worker.runDue();
    assert.deepEqual(
      [server.votes.length, ...(await stateOf(fixture, guildId))],
      [0, 'skipped', 'ALREADY_CLAIMED'],
    );
  });

  test('releases the vote if the server refuses it', async () => {
    const fixture = await openFixture();
    const { server, guildId, endpointId } = await openServer(fixture, 'survival');
    await fixture.endpoints.editEndpoint(guildId, endpointId, { token: 'another-token' }, null);
    await cast(fixture, guildId);
    await fixture.worker.runDue();
    assert.equal((await stateOf(fixture, guildId))[0], 'pending');
    assert.equal(server.votes.length, 0);
    assert.equal(await claim(fixture, guildId, 'survival'), true);
  });

  test('keeps the vote if the response is lost, and can send it again on request', async () => {
    const fixture = await openFixture();
    const { server, guildId, endpointId } = await openServer(fixture, 'survival');
    server.behave = 'drop-answer';
    await cast(fixture, guildId);
    await fixture.worker.runDue();
    assert.deepEqual(await stateOf(fixture, guildId), ['uncertain', 'ANSWER_LOST']);
    assert.equal(await claim(fixture, guildId, 'survival'), false);
    server.behave = 'answer';
    const [record] = await fixture.log(guildId);
    await fixture.endpoints.replay(guildId, { eventId: record?.eventId ?? '' }, endpointId);
    await fixture.worker.runDue();
    assert.deepEqual(await stateOf(fixture, guildId), ['delivered', null]);
  });

  test('obeys one reward per name, and does not deliver a voided vote', async () => {
    const fixture = await openFixture();
    const { server, guildId } = await openServer(fixture, 'survival');
    await cast(fixture, guildId);
    fixture.clock.advance(HOUR_MS / 2);
    await cast(fixture, guildId, '320000000000000002');
    for (let i = 0; i < 2; i += 1) await fixture.worker.runDue();
    assert.equal(server.votes.length, 1);
    fixture.clock.advance(2 * HOUR_MS);
    await cast(fixture, guildId);
    const period = { from: fixture.clock(), to: fixture.clock() + 1 };
    const batch = { guildId, batch: `void_${guildId}`, voidedAt: fixture.clock(), reason: null };
    await fixture.store.moderation.void({ ...batch, selection: { userId: USER }, period });
    await fixture.worker.runDue();
    assert.equal(server.votes.length, 1);
  });

  test('does not claim for a test, and has a valid consumer', async () => {
    const fixture = await openFixture();
    const { server, guildId, endpointId } = await openServer(fixture, 'survival');
    assert.equal((await fixture.endpoints.sendTest(guildId, endpointId)).sent, true);
    assert.equal(server.votes.length, 1);
    assert.deepEqual(await fixture.store.consumers.list(guildId), []);
    const edit = (consumer: string) =>
      fixture.endpoints.editEndpoint(guildId, endpointId, { consumer }, null);
    const bad = await edit('Not a name');
    assert.deepEqual(bad, { ok: false, fault: 'bad-consumer' });
    const none = await edit('');
    assert.equal(
      none.ok && none.endpoint.destination.kind === 'votifier' && none.endpoint.destination.consumer,
      null,
    );
  });
});
