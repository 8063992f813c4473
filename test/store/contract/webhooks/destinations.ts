import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, OTHER_USER, voteOf } from '../../fixtures.ts';
import { ANSWERED, addEndpoint, claim, claimOne, countReplayed, REFUSED } from '../../webhook-fixtures.ts';

const VOTIFIER = {
  destination: { kind: 'votifier', serviceName: 'votes.example.org', consumer: null },
  url: 'votifier://mc.example.org:8192',
} as const;

const CHANNEL = {
  destination: { kind: 'discord', language: 'fr', templates: { vote_received: '{user} « vote »\n{link}' } },
  url: 'https://discord.com/api/webhooks/400000000000000001',
} as const;

const TOPGG = {
  destination: { kind: 'topgg', format: 'topgg-v0' },
  url: 'https://bot.example.org/dblwebhook',
} as const;

export function webhookDestinationContract(subject: Subject): void {
  test('an endpoint is stored with its kind and settings', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const added = [
      await addEndpoint(store, guildId),
      await addEndpoint(store, guildId, VOTIFIER),
      await addEndpoint(store, guildId, CHANNEL),
      await addEndpoint(store, guildId, TOPGG),
    ];
    const found = await store.webhooks.listEndpoints(guildId);
    assert.deepEqual(
      found.map(({ destination, url }) => ({ destination, url })),
      added.map(({ destination, url }) => ({ destination, url })),
    );
    await store.votes.cast(voteOf(guildId));
    const claimed = await claim(store, guildId);
    assert.deepEqual(claimed.map(({ endpoint }) => endpoint.destination.kind).sort(), [
      'discord',
      'https',
      'topgg',
      'votifier',
    ]);
    const log = await store.webhooks.deliveries(guildId, NOW, 10);
    assert.deepEqual(log.map(({ kind }) => kind).sort(), ['discord', 'https', 'https', 'votifier']);
  });

  test('an edit replaces the secret only if a new one is given, which resets the failures', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId, CHANNEL);
    await store.votes.cast(voteOf(guildId));
    const retry = { state: 'pending', nextAttemptAt: NOW + 5000 } as const;
    await store.webhooks.finish(await claimOne(store, guildId), REFUSED, retry, 'fails');
    const find = () => store.webhooks.findEndpoint(guildId, endpointId);
    const destination = { ...CHANNEL.destination, language: 'en', templates: {} } as const;
    const settings = { ...CHANNEL, destination, name: 'News', events: ['vote_received' as const] };
    await store.webhooks.updateEndpoint(guildId, endpointId, settings);
    const renamed = await find();
    assert.deepEqual(renamed?.destination, destination);
    assert.deepEqual([renamed?.secrets.current, renamed?.failingSince], ['sealed', NOW]);
    await store.webhooks.updateEndpoint(guildId, endpointId, { ...settings, secret: 'sealed anew' });
    const replaced = await find();
    assert.deepEqual([replaced?.secrets.current, replaced?.failingSince], ['sealed anew', null]);
  });

  test('a delivery that was marked as sent is never claimed again, and can only be finished by its holder', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId, VOTIFIER);
    await store.votes.cast(voteOf(guildId));
    const held = await claimOne(store, guildId);
    assert.equal(await store.webhooks.markSent({ ...held, claimedUntil: held.claimedUntil + 1 }), false);
    assert.equal(await store.webhooks.markSent(held), true);
    assert.deepEqual(await claim(store, guildId, NOW + HOUR_MS), []);
    // It cannot be replayed while it is being sent, not even on request.
    const { eventId } = held;
    const request = { guildId, which: { eventId }, endpointId };
    assert.equal(await countReplayed(store, { ...request, now: NOW + 1 }), 0);
    assert.equal(await store.webhooks.finish(held, ANSWERED, { state: 'delivered' }, 'works'), true);
    const [record] = await store.webhooks.deliveries(guildId, NOW, 10);
    assert.equal(record?.state, 'delivered');
  });

  test('a delivery that was marked but not sent is due again when it is released', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId, VOTIFIER);
    await store.votes.cast(voteOf(guildId));
    const held = await claimOne(store, guildId);
    await store.webhooks.markSent(held);
    await store.webhooks.release(held, NOW + 5);
    assert.deepEqual(await claim(store, guildId, NOW + 4), []);
    assert.equal((await claimOne(store, guildId, NOW + 5)).tries, 0);
  });

  test('an uncertain delivery is replayed only if both its event and its endpoint are given', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId, VOTIFIER);
    await store.votes.cast(voteOf(guildId));
    const held = await claimOne(store, guildId);
    const { eventId } = held;
    await store.webhooks.markSent(held);
    // The process ended here, and its claim expired.
    const now = NOW + HOUR_MS;
    const [record] = await store.webhooks.deliveries(guildId, now, 10);
    assert.deepEqual([record?.state, record?.attempts, record?.nextAttemptAt], ['uncertain', 0, null]);
    const replay = (which: { eventId: string } | { since: number }, only: string | null) =>
      countReplayed(store, { guildId, which, endpointId: only, now });
    assert.equal(await replay({ since: NOW }, null), 0);
    assert.equal(await replay({ since: NOW }, endpointId), 0);
    assert.equal(await replay({ eventId }, null), 0);
    assert.equal(await replay({ eventId }, endpointId), 1);
    assert.equal((await claimOne(store, guildId, now)).eventId, eventId);
  });

  for (const [name, target] of [
    ['a channel', CHANNEL],
    ['a receiver in a top.gg format', TOPGG],
  ] as const)
    test(`a replay sends ${name} failed or skipped events, and not those it received`, async () => {
      const { store } = subject;
      const guildId = await addGuild(store);
      await addEndpoint(store, guildId, target);
      const hook = await addEndpoint(store, guildId);
      const outcomes = ['delivered', 'failed', 'skipped', 'uncertain'] as const;
      for (const [index, state] of outcomes.entries()) {
        const castAt = NOW + index;
        await store.votes.cast(voteOf(guildId, { userId: OTHER_USER.slice(0, -1) + index, castAt }));
        for (const delivery of await claim(store, guildId, castAt)) {
          await store.webhooks.finish(delivery, ANSWERED, { state }, 'unknown');
        }
      }
      const request = { guildId, which: { since: NOW }, endpointId: null, now: NOW + 10 };
      assert.equal(await countReplayed(store, request), outcomes.length + 2);
      const log = await store.webhooks.deliveries(guildId, NOW + 10, 100);
      const kept = log.filter(
        ({ endpointId, state }) => endpointId !== hook.endpointId && state !== 'pending',
      );
      assert.deepEqual(kept.map(({ state }) => state).sort(), ['delivered', 'uncertain']);
    });
}
