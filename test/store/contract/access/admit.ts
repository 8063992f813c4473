import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { openStore } from '../../../../src/store/open.ts';
import type { KeyMemory, RequestLookup } from '../../../../src/store/store.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, LAST_HOUR, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

const LIMIT = { requests: 3, windowMs: 60_000 };

/** The combined lookup must return the same results as the single queries, and be just as fresh. */
export function admitContract(subject: Subject): void {
  admitTests(subject, { name: 'admit', newMemory: () => undefined });
  admitTests(subject, { name: 'admit, with a memory of the key', newMemory: () => ({ found: undefined }) });
}

type Variant = { name: string; newMemory: () => KeyMemory | undefined };

function admitTests(subject: Subject, { name, newMemory }: Variant): void {
  async function guildWithKey(): Promise<{ guildId: string; lookup: RequestLookup }> {
    const guildId = await addGuild(subject.store);
    const keyHash = `admit ${guildId}`;
    await subject.store.guilds.setKey(guildId, { hash: keyHash, sealed: '', createdAt: NOW });
    const rateKeys = { rateKey: `key:${keyHash}`, fallbackRateKey: `ip:${guildId}` };
    const memory = newMemory();
    return { guildId, lookup: { keyHash, ...rateKeys, limit: LIMIT, now: NOW, voteQuery: null, memory } };
  }

  test(`${name}: guild, count and newest vote match the separate queries`, async () => {
    const { store } = subject;
    const { guildId, lookup } = await guildWithKey();
    await importAll(
      store,
      voteOf(guildId, { castAt: NOW - 9, isDoubled: true, externalId: 'Steve' }),
      voteOf(guildId, { castAt: NOW - 7, userId: OTHER_USER, externalId: 'Steve' }),
    );
    const resetsAt = NOW + LIMIT.windowMs;
    const byUser = { ...lookup, voteQuery: { userId: USER, window: LAST_HOUR } };
    const { guild, vote, window } = await store.admit(byUser);
    assert.equal(guild?.guildId, guildId);
    assert.deepEqual(window, { hits: 1, resetsAt });
    assert.deepEqual([vote?.castAt, vote?.isDoubled], [NOW - 9, true]);
    const byName = { ...lookup, voteQuery: { externalId: 'Steve', window: LAST_HOUR } };
    assert.equal((await store.admit(byName)).vote?.castAt, NOW - 7);
    const nothing = await store.admit(lookup);
    assert.deepEqual(nothing, { guild, window: { hits: 3, resetsAt }, vote: undefined });
    assert.equal((await store.rates.hit(lookup.rateKey, LIMIT, NOW)).hits, 4);
  });

  test(`${name}: everything about the guild that the API uses is what is stored`, async () => {
    const { guilds, admit } = subject.store;
    const { guildId, lookup } = await guildWithKey();
    await guilds.rename(guildId, 'Red Sand');
    await guilds.setDoubling(guildId, 'weekends');
    await guilds.setOneRewardPerName(guildId, false);
    await guilds.setPlayerNames(guildId, 'minecraft');
    await guilds.setListforgeConsumer(guildId, 'lobby');
    await guilds.setPremiumUntil(guildId, NOW + 1);
    await guilds.setSanction(guildId, { since: NOW - 2, reason: 'spam' });
    await guilds.setRateLimit(guildId, 7);
    assert.partialDeepStrictEqual((await admit(lookup)).guild, {
      guildId,
      name: 'Red Sand',
      doubling: 'weekends',
      oneRewardPerName: false,
      playerNames: 'minecraft',
      listforgeConsumer: 'lobby',
      premiumUntil: NOW + 1,
      sanction: { since: NOW - 2, reason: 'spam' },
      rateLimit: 7,
    });
  });

  test(`${name}: a changed setting of the guild is seen by the next request`, async () => {
    const { store } = subject;
    const { guildId, lookup } = await guildWithKey();
    assert.equal((await store.admit(lookup)).guild?.oneRewardPerName, true);
    await store.guilds.setOneRewardPerName(guildId, false);
    assert.equal((await store.admit(lookup)).guild?.oneRewardPerName, false);
  });

  test(`${name}: the limit of a guild decides when its key is blocked, and can be raised at once`, async () => {
    const { store } = subject;
    const { guildId, lookup } = await guildWithKey();
    const hits = async () => {
      const { guild, window } = await store.admit(lookup);
      return [guild?.rateLimit, window.hits];
    };
    for (const hit of [1, 2, 3, 4]) assert.deepEqual(await hits(), [null, hit]);
    await store.guilds.setRateLimit(guildId, 6);
    for (const hit of [5, 6, 7]) assert.deepEqual(await hits(), [6, hit]);
    await store.guilds.setRateLimit(guildId, 8);
    assert.deepEqual(await hits(), [8, 8]);
  });

  test(`${name}: an unknown or sanctioned key is counted under the fallback key`, async () => {
    const { store } = subject;
    const { guildId, lookup } = await guildWithKey();
    const unknown = await store.admit({ ...lookup, keyHash: 'no such key', memory: newMemory() });
    assert.deepEqual([unknown.guild, unknown.window.hits], [undefined, 1]);
    await store.guilds.setSanction(guildId, { since: NOW, reason: null });
    const sanctioned = await store.admit(lookup);
    assert.deepEqual([sanctioned.guild?.guildId, sanctioned.window.hits], [guildId, 2]);
    assert.equal((await store.rates.hit(lookup.rateKey, LIMIT, NOW)).hits, 1);
  });

  test(`${name}: a caller over its limit stays there until its window ends`, async () => {
    const { store } = subject;
    const { lookup } = await guildWithKey();
    for (let hit = 1; hit <= LIMIT.requests + 1; hit += 1) {
      assert.equal((await store.admit(lookup)).window.hits, hit);
    }
    assert.ok((await store.admit(lookup)).window.hits > LIMIT.requests);
    assert.equal((await store.admit({ ...lookup, now: NOW + LIMIT.windowMs })).window.hits, 1);
  });

  test(`${name}, many together: each gets its own guild, vote and position in the count`, async () => {
    const { store } = subject;
    const [one, other] = [await guildWithKey(), await guildWithKey()];
    await store.guilds.setSanction(other.guildId, { since: NOW, reason: null });
    await importAll(store, voteOf(one.guildId, { castAt: NOW - 9, externalId: 'Steve' }));
    const lookups: RequestLookup[] = [
      { ...one.lookup, voteQuery: { userId: USER, window: LAST_HOUR } },
      { ...other.lookup, voteQuery: { userId: USER, window: LAST_HOUR } },
      { ...one.lookup, voteQuery: { externalId: 'Steve', window: LAST_HOUR } },
      {
        ...one.lookup,
        keyHash: 'no such key',
        fallbackRateKey: other.lookup.fallbackRateKey,
        memory: newMemory(),
      },
      { ...one.lookup, voteQuery: { userId: OTHER_USER, window: LAST_HOUR } },
    ];
    const admissions = await Promise.all(lookups.map((lookup) => store.admit(lookup)));
    assert.deepEqual(
      admissions.map((given) => [given.guild?.guildId, given.vote?.castAt, given.window.hits]),
      [
        [one.guildId, NOW - 9, 1],
        [other.guildId, undefined, 1],
        [one.guildId, NOW - 9, 2],
        [undefined, undefined, 2],
        [one.guildId, undefined, 3],
      ],
    );
  });

  test(`${name}, many together after their window has ended: a new window starts with all of them`, async () => {
    const { store } = subject;
    const { lookup } = await guildWithKey();
    await store.admit(lookup);
    const now = NOW + LIMIT.windowMs;
    const admissions = await Promise.all([1, 2, 3].map(() => store.admit({ ...lookup, now })));
    const resetsAt = now + LIMIT.windowMs;
    assert.deepEqual(
      admissions.map((given) => given.window),
      [1, 2, 3].map((hits) => ({ hits, resetsAt })),
    );
  });

  test(`${name}, from two programs in opposite orders: all requests get a response and are counted`, async () => {
    const { store, database } = subject;
    const limit = { ...LIMIT, requests: 1000 };
    const guilds = await Promise.all(Array.from({ length: 90 }, guildWithKey));
    const lookups = guilds.map(({ lookup }) => ({ ...lookup, limit }));
    const other = await openStore(database);
    try {
      const otherLookups = lookups.map((lookup) => ({ ...lookup, memory: newMemory() }));
      const rounds = Array.from({ length: 10 }, () => [
        ...lookups.map((lookup) => store.admit(lookup)),
        ...otherLookups.toReversed().map((lookup) => other.admit(lookup)),
      ]);
      assert.ok((await Promise.all(rounds.flat())).every((given) => given.guild));
      // Counters in memory belong to one program.
      const counted = database.kind === 'postgres' ? 20 : 10;
      for (const lookup of lookups) assert.equal((await store.admit(lookup)).window.hits, counted + 1);
    } finally {
      await other.close();
    }
  });

  test(`${name}: a change by this or another program is seen by the next request`, async () => {
    const { store, database } = subject;
    const { guildId, lookup } = await guildWithKey();
    const guild = async () => {
      await nextTick();
      return (await store.admit({ ...lookup, limit: { ...LIMIT, requests: 100 } })).guild;
    };
    const other = await openStore(database);
    try {
      for (const { guilds } of [store, other]) {
        assert.equal((await guild())?.sanction, null);
        await guilds.setSanction(guildId, { since: NOW, reason: null });
        assert.notEqual((await guild())?.sanction, null);
        await guilds.setSanction(guildId, null);
        await guilds.setPremiumUntil(guildId, NOW);
        assert.equal((await guild())?.premiumUntil, NOW);
        await guilds.setKey(guildId, { hash: `new ${guildId}`, sealed: '', createdAt: NOW });
        assert.equal(await guild(), undefined);
        await guilds.setKey(guildId, { hash: lookup.keyHash, sealed: '', createdAt: NOW });
        await guilds.setPremiumUntil(guildId, null);
      }
      await other.guilds.remove(guildId);
      assert.equal(await guild(), undefined);
    } finally {
      await other.close();
    }
  });
}
