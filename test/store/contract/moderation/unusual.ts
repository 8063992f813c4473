import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import { MARK_BITS } from '../../../../src/domain/votes/marks.ts';
import type { MarkedPosition, MarkedVote } from '../../../../src/store/moderation/unusual.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

const { young_account: YOUNG, busy_network: BUSY } = MARK_BITS;

/** Later than the votes of all other tests, so that these are the newest. */
const LATER = NOW + 900 * DAY_MS;

export function unusualContract(subject: Subject): void {
  test('marked votes of all guilds are listed by time, page by page, of one mark or of all', async () => {
    const { store } = subject;
    const guilds = [await addGuild(store), await addGuild(store)];
    const [a = '', b = ''] = guilds;
    const cast = (guildId: string, castAt: number, marks: number, userId = USER) =>
      store.votes.cast(voteOf(guildId, { castAt, userId }), { marks, network: null });
    await cast(a, LATER, YOUNG);
    await cast(b, LATER, BUSY);
    await cast(b, LATER, YOUNG, OTHER_USER);
    await cast(a, LATER + 1, 0, OTHER_USER);
    await cast(a, LATER + HOUR_MS, YOUNG | BUSY);
    const pages = async (mark: 'young_account' | 'busy_network' | null, limit: number) => {
      const all: MarkedVote[] = [];
      let position: MarkedPosition | null = null;
      do {
        const page = await store.unusual.list(mark, position, limit);
        all.push(...page.votes.filter(({ castAt }) => castAt >= LATER));
        position = page.votes.some(({ castAt }) => castAt < LATER) ? null : page.next;
      } while (position);
      return all.map(({ guildId, userId, castAt, marks }) => [guildId, userId, castAt - LATER, marks.join()]);
    };
    const all = [
      [a, USER, HOUR_MS, 'young_account,busy_network'],
      [b, OTHER_USER, 0, 'young_account'],
      [b, USER, 0, 'busy_network'],
      [a, USER, 0, 'young_account'],
    ];
    assert.deepEqual(await pages(null, 2), all);
    assert.deepEqual(await pages(null, 50), all);
    assert.deepEqual(
      await pages('busy_network', 1),
      all.filter(([, , , marks]) => String(marks).includes('busy')),
    );
  });

  test('the marks of a guild are counted by day, by name and by network', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const network = (hash: string) => ({ hash, maxAccounts: 99, busyFrom: 1 });
    const user = (i: number) => String(BigInt(USER) + BigInt(i));
    const day = NOW - (NOW % DAY_MS);
    for (const [i, hash] of ['one', 'one', 'two'].entries()) {
      const vote = voteOf(guildId, { userId: user(i), castAt: day + i * HOUR_MS, externalId: 'Steve' });
      await store.votes.cast(vote, { marks: i === 0 ? YOUNG : 0, network: network(`summary ${hash}`) });
    }
    await store.votes.cast(voteOf(guildId, { userId: user(5), castAt: day - 1 }), {
      marks: YOUNG,
      network: null,
    });
    await store.votes.cast(voteOf(guildId, { userId: user(6), castAt: day + 1 }));
    const none = { young_account: 0, busy_network: 0, shared_name: 0 };
    const summary = await store.unusual.summarize(guildId, day - DAY_MS);
    assert.deepEqual(summary, {
      days: [
        { ...none, day: day - DAY_MS, young_account: 1 },
        { day, young_account: 1, busy_network: 3, shared_name: 2 },
      ],
      sharedNames: [{ name: 'Steve', votes: 2 }],
      busyNetworks: 2,
    });
    assert.equal((await store.unusual.summarize(guildId, day)).days.length, 1);
    assert.deepEqual(await store.unusual.hourly(guildId, { from: day, to: day + 2 * HOUR_MS }), [
      { hour: day, votes: 2, doubled: 0 },
      { hour: day + HOUR_MS, votes: 1, doubled: 0 },
    ]);
    const nothing = { days: [], sharedNames: [], busyNetworks: 0 };
    assert.deepEqual(await store.unusual.summarize(await addGuild(store), 0), nothing);
  });
}
