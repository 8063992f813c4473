import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ListedVote,
  positionOf,
  type Vote,
  type VotePosition,
} from '../../../../src/domain/votes/vote.ts';
import type { Store } from '../../../../src/store/store.ts';
import type { VoteFilter } from '../../../../src/store/votes/votes.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, importAll, LAST_HOUR, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

async function walk(store: Store, filter: VoteFilter, limit: number): Promise<Vote[]> {
  const walked: Vote[] = [];
  let after: VotePosition | null = null;
  while (true) {
    const page = await store.votes.page(filter, after, limit);
    assert.ok(page.length <= limit);
    const fields = (votes: ListedVote[]) =>
      votes.map(({ userId, castAt, isDoubled }) => ({ userId, castAt, isDoubled: Boolean(isDoubled) }));
    assert.deepEqual(await store.votes.list(filter, after, limit, fields), fields(page));
    assert.ok(walked.length < 1000, 'the walk does not end');
    walked.push(...page);
    const last = page.at(-1);
    if (!last) return walked;
    after = positionOf(last);
  }
}

export function listContract(subject: Subject): void {
  test('the newest vote of a user counts, and only inside the window', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const ages = [LAST_HOUR.after, LAST_HOUR.after + 1, NOW - 5];
    await importAll(subject.store, ...ages.map((castAt) => voteOf(guildId, { castAt })));
    assert.equal((await votes.latestOfUser(guildId, USER, LAST_HOUR))?.castAt, NOW - 5);
    const early = { after: LAST_HOUR.after, until: LAST_HOUR.after + 1 };
    assert.equal((await votes.latestOfUser(guildId, USER, early))?.castAt, LAST_HOUR.after + 1);
    const none = { after: LAST_HOUR.after + 1, until: NOW - 6 };
    assert.equal(await votes.latestOfUser(guildId, USER, none), undefined);
    assert.equal(await votes.latestOfUser(guildId, OTHER_USER, LAST_HOUR), undefined);
  });

  test('the newest vote counts if several users voted under one external id', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const older = voteOf(guildId, { castAt: NOW - 2, externalId: 'shared' });
    const newer = voteOf(guildId, { castAt: NOW - 1, externalId: 'shared', userId: OTHER_USER });
    await importAll(subject.store, newer, older);
    assert.deepEqual(await votes.latestOfExternalId(guildId, 'shared', LAST_HOUR), newer);
    const otherGuild = await addGuild(subject.store);
    assert.equal(await votes.latestOfExternalId(otherGuild, 'shared', LAST_HOUR), undefined);
  });

  test('external ids are compared exactly', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const composed = 'Ren\u00e9';
    await importAll(subject.store, voteOf(guildId, { externalId: composed }));
    const strangers = [
      'ren\u00e9',
      `${composed} `,
      ` ${composed}`,
      'Rene\u0301',
      'Ren',
      `${composed}\0`,
      'Ren\ufffd',
    ];
    for (const stranger of strangers) {
      const found = await votes.latestOfExternalId(guildId, stranger, LAST_HOUR);
      assert.equal(found, undefined, JSON.stringify(stranger));
    }
    assert.equal((await votes.latestOfExternalId(guildId, composed, LAST_HOUR))?.externalId, composed);
  });

  test('an external id that no database can store finds nothing', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    await importAll(subject.store, voteOf(guildId, { externalId: 'a\ufffd' }));
    for (const text of ['\0', 'a\0b', 'a\ud800', 'x'.repeat(10_000), '']) {
      assert.equal(await votes.latestOfExternalId(guildId, text, LAST_HOUR), undefined);
    }
  });

  test('the newest votes of many users or names are returned in the requested order', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const steve = voteOf(guildId, { castAt: NOW - 9, externalId: 'Steve', isDoubled: true });
    const alex = voteOf(guildId, { castAt: NOW - 7, userId: OTHER_USER, externalId: 'Alex' });
    const old = voteOf(guildId, { castAt: LAST_HOUR.after, userId: '200000000000000003', externalId: 'Old' });
    await importAll(subject.store, steve, { ...steve, castAt: NOW - 20 }, alex, old);
    const latest = async (kind: 'userId' | 'externalId', ids: string[]) =>
      (await votes.latestOfMany(guildId, kind, ids, LAST_HOUR)).map((vote) => [
        vote?.castAt,
        vote?.isDoubled,
      ]);
    const none = [undefined, undefined];
    const [ofSteve, ofAlex] = [
      [NOW - 9, true],
      [NOW - 7, false],
    ];
    const users = [OTHER_USER, old.userId, USER, '299999999999999999', OTHER_USER];
    assert.deepEqual(await latest('userId', users), [ofAlex, none, ofSteve, none, ofAlex]);
    const names = ['Steve', 'steve', 'a\0b', 'Alex', '\ud800', 'Old', '', 'Steve'];
    const expected = [ofSteve, none, none, ofAlex, none, none, none, ofSteve];
    assert.deepEqual(await latest('externalId', names), expected);
    assert.deepEqual(await latest('userId', []), []);
    // More votes in the hour than a store caches are found in the same way.
    const crowd = Array.from({ length: 1500 }, (_, i) =>
      voteOf(guildId, { castAt: NOW - 100, userId: `2100000000000${1000 + i}`, externalId: `name ${i}` }),
    );
    await importAll(subject.store, ...crowd);
    assert.deepEqual(await latest('externalId', names), expected);
    const [first, , last] = await latest('userId', ['21000000000001000', 'x', '21000000000002499']);
    assert.deepEqual([first, last], Array(2).fill([NOW - 100, false]));
  });

  test('a period includes its first instant and excludes its last', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const times = [9, 10, 19, 20];
    await importAll(subject.store, ...times.map((castAt) => voteOf(guildId, { castAt })));
    for (const userId of [null, USER]) {
      const filter = { guildId, userId, period: { from: 10, to: 20 } };
      assert.deepEqual(
        (await votes.page(filter, null, 10)).map((vote) => vote.castAt),
        [10, 19],
      );
      assert.equal(await votes.count(filter), 2);
      assert.deepEqual(await votes.page({ ...filter, period: { from: 10, to: 10 } }, null, 10), []);
    }
  });

  test('a page that starts before its period starts with the period', async () => {
    const guildId = await addGuild(subject.store);
    await importAll(subject.store, voteOf(guildId, { castAt: 5 }), voteOf(guildId, { castAt: 15 }));
    const filter = { guildId, userId: null, period: { from: 10, to: 20 } };
    const page = await subject.store.votes.page(filter, { castAt: 1, userId: USER }, 10);
    assert.deepEqual(
      page.map((vote) => vote.castAt),
      [15],
    );
  });

  test('walking pages returns every vote once and in order, even if many votes share a millisecond', async () => {
    const guildId = await addGuild(subject.store);
    const cast = Array.from({ length: 230 }, (_, i) =>
      voteOf(guildId, {
        castAt: NOW + Math.floor(i / 60),
        userId: String(200_000_000_000_000_000n + BigInt(i)),
      }),
    );
    await importAll(subject.store, ...cast.toReversed(), voteOf(await addGuild(subject.store)));
    const filter = { guildId, userId: null, period: ALL_TIME };
    for (const limit of [1, 7, 60, 1000]) assert.deepEqual(await walk(subject.store, filter, limit), cast);
    assert.equal(await subject.store.votes.count(filter), 230);
  });

  test('votes cast during a walk do not make it repeat or skip votes', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const cast = [1, 2, 3, 4].map((castAt) => voteOf(guildId, { castAt }));
    await importAll(subject.store, ...cast);
    const filter = { guildId, userId: null, period: ALL_TIME };
    const first = await votes.page(filter, null, 2);
    await importAll(subject.store, voteOf(guildId, { castAt: 0 }), voteOf(guildId, { castAt: 5 }));
    const rest = await votes.page(filter, { castAt: 2, userId: USER }, 10);
    assert.deepEqual(
      [...first, ...rest].map((vote) => vote.castAt),
      [1, 2, 3, 4, 5],
    );
  });

  test('the list of a user contains only the votes of this user', async () => {
    const guildId = await addGuild(subject.store);
    const own = [10, 20, 30].map((castAt) => voteOf(guildId, { castAt }));
    const others = [10, 15, 30].map((castAt) => voteOf(guildId, { castAt, userId: OTHER_USER }));
    await importAll(subject.store, ...own, ...others);
    const filter = { guildId, userId: USER, period: ALL_TIME };
    assert.deepEqual(await walk(subject.store, filter, 2), own);
    assert.equal(await subject.store.votes.count(filter), 3);
  });

  test('an export streams all votes of the period in order', async () => {
    const guildId = await addGuild(subject.store);
    const cast = Array.from({ length: 2001 }, (_, i) =>
      voteOf(guildId, {
        castAt: Math.floor(i / 3),
        userId: String(200_000_000_000_000_000n + BigInt(i)),
        externalId: `é${i}`,
      }),
    );
    await importAll(subject.store, ...cast);
    const all = await Array.fromAsync(subject.store.votes.export(guildId, ALL_TIME));
    assert.deepEqual(all, cast);
    const some = await Array.fromAsync(subject.store.votes.export(guildId, { from: 1, to: 3 }));
    assert.deepEqual(some, cast.slice(3, 9));
  });
}
