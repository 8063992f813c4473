import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCHED_TABLES } from '../../../../src/store/guilds/removal.ts';
import { UnknownGuildError } from '../../../../src/store/store.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, batches, importAll, listedGuild, NOW, voteOf, votesOf } from '../../fixtures.ts';

const VOTES = 7;

/** Tables with at most a few rows per guild, which are deleted with the guild itself. */
const SMALL_TABLES = [
  'claim_consumers',
  'erasures',
  'guild_banners',
  'guild_icons',
  'guild_milestones',
  'guild_profiles',
  'guild_rules',
  'test_votes',
  'void_batches',
  'vote_goals',
  'vote_sequences',
  'voter_roles',
  'webhook_endpoints',
];
/** Outlives the guild. */
const KEPT_TABLES = ['operator_actions'];

export function removalContract(subject: Subject): void {
  async function addVotedGuild(): Promise<string> {
    const guildId = await addGuild(subject.store);
    const votes = Array.from({ length: VOTES }, (_, i) => voteOf(guildId, { castAt: NOW - i }));
    await importAll(subject.store, ...votes);
    return guildId;
  }

  /** As if the process were killed after the first batch. */
  async function interruptRemoval(guildId: string): Promise<void> {
    const stop = new Error('interrupted');
    const onProgress = () => {
      throw stop;
    };
    await assert.rejects(subject.store.guilds.remove(guildId, { batchSize: 2, onProgress }), stop);
  }

  test('a guild of any size is removed in batches', async () => {
    const guildId = await addVotedGuild();
    const totals = [0];
    const onProgress = (rows: number) => totals.push(rows);
    assert.equal(await subject.store.guilds.remove(guildId, { batchSize: 2, onProgress }), true);
    const batchSizes = totals.slice(1).map((total, i) => total - (totals[i] ?? 0));
    assert.ok(batchSizes.length > VOTES / 2);
    assert.ok(batchSizes.every((size) => size <= 2));
    for (const table of BATCHED_TABLES) {
      const rows = await subject.query(`SELECT guild_id FROM ${table} WHERE guild_id = '${guildId}'`);
      assert.deepEqual(rows, [], table);
    }
  });

  test('a guild disappears with the first batch of its removal', async () => {
    const { guilds, operator, profiles, votes } = subject.store;
    const guildId = await addVotedGuild();
    await guilds.setKey(guildId, { hash: `hidden ${guildId}`, sealed: 's', createdAt: NOW });
    const before = await operator.counts(NOW);
    await interruptRemoval(guildId);

    assert.equal((await votesOf(subject.store, guildId)).length, VOTES - 2);
    assert.equal(await guilds.find(guildId), undefined);
    assert.deepEqual(await guilds.findExisting([guildId]), []);
    assert.equal(await guilds.findByKeyHash(`hidden ${guildId}`), undefined);
    assert.equal(await guilds.findKey(guildId), undefined);
    assert.ok((await guilds.list()).every((guild) => guild.guildId !== guildId));
    assert.equal(await listedGuild(subject.store, guildId), undefined);
    assert.deepEqual(await profiles.seen([guildId]), []);
    const { communities, sanctioned, unlisted } = await operator.counts(NOW);
    assert.deepEqual(
      { communities, sanctioned, unlisted },
      { communities: before.communities - 1, sanctioned: before.sanctioned, unlisted: before.unlisted },
    );
    assert.equal(await guilds.setKey(guildId, { hash: 'new', sealed: 's', createdAt: NOW }), false);
    assert.equal(await guilds.setSanction(guildId, null), false);
    await assert.rejects(votes.import(batches([voteOf(guildId)]), NOW), UnknownGuildError);
    assert.equal(await guilds.add({ guildId, name: 'again', createdAt: NOW }), false);
    assert.equal(await guilds.remove(guildId), true);
  });

  test('an interrupted removal is known, and is finished by repeating it', async () => {
    const { guilds } = subject.store;
    const guildId = await addVotedGuild();
    await interruptRemoval(guildId);
    assert.deepEqual(await guilds.unfinishedRemovals(10), [guildId]);
    // As `guild add` asks: all of them.
    assert.deepEqual(await guilds.unfinishedRemovals(Number.MAX_SAFE_INTEGER), [guildId]);
    assert.equal(await guilds.remove(guildId), true);
    assert.deepEqual(await guilds.unfinishedRemovals(10), []);
    assert.equal(await guilds.remove(guildId), false);
    assert.equal(await guilds.add({ guildId, name: 'again', createdAt: NOW }), true);
    assert.deepEqual(await votesOf(subject.store, guildId), []);
  });

  test('two processes can remove the same guild', async () => {
    const { guilds } = subject.store;
    const guildId = await addVotedGuild();
    const removals = [1, 2, 3].map(() => guilds.remove(guildId, { batchSize: 2 }));
    assert.ok((await Promise.all(removals)).includes(true));
    assert.deepEqual(await guilds.unfinishedRemovals(10), []);
  });

  test('a batch for a guild that is not being removed deletes nothing of the guild itself', async () => {
    const { guilds } = subject.store;
    const guildId = await addGuild(subject.store);
    await guilds.removeBatch(guildId, 10);
    assert.equal((await guilds.find(guildId))?.guildId, guildId);
  });

  test('every table with rows of guilds is either removed in batches or known to be small', async () => {
    const tables = await subject.query(
      subject.database.kind === 'sqlite'
        ? `SELECT m.name AS table_name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
           WHERE m.type = 'table' AND c.name = 'guild_id'`
        : `SELECT table_name FROM information_schema.columns
           WHERE table_schema = 'public' AND column_name = 'guild_id'`,
    );
    const names = tables.map(({ table_name: name }) => String(name)).filter((name) => name !== 'guilds');
    const known: string[] = [...BATCHED_TABLES, ...SMALL_TABLES, ...KEPT_TABLES];
    assert.deepEqual(names.toSorted(), known.toSorted());
  });
}
