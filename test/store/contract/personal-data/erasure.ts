import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { isSnowflake } from '../../../../src/domain/identifiers.ts';
import { voteId } from '../../../../src/domain/votes/vote.ts';
import { SUBSCRIBABLE_EVENTS } from '../../../../src/domain/webhooks/event.ts';
import { openStore } from '../../../../src/store/open.ts';
import { TABLES_WITH_USERS } from '../../../../src/store/personal-data/erasure-statements.ts';
import type { Store } from '../../../../src/store/store.ts';
import { claimAll, claimVote, hoursAgo } from '../../claim-fixtures.ts';
import {
  ALL_TIME,
  addGuild,
  type FreshDatabase,
  importAll,
  LAST_HOUR,
  NOW,
  voteOf,
  votesOf,
} from '../../fixtures.ts';
import { addEndpoint, claim } from '../../webhook-fixtures.ts';
import { findTraces } from './traces.ts';

const PERSON = '345678901234567890';
const NAME = 'Zaphod_Beeblebrox';
const OTHERS = ['300000000000000001', '400000000000000001'] as const;
const NETWORK = { hash: '7.a-network', maxAccounts: 9, busyFrom: 9 };

/** Tables without anything about people. */
const TABLES_WITHOUT_USERS = [
  'claim_consumers',
  'api_tokens',
  'erasure_key',
  'erasures',
  'feed_epochs',
  'guild_banners',
  'guild_icons',
  'guild_milestones',
  'guild_rules',
  'hourly_votes',
  'maintenance',
  'master_secret',
  'monthly_votes',
  'network_keys',
  'rate_windows',
  'reached_goals',
  'schema_migrations',
  'vote_goals',
  'voter_roles',
  'tallies',
  'test_votes',
  'used_challenges',
  'vote_sequences',
  'webhook_deliveries',
  'webhook_endpoints',
  'write_probes',
];

