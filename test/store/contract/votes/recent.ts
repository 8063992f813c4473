import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  foldExternalId,
  positionOf,
  type Vote,
  type VotePosition,
} from '../../../../src/domain/votes/vote.ts';
import type { Store } from '../../../../src/store/store.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

async function walkBack(
  store: Store,
  guildId: string,
  userId: string | null,
  limit: number,
): Promise<Vote[]> {
  const walked: Vote[] = [];
  let before: VotePosition | null = null;
  while (true) {
    const page = await store.votes.recent(guildId, userId, before, limit);
    assert.ok(page.length <= limit && walked.length < 1000);
    walked.push(...page);
    const last = page.at(-1);
    if (!last) return walked;
    before = positionOf(last);
  }
}

export function recentContract(subject: Subject): void {
  test('recent votes are returned newest first, each once, including votes of the same millisecond', async () => {
    const guildId = await addGuild(subject.store);
    const cast = Array.from({ length: 40 }, (_, i) =>
      voteOf(guildId, {
        castAt: NOW + Math.floor(i / 7),
        userId: String(200_000_000_000_000_000n + BigInt(i)),
      }),
    );
    await importAll(subject.store, ...cast, voteOf(await addGuild(subject.store)));
    for (const limit of [1, 7, 100]) {
      assert.deepEqual(await walkBack(subject.store, guildId, null, limit), cast.toReversed());
    }
  });

  test('recent votes of one user contain only the votes of this user', async () => {
    const guildId = await addGuild(subject.store);
    const own = [1, 2, 3].map((castAt) => voteOf(guildId, { castAt, externalId: `e${castAt}` }));
    const others = [2, 4].map((castAt) => voteOf(guildId, { castAt, userId: OTHER_USER }));
    await importAll(subject.store, ...own, ...others);
    assert.deepEqual(await walkBack(subject.store, guildId, USER, 2), own.toReversed());
    // From just before another user's vote of the same millisecond, on either side of it.
    const page = (userId: string) => subject.store.votes.recent(guildId, USER, { castAt: 2, userId }, 1);
    assert.deepEqual(await page(OTHER_USER), [own[1]]);
    assert.deepEqual(await page(USER), [own[0]]);
  });

  test('votes under a name are found case-insensitively, in both directions', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const own = ['Steve', 'STEVE', 'steve', 'Steve'].map((externalId, i) =>
      voteOf(guildId, { castAt: NOW + (i >> 1), userId: i % 2 === 0 ? USER : OTHER_USER, externalId }),
    );
    await importAll(subject.store, ...own, voteOf(guildId, { castAt: NOW + 9, externalId: 'Steven' }));
    const name = foldExternalId('sTeve');
    assert.deepEqual(await votes.ofName(guildId, name, { before: null }, 9), own.toReversed());
    const [first, second, third] = own;
    assert.ok(first && second && third);
    assert.deepEqual(await votes.ofName(guildId, name, { before: positionOf(third) }, 9), [second, first]);
    assert.deepEqual(await votes.ofName(guildId, name, { after: positionOf(first) }, 2), [second, third]);
    for (const strange of ['', '\0', '\ud800'])
      assert.deepEqual(await votes.ofName(guildId, strange, { before: null }, 9), []);
  });
}
