import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import type { ClaimIdentity } from '../../../../src/domain/votes/vote.ts';
import { claimRequest } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, USER, voteOf } from '../../fixtures.ts';
import { runInProcesses } from '../../processes.ts';

const user = { userId: USER };
const EITHER: ClaimIdentity[] = [user, { externalId: 'Steve' }, { foldedName: 'STEVE' }];

export function claimProcessContract(subject: Subject): void {
  async function addVotes(count: number): Promise<string> {
    const guildId = await addGuild(subject.store);
    for (let i = count; i > 0; i -= 1)
      await subject.store.votes.cast(voteOf(guildId, { castAt: NOW - i * HOUR_MS, externalId: 'Steve' }));
    return guildId;
  }

  test('concurrent claims from four processes claim each vote once, and one vote per key', async () => {
    const { store, database } = subject;
    const [one, several, keyed] = [await addVotes(1), await addVotes(6), await addVotes(6)];
    const claims = [
      { guildId: one, identities: EITHER, key: null },
      { guildId: several, identities: EITHER, key: null },
      { guildId: keyed, identities: [user], key: 'one key' },
    ];
    const task = { kind: 'claim' as const, database, claims, now: NOW, times: 15 };
    const claimed = await runInProcesses(task, task, task, task);
    assert.equal(
      claimed.reduce((sum, count) => sum + count),
      1 + 6 + 1,
    );
    const guilds = [one, several, keyed].map((guildId) =>
      store.claims.ofIdentity(claimRequest(guildId, user)),
    );
    assert.deepEqual(
      (await Promise.all(guilds)).map((overview) => overview.claimed),
      [1, 6, 1],
    );
  });
}
