/** A vote that is delivered as webhook, Votifier, feed and claim for two consumers is rewarded exactly once for each. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { voteId } from '../../../src/domain/votes/vote.ts';
import type { Store } from '../../../src/store/store.ts';
import { claimVote } from '../../store/claim-fixtures.ts';
import { POSTGRES, SQLITE, voteOf } from '../../store/fixtures.ts';
import { openFixture } from '../fixture.ts';
import { startReceiver } from '../receiver.ts';
import { startVotifierServer } from './votifier-server.ts';

const TOKEN = 'e1b9c7b0token';
const VOTES = 12;

for (const [name, { createMigrated }] of [
  ['SQLite', SQLITE],
  ['PostgreSQL', POSTGRES],
] as const) {
  test(`a vote that reaches two consumers in every way is rewarded once for each, on ${name}`, async () => {
    const fresh = await createMigrated();
    after(() => fresh.drop());
    const fixture = await openFixture({ database: fresh.database });
    const { store, clock } = fixture;
    const [receiver, server] = [await startReceiver(), await startVotifierServer({ token: TOKEN })];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    const votifier = { kind: 'votifier' as const, url: server.address, token: TOKEN, consumer: 'survival' };
    assert.ok(
      (await fixture.endpoints.addEndpoint(guildId, { ...votifier, events: ['vote_received'] }, null)).ok,
    );
    const votes = Array.from({ length: VOTES }, (_, i) =>
      voteOf(guildId, {
        userId: String(330_000_000_000_000_000n + BigInt(i)),
        castAt: clock() - i * MINUTE_MS,
        externalId: `Player${i}`,
      }),
    );
    for (const vote of votes) await store.votes.cast(vote);

    const rewards: string[] = [];
    const reward = (consumer: string) => async (externalId: string | null) => {
      const window = { after: clock() - 24 * HOUR_MS, until: clock() };
      const given = { consumer, window, now: clock() };
      const { vote } = await claimVote(store, guildId, { externalId: externalId ?? '' }, given);
      if (vote) rewards.push(`${voteId(vote)} ${consumer}`);
    };
    const [asBot, asSurvival] = [reward('bot'), reward('survival')];

    await Promise.all([
      fixture.worker.runDue(),
      readFeed(store, guildId, asBot),
      readFeed(store, guildId, asSurvival),
      // Players who join claim as well.
      ...votes.map(({ externalId }) => asSurvival(externalId)),
    ]);
    // The bot receives webhooks, each of them twice.
    const bodies = receiver.received.map(({ body }) => JSON.parse(String(body)));
    await Promise.all([...bodies, ...bodies].map(({ data }) => asBot(data.external_id)));
    for (let i = 0; i < VOTES; i += 1) await fixture.worker.runDue();
    for (const { username } of server.votes) {
      const vote = votes.find(({ externalId }) => externalId === username);
      if (vote) rewards.push(`${voteId(vote)} survival`);
    }

    const expected = votes.flatMap((vote) =>
      ['bot', 'survival'].map((consumer) => `${voteId(vote)} ${consumer}`),
    );
    assert.deepEqual(rewards.sort(), expected.sort());
  });
}

async function readFeed(store: Store, guildId: string, claim: (name: string | null) => Promise<void>) {
  const { votes } = await store.feed.read(guildId, 0, 0, 100);
  for (const { externalId } of votes) await claim(externalId);
}
