import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MINUTE_MS } from '../../../../src/domain/clock.ts';
import { PLAYER_NAME_RULES } from '../../../../src/domain/votes/player-names.ts';
import { claimWindow } from '../../../../src/domain/votes/vote.ts';
import { claimAll, claimRequest, claimVote, hoursAgo } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

const NAMES = ['Steve', 'STEVE', '.Steve', '*steve', '--Steve', '-Steve', '.', 'Alex'];

/** How the names of players are compared. */
export function playerNameContract(subject: Subject): void {
  test('the rule of the guild decides which names can claim a vote', async () => {
    const { store } = subject;
    const expected: [string, string, boolean[]][] = [
      // The name of the vote, the name of the claim, and whether it is found: exact, ignore-case, minecraft.
      ['Steve', 'Steve', [true, true, true]],
      ['Steve', 'sTEVE', [false, true, true]],
      ['.Steve', 'Steve', [false, false, true]],
      ['Steve', '.steve', [false, false, true]],
      ['.Steve', '*STEVE', [false, false, true]],
      ['_Steve', 'Steve', [false, false, false]],
      ['--Steve', 'Steve', [false, false, false]],
      ['--Steve', '-Steve', [false, false, false]],
      ['.', '.', [true, true, true]],
    ];
    // Names of their own for each line, so that they share a guild.
    const lines = expected.map(([voted, claimed, found], i) => ({
      voted: voted.replace(/(?<=steve)/i, `${i}`),
      claimed: claimed.replace(/(?<=steve)/i, `${i}`),
      found,
    }));
    for (const [rule, playerNames] of PLAYER_NAME_RULES.entries())
      for (const [oneRewardPerName, consumer] of [
        [true, 'default'],
        [false, 'bot'],
        [true, 'bot'],
      ] as const) {
        const guildId = await addGuild(store);
        const given = { playerNames, oneRewardPerName, consumer };
        await importAll(
          store,
          ...lines.map(({ voted }, i) =>
            voteOf(guildId, { userId: `20000000000000000${i}`, castAt: hoursAgo(1), externalId: voted }),
          ),
        );
        const externalIds = lines.map(({ claimed }) => claimed);
        const query = claimRequest(guildId, { externalId: '' }, given);
        const counts = await store.claims.countClaimable({ ...query, identities: { externalIds } });
        for (const [i, { voted, claimed: externalId, found }] of lines.entries()) {
          const { claimable } = await store.claims.ofIdentity({ ...query, identity: { externalId } });
          const { vote } = await claimVote(store, guildId, { externalId }, given);
          const { claimed } = await store.claims.ofIdentity({ ...query, identity: { externalId } });
          const hits = Number(found[rule]);
          const message = `${voted} ${externalId} ${playerNames}`;
          assert.deepEqual(
            [counts[i], claimable, Number(vote !== null), claimed],
            Array(4).fill(hits),
            message,
          );
        }
      }
  });

  test('one reward per hour goes to all names of a Minecraft player together', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const at = (minutes: number) => hoursAgo(5) + minutes * MINUTE_MS;
    await importAll(
      store,
      voteOf(guildId, { userId: USER, castAt: at(0), externalId: 'Steve' }),
      voteOf(guildId, { userId: OTHER_USER, castAt: at(30), externalId: '.steve' }),
      voteOf(guildId, { userId: OTHER_USER, castAt: at(90), externalId: '.Steve' }),
    );
    const given = { playerNames: 'minecraft' } as const;
    assert.deepEqual(await claimAll(store, guildId, { externalId: '.STEVE' }, given), [at(0), at(90)]);
  });

  test('names of one player that claim at the same time get one reward an hour', async () => {
    const { store } = subject;
    for (let round = 0; round < 5; round += 1) {
      const guildId = await addGuild(store);
      await importAll(
        store,
        voteOf(guildId, { userId: USER, castAt: hoursAgo(1.2), externalId: 'Steve' }),
        voteOf(guildId, { userId: OTHER_USER, castAt: hoursAgo(0.5), externalId: '.Steve' }),
      );
      const claims = ['Steve', '.Steve', '*STEVE'].map((externalId, i) =>
        claimVote(
          store,
          guildId,
          { externalId },
          {
            playerNames: 'minecraft',
            window: claimWindow(NOW, i === 0 ? 24 : 1),
          },
        ),
      );
      const claimed = (await Promise.all(claims)).filter(({ vote }) => vote !== null);
      assert.equal(claimed.length, 1, `round ${round}`);
    }
  });

  test('what is counted can be claimed, for any names, rules and claims', async () => {
    const { store } = subject;
    const vote = fc.record({
      externalId: fc.constantFrom(...NAMES),
      age: fc.integer({ min: 0, max: 12 * 60 }),
      user: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(vote, { maxLength: 25 }),
        fc.array(fc.constantFrom(...NAMES), { maxLength: 4 }),
        fc.constantFrom(...PLAYER_NAME_RULES),
        fc.constantFrom('default', 'bot'),
        fc.boolean(),
        async (votes, claims, playerNames, consumer, oneRewardPerName) => {
          const guildId = await addGuild(store);
          await importAll(
            store,
            ...votes.map(({ externalId, age, user }) =>
              voteOf(guildId, {
                userId: `20000000000000000${user}`,
                castAt: NOW - age * MINUTE_MS,
                externalId,
              }),
            ),
          );
          const given = { playerNames, consumer, oneRewardPerName };
          for (const externalId of claims) await claimVote(store, guildId, { externalId }, given);
          const query = claimRequest(guildId, { externalId: 'Steve' }, given);
          const counts = await store.claims.countClaimable({ ...query, identities: { externalIds: NAMES } });
          for (const [i, externalId] of NAMES.entries()) {
            const overview = await store.claims.ofIdentity({ ...query, identity: { externalId } });
            assert.equal(counts[i], overview.claimable, externalId);
          }
          const claimed = await claimAll(store, guildId, { externalId: 'Steve' }, given);
          assert.equal(claimed.length, counts[0]);
          assert.deepEqual(
            claimed,
            claimed.toSorted((a, b) => a - b),
          );
        },
      ),
      { numRuns: 12 },
    );
  });
}
