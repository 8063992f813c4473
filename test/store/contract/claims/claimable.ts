import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MINUTE_MS } from '../../../../src/domain/clock.ts';
import { claimWindow } from '../../../../src/domain/votes/vote.ts';
import type { ClaimIdentities } from '../../../../src/store/claims/claims.ts';
import { claimRequest, claimVote } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

const NAMES = ['Steve', 'STEVE', 'Alex'];
const USERS = [USER, OTHER_USER, '200000000000000003'];

export function claimableContract(subject: Subject): void {
  const count = (guildId: string, identities: ClaimIdentities, given = {}) =>
    subject.store.claims.countClaimable({
      ...{
        guildId,
        identities,
        window: claimWindow(NOW, 24),
        oneRewardPerName: true,
        consumer: 'default',
        playerNames: 'exact',
      },
      ...given,
    });

  test('names that no vote can have, and no identities at all, are counted', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await importAll(store, voteOf(guildId, { castAt: NOW - 5, externalId: 'Steve' }));
    const externalIds = ['a\0b', 'Steve', '\ud800', 'x'.repeat(192), '', 'Steve', "'", '{'];
    for (const oneRewardPerName of [true, false])
      assert.deepEqual(await count(guildId, { externalIds }, { oneRewardPerName }), [0, 1, 0, 0, 0, 1, 0, 0]);
    assert.deepEqual(await count(guildId, { externalIds: [] }), []);
    assert.deepEqual(await count(guildId, { userIds: [] }), []);
    assert.deepEqual(await count('999999999999999999', { userIds: [USER] }), [0]);
  });

  test('voided votes are not counted', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await importAll(store, voteOf(guildId, { castAt: NOW - 5, externalId: 'Steve' }));
    const request = { guildId, selection: { userId: USER }, period: ALL_TIME, reason: null, voidedAt: NOW };
    await store.moderation.void({ ...request, batch: `claimable_${guildId}` });
    assert.deepEqual(await count(guildId, { externalIds: ['Steve'] }), [0]);
    assert.deepEqual(await count(guildId, { userIds: [USER] }), [0]);
  });

  test('the counts are those of a claim, for any history of votes and claims', async () => {
    const { store } = subject;
    const vote = fc.record({
      userId: fc.constantFrom(...USERS),
      externalId: fc.constantFrom(null, ...NAMES),
      age: fc.integer({ min: 0, max: 12 * 60 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(vote, { maxLength: 40 }),
        fc.array(fc.constantFrom(...USERS, ...NAMES), { maxLength: 8 }),
        fc.constantFrom(3, 8, 24),
        fc.boolean(),
        async (votes, claims, hours, oneRewardPerName) => {
          const guildId = await addGuild(store);
          await importAll(
            store,
            ...votes.map(({ age, ...given }) => voteOf(guildId, { ...given, castAt: NOW - age * MINUTE_MS })),
          );
          const identityOf = (id: string) => (USERS.includes(id) ? { userId: id } : { externalId: id });
          const given = { window: claimWindow(NOW, hours), oneRewardPerName };
          for (const id of claims) await claimVote(store, guildId, identityOf(id), { oneRewardPerName });
          const expected = async (ids: string[]) => {
            const overviews = ids.map((id) =>
              store.claims.ofIdentity(claimRequest(guildId, identityOf(id), given)),
            );
            return (await Promise.all(overviews)).map(({ claimable }) => claimable);
          };
          assert.deepEqual(await count(guildId, { userIds: USERS }, given), await expected(USERS));
          assert.deepEqual(await count(guildId, { externalIds: NAMES }, given), await expected(NAMES));
        },
      ),
      { numRuns: 25 },
    );
  });
}
