import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { addGuild } from '../../store/fixtures.ts';
import { openFixture } from '../fixture.ts';
import { answerWith } from '../receiver.ts';
import { openReceiver, vote } from './open-receiver.ts';
import { verifyTopggV1 } from './receiver-v1.ts';

describe('a replay to receivers of top.gg, which do not recognize duplicates', () => {
  test('sends what failed, and a delivered vote only when it is named', async () => {
    const fixture = await openFixture();
    const { receiver, guildId, endpointId } = await openReceiver(fixture, 'topgg-v0');
    await vote(fixture, guildId);
    await fixture.worker.runDue();
    fixture.clock.advance(SECOND_MS);
    receiver.answer = answerWith(403);
    await vote(fixture, guildId);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 2);
    receiver.answer = answerWith(204);
    const since = fixture.clock() - HOUR_MS;
    assert.equal((await fixture.endpoints.replay(guildId, { since })).queued, 1);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 3);
    assert.equal((await fixture.endpoints.replay(guildId, { since })).queued, 0);
    const [{ eventId } = { eventId: '' }] = await fixture.log(guildId);
    assert.equal((await fixture.endpoints.replay(guildId, { eventId }, endpointId)).queued, 1);
  });
});

describe('the secret of an endpoint in a format of top.gg', () => {
  test('is generated unless it is given, and can be revealed', async () => {
    const fixture = await openFixture();
    for (const [format, pattern] of [
      ['topgg-v0', /^[\w-]{43}$/],
      ['topgg-v1', /^whs_[0-9a-f]{64}$/],
    ] as const) {
      const { added, guildId, endpointId } = await openReceiver(fixture, format, '');
      assert.match(added.secret ?? '', pattern);
      const revealed = await fixture.endpoints.revealSecret(guildId, endpointId);
      assert.deepEqual(revealed, { shown: true, secret: added.secret });
    }
    const { added } = await openReceiver(fixture, 'topgg-v1', ' given ');
    assert.equal(added.secret, null);
  });

  test('must fit into a header', async () => {
    const { store, endpoints } = await openFixture();
    const guildId = await addGuild(store);
    for (const secret of ['a\nb', 'é', 'a\tb', 'x'.repeat(257), '\u{1f600}', 'a\0']) {
      const input = { kind: 'topgg', url: 'https://8.8.8.8/', events: ['vote_received'], secret } as const;
      const added = await endpoints.addEndpoint(guildId, input, null);
      assert.deepEqual(added, { ok: false, fault: 'bad-secret' });
    }
  });

  test('is replaced at once by a rotation, because a message has one signature', async () => {
    const fixture = await openFixture();
    const { receiver, guildId, endpointId } = await openReceiver(fixture, 'topgg-v1');
    const secret = await fixture.endpoints.rotateSecret(guildId, endpointId, null);
    assert.match(secret ?? '', /^whs_/);
    await vote(fixture, guildId);
    await fixture.worker.runDue();
    const [received] = receiver.received;
    assert.ok(received && secret);
    verifyTopggV1(received, secret, fixture.clock());
    const endpoint = await fixture.store.webhooks.findEndpoint(guildId, endpointId);
    assert.equal(endpoint?.secrets.previous, null);
    const [activity] = await fixture.store.activities.recent(guildId, 1);
    assert.match(JSON.stringify(activity), /secret_replaced/);
  });

  test('is kept by an edit, or replaced by the one that is entered', async () => {
    const fixture = await openFixture();
    const { receiver, guildId, endpointId } = await openReceiver(fixture, 'topgg-v0', 'first');
    await fixture.endpoints.editEndpoint(guildId, endpointId, { name: 'Bot', format: 'topgg-v1' }, null);
    await fixture.endpoints.sendTest(guildId, endpointId);
    await fixture.endpoints.editEndpoint(guildId, endpointId, { secret: 'second' }, null);
    await fixture.endpoints.sendTest(guildId, endpointId);
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers.authorization),
      ['first', 'second'],
    );
  });
});

test('only votes are sent in the formats of top.gg', async () => {
  const { store, endpoints } = await openFixture();
  const guildId = await addGuild(store);
  const all = ['vote_received', 'vote_available', 'reward_granted', 'vote_voided'] as const;
  const input = { kind: 'topgg', url: 'https://8.8.8.8/', events: all } as const;
  const added = await endpoints.addEndpoint(guildId, input, null);
  assert.ok(added.ok);
  assert.deepEqual(added.endpoint.events, ['vote_received']);
  const refused = await endpoints.addEndpoint(guildId, { ...input, events: ['vote_available'] }, null);
  assert.deepEqual(refused, { ok: false, fault: 'no-events' });
});
