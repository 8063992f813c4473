/** An erasure works in small steps: it can be interrupted and repeated, and votes are cast meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { claimAll, hoursAgo } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, NOW, voteOf, votesOf } from '../../fixtures.ts';
import { findTraces } from './traces.ts';

const PERSON = '345678901234567891';
const OTHER = '300000000000000001';

export function erasureStepsContract(subject: Subject): void {
  test('an interrupted erasure is continued under the same id', async () => {
    const guildId = await addGuild(subject.store);
    const votes = Array.from({ length: 7 }, (_, i) =>
      voteOf(guildId, { userId: PERSON, castAt: hoursAgo(i + 1) }),
    );
    await importAll(subject.store, ...votes);
    const stop = new Error('interrupted');
    const onProgress = () => {
      throw stop;
    };
    await assert.rejects(subject.store.personalData.erase(PERSON, NOW, { batchSize: 2, onProgress }), stop);
    assert.equal(await subject.store.personalData.isKnown(PERSON), true);
    assert.deepEqual(await subject.store.personalData.erase(PERSON, NOW, { batchSize: 2 }), {
      votes: 5,
      guilds: 1,
    });
    assert.equal(new Set((await votesOf(subject.store, guildId)).map(({ userId }) => userId)).size, 1);
    assert.deepEqual(await findTraces(subject, PERSON), []);
  });

  test('claims are erased in pages, also those whose vote is gone, and those with the id as the name', async () => {
    const guildId = await addGuild(subject.store);
    const hours = Array.from({ length: 23 }, (_, i) => i + 1);
    const identities = [{ userId: PERSON }, { externalId: PERSON }];
    await importAll(
      subject.store,
      voteOf(guildId, { userId: PERSON, castAt: hoursAgo(30) }),
      ...hours.map((hour) => voteOf(guildId, { userId: PERSON, castAt: hoursAgo(hour) })),
      ...hours.map((hour) =>
        voteOf(guildId, { userId: OTHER, castAt: hoursAgo(hour) - 1, externalId: PERSON }),
      ),
    );
    for (const identity of identities)
      for (const consumer of ['default', 'bot'])
        assert.equal((await claimAll(subject.store, guildId, identity, { consumer })).length, 23);
    await subject.run(`DELETE FROM votes WHERE guild_id = '${guildId}' AND cast_at > ${hoursAgo(29)}`);
    const counts = `SELECT count(*) AS claims FROM vote_claims WHERE guild_id = '${guildId}'`;
    await subject.store.personalData.erase(PERSON, NOW, { batchSize: 1 });
    assert.deepEqual(await findTraces(subject, PERSON), []);
    assert.equal(Number((await subject.query(counts))[0]?.claims), 46);
  });

  test('a vote that is cast during the erasure does not allow a second one within the hour', async () => {
    const guildId = await addGuild(subject.store);
    const cast = (castAt: number) =>
      subject.store.votes.cast(voteOf(guildId, { userId: PERSON, castAt }), { marks: 0, network: null });
    // The vote arrives a little later each time, so that it meets every step of the erasure.
    for (let turns = 0; turns < 12; turns += 1) {
      const castAt = NOW + turns * 10 * HOUR_MS;
      await importAll(subject.store, voteOf(guildId, { userId: PERSON, castAt: castAt - 3 * HOUR_MS }));
      let meanwhile: ReturnType<typeof cast> | undefined;
      const castLater = async () => {
        for (let turn = 0; turn < turns; turn += 1) await nextTurn();
        return cast(castAt);
      };
      const onProgress = () => {
        meanwhile ??= castLater();
      };
      await subject.store.personalData.erase(PERSON, castAt, { onProgress });
      assert.equal((await meanwhile)?.kind, 'accepted');
      await cast(castAt + 1);
      const left = (await votesOf(subject.store, guildId)).filter(({ userId }) => userId === PERSON);
      assert.ok(left.length <= 1, `${left.length} votes within the hour, after ${turns} turns`);
      await subject.store.personalData.erase(PERSON, castAt);
    }
  });

  const voidAll = (guildId: string) =>
    subject.store.moderation.void({
      ...{ guildId, batch: `void_${guildId}`, voidedAt: NOW, reason: null },
      ...{ selection: { userId: PERSON }, period: { from: 0, to: NOW } },
    });

  /** Each leaves something about the person in one place, and nowhere else. */
  const traces: Record<string, (guildId: string) => Promise<unknown>> = {
    'a voided vote': async (guildId) => {
      await importAll(subject.store, voteOf(guildId, { userId: PERSON, castAt: hoursAgo(3) }));
      await voidAll(guildId);
      await subject.run(`DELETE FROM cooldowns WHERE guild_id = '${guildId}'`);
      await subject.run(`DELETE FROM webhook_events WHERE guild_id = '${guildId}'`);
    },
    'the name in a link': (guildId) =>
      importAll(subject.store, voteOf(guildId, { userId: OTHER, castAt: hoursAgo(3), externalId: PERSON })),
    'the reason of a sanction': (guildId) =>
      subject.store.guilds.setSanction(guildId, { since: NOW, reason: `bought by ${PERSON}` }),
    'a name that an admin gave': (guildId) =>
      subject.store.activities.record({
        ...{ guildId, at: NOW, actor: { userId: OTHER, name: 'Other' }, action: 'guild_renamed' },
        detail: { guildName: { from: PERSON, to: 'Other' } },
      }),
  };
  for (const [name, leave] of Object.entries(traces)) {
    test(`a user of whom only ${name} is left is known, and can be erased`, async () => {
      await leave(await addGuild(subject.store));
      assert.equal(await subject.store.personalData.isKnown(PERSON), true);
      await subject.store.personalData.erase(PERSON, NOW);
      assert.equal(await subject.store.personalData.isKnown(PERSON), false);
    });
  }
}
