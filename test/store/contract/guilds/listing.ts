import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import { NO_PROFILE } from '../../../../src/domain/guild.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, listedGuild, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

export function listingContract(subject: Subject): void {
  const find = (guildId: string) => listedGuild(subject.store, guildId);

  test('the listing contains the profile of a guild and its votes of the month and of two weeks', async () => {
    const { store } = subject;
    const guildId = await addGuild(store, 'ÉLAN of Zoë');
    const profile = { ...NO_PROFILE, description: 'Hello', tags: ['pvp', 'zürich'], language: 'fr' as const };
    await store.profiles.set(guildId, profile);
    const hours = [0, 1, 7 * 24 - 1, 7 * 24, 14 * 24 - 1, 14 * 24, 15 * 24];
    await importAll(store, ...hours.map((hour) => voteOf(guildId, { castAt: NOW - hour * HOUR_MS })));
    assert.deepEqual(await find(guildId), {
      guildId,
      name: 'ÉLAN of Zoë',
      folded: 'ELAN OF ZOE',
      icon: null,
      createdAt: NOW,
      votes: 6,
      tags: ['pvp', 'zürich'],
      language: 'fr',
      description: 'Hello',
    });
    const [weeks] = await store.listing.weeks(NOW, String(BigInt(guildId) - 1n), 1);
    assert.deepEqual(weeks, { guildId, week: 3, previousWeek: 2 });
  });

  test('a guild without profile and votes is in the listing', async () => {
    const listed = await find(await addGuild(subject.store));
    const { guildId = '', votes, tags, language, description } = listed ?? {};
    assert.deepEqual([votes, tags, language, description], [0, [], null, '']);
    const weeks = await subject.store.listing.weeks(NOW, String(BigInt(guildId) - 1n), 1);
    assert.deepEqual(weeks, [{ guildId, week: 0, previousWeek: 0 }]);
  });

  test('sanctioned, unlisted and hidden guilds are not in the listing', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { guilds } = store;
    await guilds.setSanction(guildId, { since: NOW, reason: null });
    assert.equal(await find(guildId), undefined);
    await guilds.setSanction(guildId, null);
    await guilds.setUnlisted(guildId, NOW);
    assert.equal(await find(guildId), undefined);
    await guilds.setUnlisted(guildId, null);
    await guilds.setHidden(guildId, NOW);
    assert.equal(await find(guildId), undefined);
    await guilds.setHidden(guildId, null);
    assert.ok(await find(guildId));
  });

  test('reading the listing in parts returns every guild once, by id', async () => {
    const { store } = subject;
    await addGuild(store);
    const whole = (await store.listing.read(NOW, '', 10_000)).map(({ guildId }) => guildId);
    const parts: string[] = [];
    for (let after = ''; ; after = parts.at(-1) ?? '') {
      const part = await store.listing.read(NOW, after, 3);
      if (part.length === 0) break;
      parts.push(...part.map(({ guildId }) => guildId));
    }
    assert.deepEqual(parts, whole);
    assert.deepEqual(whole, whole.toSorted());
  });

  test('the last votes of a user are returned for the requested guilds, within the given time', async () => {
    const { store } = subject;
    const [recent, old, others, elsewhere] = [1, 2, 3, 4].map(() => addGuild(store));
    const [a, b, c, d] = [await recent, await old, await others, await elsewhere].map(String);
    assert.ok(a && b && c && d);
    await store.votes.cast(voteOf(a, { castAt: NOW - HOUR_MS + 1 }));
    await store.votes.cast(voteOf(b, { castAt: NOW - HOUR_MS }));
    await store.votes.cast(voteOf(c, { userId: OTHER_USER }));
    await store.votes.cast(voteOf(d));
    const asked = [a, b, c, '199999999999999999'];
    assert.deepEqual(
      await store.listing.lastVotes(USER, asked, NOW - HOUR_MS),
      new Map([[a, NOW - HOUR_MS + 1]]),
    );
    assert.equal((await store.listing.lastVotes(USER, [], NOW - DAY_MS)).size, 0);
  });
}
