import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { voteId } from '../../../src/domain/votes/vote.ts';
import { numericVoteId } from '../../../src/domain/webhooks/topgg.ts';
import { openFixture } from '../fixture.ts';
import { openReceiver, pausesUntilDone, resultOf, SECRET, vote } from './open-receiver.ts';
import { verifyTopggV1 } from './receiver-v1.ts';

describe('an endpoint in the format topgg-v0', () => {
  test('receives a vote with its secret and its name', async () => {
    const fixture = await openFixture();
    const { receiver, guildId } = await openReceiver(fixture, 'topgg-v0', 'a secret');
    const { userId } = await vote(fixture, guildId, { externalId: 'Steve & Élodie' });
    await fixture.worker.runDue();
    const [received] = receiver.received;
    assert.ok(received);
    const { headers, body } = received;
    assert.equal(headers.authorization, 'a secret');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['webhook-signature'], undefined);
    const { query, ...ids } = JSON.parse(body);
    assert.deepEqual(ids, { guild: guildId, user: userId, type: 'upvote' });
    assert.equal(query[0], '?');
    assert.equal(new URLSearchParams(query).get('external_id'), 'Steve & Élodie');
    assert.deepEqual(await resultOf(fixture, guildId), { state: 'delivered', attempts: 1, error: null });
  });

  test('receives a vote without a name without a query', async () => {
    const fixture = await openFixture();
    const { receiver, guildId } = await openReceiver(fixture, 'topgg-v0');
    const { userId } = await vote(fixture, guildId, { externalId: null });
    await fixture.worker.runDue();
    const expected = { guild: guildId, user: userId, type: 'upvote' };
    assert.equal(receiver.received[0]?.body, JSON.stringify(expected));
  });

  test('receives a test as a test', async () => {
    const fixture = await openFixture();
    const { receiver, guildId, endpointId } = await openReceiver(fixture, 'topgg-v0');
    for (const type of [undefined, 'webhook_test', 'vote_available'] as const) {
      const sent = await fixture.endpoints.sendTest(guildId, endpointId, type);
      assert.ok(sent.sent && sent.result.isDelivered);
      assert.deepEqual(JSON.parse(receiver.received.at(-1)?.body ?? ''), {
        guild: guildId,
        user: '200000000000000001',
        type: 'test',
        query: '?external_id=Votary_Test',
      });
    }
  });
});

describe('an endpoint in the format topgg-v1', () => {
  test('receives a signed vote, with the id of the voter as the name', async () => {
    const fixture = await openFixture();
    const { receiver, guildId } = await openReceiver(fixture, 'topgg-v1');
    const cast = await vote(fixture, guildId, { externalId: 'Steve', isDoubled: true });
    const { userId } = cast;
    // The voter signed in, but did not agree to show the name.
    await fixture.store.users.remember({ userId, name: 'Hidden', avatar: 'abc' }, fixture.clock());
    await fixture.worker.runDue();
    const [received] = receiver.received;
    assert.ok(received);
    const payload = verifyTopggV1(received, SECRET, fixture.clock());
    const at = fixture.clock();
    assert.deepEqual(payload, {
      type: 'vote.create',
      data: {
        id: numericVoteId(voteId(cast)),
        weight: 2,
        created_at: new Date(at).toISOString(),
        expires_at: new Date(at + HOUR_MS).toISOString(),
        project: { id: guildId, type: 'server', platform: 'discord', platform_id: guildId },
        query: { external_id: 'Steve' },
        user: {
          id: userId,
          platform_id: userId,
          name: userId,
          avatar_url: `https://cdn.discordapp.com/embed/avatars/${(BigInt(userId) >> 22n) % 6n}.png`,
        },
      },
    });
  });

  test('receives the name and picture of a voter who shows them', async () => {
    const fixture = await openFixture();
    const { receiver, guildId } = await openReceiver(fixture, 'topgg-v1');
    const { userId } = await vote(fixture, guildId);
    await fixture.store.users.remember({ userId, name: 'Élodie', avatar: 'abc' }, fixture.clock());
    await fixture.store.users.setShowName(userId, true);
    await fixture.worker.runDue();
    const [received] = receiver.received;
    assert.ok(received);
    const { user } = verifyTopggV1(received, SECRET, fixture.clock()).data;
    assert.equal(user.name, 'Élodie');
    assert.equal(user.avatar_url, `https://cdn.discordapp.com/avatars/${userId}/abc.png`);
  });

  test('receives a test as webhook.test, which is not a vote', async () => {
    const fixture = await openFixture();
    const { receiver, guildId, endpointId } = await openReceiver(fixture, 'topgg-v1');
    const sent = await fixture.endpoints.sendTest(guildId, endpointId);
    assert.ok(sent.sent && sent.result.isDelivered);
    const [received] = receiver.received;
    assert.ok(received);
    const payload = verifyTopggV1(received, SECRET, fixture.clock());
    assert.deepEqual([payload.type, Object.keys(payload.data).sort()], ['webhook.test', ['project', 'user']]);
  });

  test('is sent the same vote again with a new signature', async () => {
    const fixture = await openFixture();
    const { receiver, guildId } = await openReceiver(fixture, 'topgg-v1');
    receiver.answer = (request, response) => {
      verifyTopggV1(request, SECRET, fixture.clock());
      response.writeHead(receiver.received.length < 3 ? 503 : 204).end();
    };
    await vote(fixture, guildId);
    fixture.clock.advance(10 * MINUTE_MS);
    await pausesUntilDone(fixture, guildId);
    const [first, second, third] = receiver.received;
    assert.equal(first?.body, third?.body);
    assert.equal(first?.headers['x-topgg-trace'], second?.headers['x-topgg-trace']);
    assert.notEqual(first?.headers['x-topgg-signature'], second?.headers['x-topgg-signature']);
  });
});

test('every vote has its own number, which fits into 64 bits', () => {
  const numbers = new Set<string>();
  for (let index = 0; index < 10_000; index += 1) {
    const cast = { guildId: '100000000000000001', userId: '200000000000000001', castAt: index };
    const number = numericVoteId(voteId(cast));
    assert.match(number, /^\d{19}$/);
    assert.ok(BigInt(number) < 2n ** 63n);
    assert.equal(number, numericVoteId(voteId(cast)));
    numbers.add(number);
  }
  assert.equal(numbers.size, 10_000);
});