/** On a database of its own: everything in it is searched. */
export function erasureContract(createDatabase: () => Promise<FreshDatabase>): void {
  let fresh: FreshDatabase;
  let store: Store;
  beforeEach(async () => {
    fresh = await createDatabase();
    store = await openStore(fresh.database);
  });
  afterEach(async () => {
    await store.close();
    await fresh.drop();
  });

  /** A guild where the person has left something in every table. */
  async function addGuildWithTraces(): Promise<string> {
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId, { events: [...SUBSCRIBABLE_EVENTS] });
    await store.voterRoles.set(guildId, { roleId: '500000000000000001', rule: 'recent', amount: 12 }, NOW);
    const old = [3, 4, 5].map((hours) =>
      voteOf(guildId, { userId: PERSON, castAt: hoursAgo(hours), externalId: NAME }),
    );
    const ofOthers = OTHERS.map((userId) => voteOf(guildId, { userId, castAt: hoursAgo(3) }));
    const named = voteOf(guildId, { userId: OTHERS[0], castAt: hoursAgo(6), externalId: PERSON });
    await importAll(store, ...old, ...ofOthers, named);
    const vote = voteOf(guildId, { userId: PERSON, castAt: NOW, externalId: NAME });
    await store.votes.cast(vote, { marks: 0, network: NETWORK });
    const idempotency = { key: `claim-${PERSON}`, requestHash: 'a-hash' };
    const render = ({ vote: claimed }: { vote: { castAt: number } | null }) =>
      JSON.stringify({
        vote: claimed && {
          vote_id: voteId({ guildId, userId: PERSON, castAt: claimed.castAt }),
          user_id: PERSON,
          external_id: NAME,
          timestamp: new Date(claimed.castAt).toISOString(),
        },
      });
    await store.claims.claim({
      ...{
        guildId,
        identity: { userId: PERSON },
        now: NOW,
        idempotency,
        render,
        oneRewardPerName: false,
        consumer: 'default',
        playerNames: 'exact',
      },
      window: { after: hoursAgo(24), until: NOW },
    });
    const tokenId = `tok_${guildId}`;
    const token = { tokenId, name: 'Site', scopes: [], createdAt: NOW, expiresAt: null, hash: tokenId };
    await store.tokens.add(token);
    const request = { tokenId, key: `vote-${PERSON}`, requestHash: 'a-hash', now: NOW };
    const { kind } = await store.responses.reserve(request);
    assert.equal(kind, 'reserved');
    await claimVote(store, guildId, { userId: PERSON });
    for (let i = 0; i < 2; i += 1) await claimVote(store, guildId, { userId: PERSON }, { consumer: 'bot' });
    const releasedByBot = voteId({ guildId, userId: PERSON, castAt: hoursAgo(4) });
    await store.claims.release({ guildId, consumer: 'bot', voteId: releasedByBot, claimedAt: null });
    const released = voteId({ guildId, userId: PERSON, castAt: hoursAgo(4) });
    assert.ok(await store.claims.release({ guildId, consumer: 'default', voteId: released, claimedAt: NOW }));
    await store.moderation.void({
      ...{ guildId, batch: `void_${guildId}`, voidedAt: NOW, reason: `${PERSON} cheats` },
      selection: { userId: PERSON },
      period: { from: hoursAgo(3), to: hoursAgo(2) },
    });
    const [delivery] = await claim(store, guildId);
    assert.ok(delivery);
    const attempt = { at: NOW, status: 500, durationMs: 1, answer: `no user ${PERSON}`, error: null };
    await store.webhooks.finish(delivery, attempt, { state: 'failed' }, 'fails');
    await store.reminders.enable({ guildId, userId: PERSON, locale: 'en', now: NOW });
    const actor = { userId: PERSON, name: NAME };
    await store.activities.record({ guildId, at: NOW, actor, action: 'key_shown' });
    await store.activities.record({
      ...{ guildId, at: NOW, actor: { userId: OTHERS[0], name: 'Other' }, action: 'guild_renamed' },
      detail: { guildName: { from: PERSON, to: 'Other' } },
    });
    const logged = { at: NOW, guildId, detail: { userId: PERSON, selection: `--user ${PERSON}` } };
    await store.audit.record({ ...logged, actor, action: 'votes_voided' });
    await store.audit.record({ ...logged, actor: null, action: 'voter_banned' });
    await store.guilds.setSanction(guildId, { since: NOW, reason: `bought by ${PERSON}` });
    return guildId;
  }

  async function addAccount(): Promise<void> {
    const { users, moderation } = store;
    await users.remember({ userId: PERSON, name: NAME, avatar: 'a_hash' }, NOW);
    await users.signOut(PERSON, NOW - HOUR_MS);
    await moderation.ban({
      userId: PERSON,
      since: NOW,
      until: null,
      reason: `${PERSON} again`,
      publicReason: `${PERSON} cheats`,
    });
  }

  const anonymousVotes = async (guildId: string) =>
    (await votesOf(store, guildId)).filter(({ userId }) => !OTHERS.some((id) => id === userId));

  test('nothing in the database contains the id or the names of an erased user', async () => {
    const guilds = [await addGuildWithTraces(), await addGuildWithTraces()];
    await addAccount();
    assert.ok((await findTraces(fresh, PERSON)).length > 15);
    const before = await Promise.all(guilds.map((guildId) => anonymousVotes(guildId)));
    const erased = await store.personalData.erase(PERSON, NOW);
    assert.deepEqual(erased, { votes: 8, guilds: 2 });
    assert.deepEqual(await findTraces(fresh, PERSON), []);
    assert.deepEqual(await findTraces(fresh, NAME), []);
    assert.equal(await store.personalData.isKnown(PERSON), false);
    const after = await Promise.all(guilds.map((guildId) => anonymousVotes(guildId)));
    for (const [i, votes] of after.entries()) {
      assert.deepEqual(
        votes.map(({ castAt }) => castAt),
        before[i]?.map(({ castAt }) => castAt),
      );
      const ids = new Set(votes.map(({ userId }) => userId));
      assert.equal(ids.size, 1);
      assert.ok([...ids].every(isSnowflake));
      assert.ok(votes.every(({ externalId }) => externalId === null));
    }
    assert.notEqual(after[0]?.[0]?.userId, after[1]?.[0]?.userId);
  });

  test('the ids of votes and claims stay those of the anonymous user', async () => {
    const guildId = await addGuildWithTraces();
    await store.personalData.erase(PERSON, NOW);
    const [vote] = await anonymousVotes(guildId);
    assert.ok(vote);
    const claims = await fresh.query(
      `SELECT cast_at, vote_id, 'default' AS consumer FROM vote_claims WHERE guild_id = '${guildId}'
       UNION ALL SELECT cast_at, vote_id, consumer FROM consumer_claims WHERE guild_id = '${guildId}'`,
    );
    assert.deepEqual(new Set(claims.map(({ consumer }) => consumer)), new Set(['default', 'bot']));
    for (const { cast_at, vote_id } of claims)
      assert.equal(vote_id, voteId({ guildId, userId: vote.userId, castAt: Number(cast_at) }));
    const events = await fresh.query(`SELECT body FROM webhook_events WHERE guild_id = '${guildId}'`);
    for (const { body } of events) {
      const { data } = JSON.parse(String(body));
      assert.equal(data.user_id, vote.userId);
      assert.equal(data.external_id, null);
      const castAt = Date.parse(data.vote_timestamp ?? data.last_vote_at ?? data.timestamp);
      assert.equal(data.vote_id, voteId({ guildId, userId: vote.userId, castAt }));
    }
  });

  test('totals and rankings of others do not change, also among users with equal votes', async () => {
    const guildId = await addGuild(store);
    const voters = [...OTHERS, PERSON].flatMap((userId) =>
      [1, 2].map((hours) => voteOf(guildId, { userId, castAt: hoursAgo(hours) })),
    );
    await importAll(store, ...voters);
    const ranks = async () =>
      (await store.votes.topVoters(guildId, ALL_TIME, 10)).map(({ userId, votes }) =>
        OTHERS.some((id) => id === userId) ? { userId, votes } : { votes },
      );
    const before = await ranks();
    const count = () => store.votes.count({ guildId, userId: null, period: ALL_TIME });
    const total = await count();
    await store.personalData.erase(PERSON, NOW);
    assert.deepEqual(await ranks(), before);
    assert.equal(await count(), total);
    assert.equal(await store.votes.latestOfUser(guildId, PERSON, { after: 0, until: NOW }), undefined);
  });

  test('a claimed vote of an erased user is not claimed again', async () => {
    const guildId = await addGuild(store);
    const votes = [2, 3].map((hours) => voteOf(guildId, { userId: PERSON, castAt: hoursAgo(hours) }));
    await importAll(store, ...votes);
    await claimVote(store, guildId, { userId: PERSON });
    await store.personalData.erase(PERSON, NOW);
    const [vote] = await anonymousVotes(guildId);
    assert.ok(vote);
    assert.deepEqual(await claimAll(store, guildId, { userId: PERSON }), []);
    assert.deepEqual(await claimAll(store, guildId, { userId: vote.userId }), [hoursAgo(2)]);
  });

  test('sessions and the ban of an erased user are recognized by a hash of the id', async () => {
    await addAccount();
    await store.personalData.erase(PERSON, NOW);
    assert.equal(await store.users.signedOutAt(PERSON), NOW);
    assert.equal(await store.users.signedOutAt(OTHERS[0]), undefined);
    const ban = await store.moderation.findBan(PERSON, NOW);
    assert.equal(ban?.userId, PERSON);
    assert.deepEqual(await store.moderation.findErasedBan(PERSON, NOW), ban);
    assert.equal(await store.moderation.findErasedBan(OTHERS[0], NOW), undefined);
    assert.equal(await store.moderation.unban(PERSON, NOW), true);
    assert.equal(await store.moderation.findBan(PERSON, NOW), undefined);
  });

  test('another process does not answer with the votes of an erased user', async () => {
    const guildId = await addGuild(store);
    const other = await openStore(fresh.database);
    const recent = () => store.votes.latestOfUser(guildId, PERSON, LAST_HOUR);
    try {
      await store.votes.cast(voteOf(guildId, { userId: PERSON, castAt: NOW - 1 }));
      assert.ok(await recent());
      await other.personalData.erase(PERSON, NOW);
      assert.equal(await recent(), undefined);
    } finally {
      await other.close();
    }
  });

  test('every table is known to contain users, or not', async () => {
    const tables = await fresh.query(
      fresh.database.kind === 'sqlite'
        ? `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
        : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    const names = tables.map(({ name }) => String(name));
    const known: readonly string[] = [...TABLES_WITH_USERS, ...TABLES_WITHOUT_USERS];
    assert.deepEqual(
      names.filter((name) => !known.includes(name)),
      [],
    );
  });

  test('the file of the database does not contain an erased user', async (t) => {
    const { database } = fresh;
    if (database.kind !== 'sqlite') return t.skip('PostgreSQL overwrites old rows when it vacuums');
    await addGuildWithTraces();
    await addAccount();
    await store.personalData.erase(PERSON, NOW);
    for (const file of [database.path, `${database.path}-wal`])
      for (const text of [PERSON, NAME]) assert.equal(readFileSync(file).includes(text), false, file);
  });
}
