/** What the console and the command line share: both only read input and report the outcome. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HOUR_MS } from '../../src/domain/clock.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { ALL_TIME } from '../../src/domain/votes/period.ts';
import { voteId } from '../../src/domain/votes/vote.ts';
import { banVoter, unbanVoter } from '../../src/moderation/bans.ts';
import {
  addGuild,
  liftSanction,
  removeGuild,
  removeGuildSoon,
  renameGuild,
  sanctionGuild,
  setGuildListed,
  setGuildPremium,
} from '../../src/moderation/guilds.ts';
import { generateKey, revokeKey, showKey } from '../../src/moderation/keys.ts';
import type { Moderator } from '../../src/moderation/moderator.ts';
import { chooseVotes, offerVotes, selectVotes } from '../../src/moderation/selection.ts';
import { restoreVotes, voidVotes } from '../../src/moderation/voids.ts';
import type { Store } from '../../src/store/store.ts';
import * as fixtures from '../store/fixtures.ts';
import { openTemporaryStore } from '../support/sqlite.ts';

const { NOW, OTHER_USER, USER, voteOf } = fixtures;
const ACTOR = { userId: '200000000000000099', name: 'Alex' };
const UNKNOWN = '300000000000000099';
const secrets = deriveSecrets('a master secret for tests');
const progress = { onProgress: () => {} };

describe('moderation', () => {
  let store: Store;
  let close: () => Promise<void>;
  let moderator: Moderator;
  before(async () => {
    ({ store, close } = await openTemporaryStore());
    moderator = { store, clock: () => NOW, actor: ACTOR };
  });
  after(() => close());

  async function logged(guildId: string): Promise<string[]> {
    const entries = await store.audit.recent(null, 100);
    return entries.filter((entry) => entry.guildId === guildId).map(({ action }) => action);
  }

  for (const [action, change] of [
    ['guild_renamed', (by: Moderator, guildId: string) => renameGuild(by, guildId, 'Dogs')],
    ['guild_unlisted', (by: Moderator, guildId: string) => setGuildListed(by, guildId, false)],
    ['premium_changed', (by: Moderator, guildId: string) => setGuildPremium(by, guildId, NOW)],
    ['sanction_added', (by: Moderator, guildId: string) => sanctionGuild(by, guildId, 'bots')],
    ['sanction_lifted', liftSanction],
    ['key_generated', (by: Moderator, guildId: string) => generateKey(by, secrets, guildId)],
    ['key_revoked', revokeKey],
    ['guild_removed', (by: Moderator, guildId: string) => removeGuild(by, guildId, progress)],
  ] as const) {
    it(`${action} is in the log with its actor when the change fails`, async () => {
      const guildId = await fixtures.addGuild(store);
      const fail = async () => assert.fail('the database is down');
      const guilds = {
        ...store.guilds,
        ...{
          rename: fail,
          setUnlisted: fail,
          setPremiumUntil: fail,
          setSanction: fail,
          setKey: fail,
          remove: fail,
        },
      };
      await assert.rejects(change({ ...moderator, store: { ...store, guilds } }, guildId), /is down/);
      const [entry] = await store.audit.recent(null, 1);
      assert.deepEqual([entry?.action, entry?.guildId, entry?.actor], [action, guildId, ACTOR]);
    });

    it(`${action} of an unknown guild changes and logs nothing`, async () => {
      assert.deepEqual(await change(moderator, UNKNOWN), { kind: 'unknown_guild' });
      assert.deepEqual(await logged(UNKNOWN), []);
    });
  }

  it('nothing is changed when the log cannot be written', async () => {
    const guildId = await fixtures.addGuild(store);
    const audit = { ...store.audit, record: async () => assert.fail('the log is full') };
    const broken = { ...moderator, store: { ...store, audit } };
    await assert.rejects(sanctionGuild(broken, guildId, null), /the log is full/);
    await assert.rejects(
      banVoter(broken, { userId: USER, until: null, reason: null, publicReason: null }),
      /the log is full/,
    );
    assert.equal((await store.guilds.find(guildId))?.sanction, null);
    assert.equal(await store.moderation.findBan(USER, NOW), undefined);
  });

  it('a change that changes nothing is not logged', async () => {
    const guildId = await fixtures.addGuild(store);
    const guild = await store.guilds.find(guildId);
    assert.ok(guild);
    assert.equal((await renameGuild(moderator, guildId, guild.name)).kind, 'unchanged');
    assert.equal((await setGuildListed(moderator, guildId, true)).kind, 'unchanged');
    assert.deepEqual(await logged(guildId), []);
    assert.equal((await setGuildListed(moderator, guildId, false)).kind, 'changed');
    assert.equal((await setGuildListed(moderator, guildId, false)).kind, 'unchanged');
    assert.deepEqual(await logged(guildId), ['guild_unlisted']);
  });

  it('a guild is added once, and not while an earlier one is being removed', async () => {
    const guild = { guildId: '300000000000000050', name: 'Cats' };
    assert.deepEqual(await addGuild(moderator, guild), { kind: 'added' });
    assert.deepEqual(await addGuild(moderator, guild), { kind: 'already_listed' });
    assert.deepEqual(await logged(guild.guildId), ['guild_added']);
    const guilds = {
      ...store.guilds,
      find: async () => undefined,
      unfinishedRemovals: async () => [guild.guildId],
    };
    const removing = { ...moderator, store: { ...store, guilds } };
    assert.deepEqual(await addGuild(removing, guild), { kind: 'being_removed' });
    assert.deepEqual(await removeGuild(moderator, guild.guildId, progress), { kind: 'removed' });
  });

  it('the removal of a large guild is not awaited, and a failure of the rest is reported', async () => {
    const guildId = await fixtures.addGuild(store);
    const rest = Promise.withResolvers<boolean>();
    const failure = Promise.withResolvers<unknown>();
    const remove: typeof store.guilds.remove = (_guildId, { onProgress = () => {} } = {}) => {
      for (const rows of [2000, 18_000, 20_000]) onProgress(rows);
      return rest.promise;
    };
    const busy = { ...moderator, store: { ...store, guilds: { ...store.guilds, remove } } };
    assert.deepEqual(await removeGuildSoon(busy, guildId, failure.resolve), { kind: 'removed' });
    assert.deepEqual(await logged(guildId), ['guild_removed']);
    rest.reject(new Error('the database is gone'));
    assert.match(String(await failure.promise), /the database is gone/);
  });

  it('the removal of a small guild is awaited', async () => {
    const guildId = await fixtures.addGuild(store);
    const report = (error: unknown) => assert.fail(String(error));
    assert.deepEqual(await removeGuildSoon(moderator, guildId, report), { kind: 'removed' });
    assert.deepEqual(await store.guilds.unfinishedRemovals(1), []);
    assert.deepEqual(await removeGuildSoon(moderator, guildId, report), { kind: 'unknown_guild' });
    const broken = { ...store.guilds, remove: () => Promise.reject(new Error('out of disk')) };
    const failing = { ...moderator, store: { ...store, guilds: broken } };
    await assert.rejects(removeGuildSoon(failing, guildId, report), /out of disk/);
  });

  it('a key that is generated can be shown until it is revoked', async () => {
    const guildId = await fixtures.addGuild(store);
    assert.deepEqual(await showKey(moderator, secrets, guildId), { kind: 'no_key' });
    const generated = await generateKey(moderator, secrets, guildId);
    assert.ok(generated.kind === 'generated');
    assert.deepEqual(await showKey(moderator, secrets, guildId), { kind: 'shown', key: generated.key });
    const others = deriveSecrets('another master secret');
    assert.deepEqual(await showKey(moderator, others, guildId), { kind: 'other_secret' });
    assert.deepEqual(await revokeKey(moderator, guildId), { kind: 'revoked' });
    assert.deepEqual(await logged(guildId), ['key_revoked', 'key_shown', 'key_generated']);
  });

  it('a ban that is already over is refused, and one that does not exist is not lifted', async () => {
    const userId = '200000000000000077';
    assert.deepEqual(await banVoter(moderator, { userId, until: NOW, reason: null, publicReason: null }), {
      kind: 'already_over',
    });
    assert.deepEqual(await unbanVoter(moderator, userId), { kind: 'not_banned' });
    const { kind } = await banVoter(moderator, {
      userId,
      until: NOW + HOUR_MS,
      reason: null,
      publicReason: null,
    });
    assert.equal(kind, 'banned');
    assert.deepEqual(await unbanVoter(moderator, userId), { kind: 'lifted' });
  });

  it('votes are selected by user, name, mark or the network of a vote', async () => {
    const guildId = await fixtures.addGuild(store);
    const vote = voteOf(guildId, { externalId: 'Steve' });
    const network = { hash: '20000.home', maxAccounts: 9, busyFrom: 9 };
    await store.votes.cast(vote, { marks: 0, network });
    const unknownOrigin = voteOf(guildId, { userId: OTHER_USER });
    await store.votes.cast(unknownOrigin);
    const select = (id: string) => selectVotes(store, guildId, { kind: 'network', voteId: id });
    assert.deepEqual(await select(voteId(vote)), { kind: 'selected', selection: { network: '20000.home' } });
    assert.deepEqual(await select(voteId(unknownOrigin)), { kind: 'unknown_network' });
    assert.deepEqual(await select('vote_0'), { kind: 'unknown_vote' });
    const byUser = await selectVotes(store, guildId, { kind: 'user', userId: USER });
    assert.deepEqual(byUser, { kind: 'selected', selection: { userId: USER } });

    const offers = await offerVotes(store, vote, ALL_TIME);
    assert.deepEqual(
      offers.map(({ choice, votes }) => [choice, votes]),
      [
        ['vote', 1],
        ['user', 1],
        ['name', 1],
        ['network', 1],
      ],
    );
    assert.deepEqual(
      (await offerVotes(store, unknownOrigin, ALL_TIME)).map(({ choice }) => choice),
      ['vote', 'user'],
    );
  });

  it('choosing votes counts none of the other choices', async () => {
    const guildId = await fixtures.addGuild(store);
    const vote = voteOf(guildId, { externalId: 'Steve' });
    const read = async () => assert.fail('votes were read');
    const moderation = { ...store.moderation, countVoidable: read, networkOf: read };
    const chosen = await chooseVotes({ ...store, moderation }, vote, 'name', ALL_TIME);
    assert.deepEqual(chosen, { choice: 'name', selection: { externalId: 'Steve' }, period: ALL_TIME });
  });

  it('voided votes are restored once', async () => {
    const guildId = await fixtures.addGuild(store);
    await store.votes.cast(voteOf(guildId));
    const input = { guildId, selection: { userId: USER }, period: ALL_TIME, reason: 'bots', logged: {} };
    const voided = await voidVotes(moderator, input);
    assert.ok(voided.kind === 'voided');
    assert.equal(voided.votes, 1);
    assert.deepEqual(await voidVotes(moderator, input), { kind: 'nothing' });
    assert.deepEqual(await restoreVotes(moderator, voided.batch), { kind: 'restored', votes: 1 });
    assert.deepEqual(await restoreVotes(moderator, voided.batch), { kind: 'already_restored' });
    assert.deepEqual(await restoreVotes(moderator, 'void_0'), { kind: 'unknown' });
    assert.deepEqual(await logged(guildId), ['votes_restored', 'votes_voided']);
  });
});
