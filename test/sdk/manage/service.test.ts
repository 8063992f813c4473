/** The management client with the real server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isVotaryValidationError, type VotaryError, VotaryManager } from '../../../sdk/src/manage/index.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { type Live, startLive, USER } from '../../openapi/live-server.ts';
import { trust } from '../support/local-service.ts';

const GUILD = '100000000000000001';
const OTHER_GUILD = '100000000000000077';
const UNKNOWN = '100000000000000009';
const NOW = new Date('2026-11-15T12:00:00.000Z');
const NEXT = new Date('2026-11-15T13:00:00.000Z');

let live: Live;
let manager: VotaryManager;

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The fields of an error that callers use. */
async function errorOf(call: Promise<unknown>) {
  const error: VotaryError = await call.then(
    () => assert.fail('no error'),
    (reason) => reason,
  );
  const { name, code, status, reason, nextVoteAt } = error;
  return { name, code, status, reason, nextVoteAt };
}

const refusal = (status: number, code: string, more: object = {}) => ({
  name: 'VotaryError',
  code,
  status,
  reason: null,
  nextVoteAt: null,
  ...more,
});

describe('the management client', { concurrency: false }, () => {
  before(async () => {
    live = await startLive();
    trust(live.certificate);
    manager = new VotaryManager({ token: live.token, baseUrl: live.url });
  });
  after(() => live.stop());

  it('adds, reads, changes and deletes a community', async () => {
    const name = 'Élodie & co 🎮';
    const added = await manager.createGuild({ guildId: OTHER_GUILD, name });
    const guild = {
      guildId: OTHER_GUILD,
      name,
      listed: true,
      premiumUntil: null,
      sanction: null,
      rateLimit: null,
      hasKey: false,
      createdAt: NOW,
      playerNames: 'exact',
      goal: null,
    };
    assert.deepEqual(added, { ...guild, replayed: false });
    assert.deepEqual(await manager.getGuild(OTHER_GUILD), guild);
    assert.deepEqual(
      await errorOf(manager.createGuild({ guildId: OTHER_GUILD, name })),
      refusal(409, 'GUILD_EXISTS'),
    );
    const changed = {
      ...guild,
      name: 'New name',
      listed: false,
      premiumUntil: new Date('2027-01-01T00:00:00.000Z'),
      sanction: { reason: 'spam', since: NOW },
      rateLimit: 300,
      playerNames: 'minecraft',
      goal: { period: 'week', target: 500 },
    } as const;
    const { playerNames, goal, rateLimit } = changed;
    const change = {
      name: 'New name',
      listed: false,
      sanction: { reason: 'spam' },
      rateLimit,
      playerNames,
      goal,
    };
    assert.deepEqual(
      await manager.updateGuild(OTHER_GUILD, { ...change, premiumUntil: '2027-01-01' }),
      changed,
    );
    const lifted = await manager.updateGuild(OTHER_GUILD, { sanction: null, rateLimit: null });
    assert.deepEqual(lifted, { ...changed, sanction: null, rateLimit: null });
    assert.equal((await manager.updateGuild(OTHER_GUILD, { sanction: {} })).sanction?.reason, null);
    assert.deepEqual(
      await errorOf(manager.deleteGuild(OTHER_GUILD, { confirm: GUILD })),
      refusal(400, 'CONFIRMATION_REQUIRED'),
    );
    await manager.deleteGuild(OTHER_GUILD, { confirm: OTHER_GUILD });
    assert.deepEqual(await errorOf(manager.getGuild(OTHER_GUILD)), refusal(404, 'GUILD_NOT_FOUND'));
  });

  it('lists communities, by page and as an iteration', async () => {
    const ids = Array.from({ length: 5 }, (_, index) => String(300000000000000000n + BigInt(index)));
    for (const guildId of ids) await manager.createGuild({ guildId, name: `Walk ${guildId}` });
    const first = await manager.listGuilds({ q: 'walk', limit: 2 });
    assert.deepEqual([first.guilds.length, first.pagination.hasMore], [2, true]);
    const second = await manager.listGuilds({ limit: 2, cursor: first.pagination.nextCursor });
    assert.deepEqual(
      [...first.guilds, ...second.guilds].map(({ guildId }) => guildId),
      ids.slice(0, 4),
    );
    const all = await collect(manager.guilds({ q: 'walk', pageSize: 2 }));
    assert.deepEqual(
      all.map(({ guildId }) => guildId),
      ids,
    );
    assert.ok((await collect(manager.guilds())).length > ids.length);
    assert.deepEqual(await errorOf(manager.listGuilds({ cursor: 'x' })), refusal(400, 'INVALID_CURSOR'));
    await assert.rejects(collect(manager.guilds({ pageSize: 5000 })), isVotaryValidationError);
  });

  it('generates and removes a key; the same idempotency key returns the same API key', async () => {
    const [first, again] = [
      await manager.createGuildKey(GUILD, { idempotencyKey: 'key-1' }),
      await manager.createGuildKey(GUILD, { idempotencyKey: 'key-1' }),
    ];
    assert.match(first.key, /^vty_/);
    assert.deepEqual([again.key, first.replayed, again.replayed], [first.key, false, true]);
    const check = () => live.call(`/v7/vote-check?discord_id=${USER}`, { key: first.key });
    assert.equal((await check()).status, 200);
    await manager.deleteGuildKey(GUILD);
    assert.equal((await check()).status, 401);
    assert.deepEqual(
      await errorOf(manager.createGuild({ guildId: UNKNOWN, name: 'x' }, { idempotencyKey: 'key-1' })),
      refusal(400, 'IDEMPOTENCY_MISMATCH'),
    );
  });

  it('casts a vote once per hour, and says when the next one is possible', async () => {
    const vote = {
      guildId: GUILD,
      userId: '200000000000000011',
      externalId: 'Alex',
      network: '198.51.100.7',
    };
    const { vote: cast, ...result } = await manager.castVote(vote, { idempotencyKey: 'vote-1' });
    assert.deepEqual(result, { nextVoteAt: NEXT, replayed: false });
    const { network: _network, ...stored } = vote;
    assert.deepEqual(cast, { voteId: cast.voteId, ...stored, timestamp: NOW, isDoubled: false });
    const again = await manager.castVote(vote, { idempotencyKey: 'vote-1' });
    assert.deepEqual([again.vote.voteId, again.replayed], [cast.voteId, true]);
    assert.deepEqual(
      await errorOf(manager.castVote(vote)),
      refusal(409, 'ALREADY_VOTED', { nextVoteAt: NEXT }),
    );
  });

  it('says why a user cannot vote', async () => {
    const userId = '200000000000000012';
    const cast = (voter: string) => errorOf(manager.castVote({ guildId: GUILD, userId: voter }));
    await manager.createBan({ userId });
    assert.deepEqual(await cast(userId), refusal(403, 'NOT_ELIGIBLE', { reason: 'banned' }));
    await manager.deleteBan(userId);
    const young = String(BigInt(NOW.getTime() - DAY_MS - 1_420_070_400_000) << 22n);
    assert.deepEqual(await cast(young), refusal(403, 'NOT_ELIGIBLE', { reason: 'account_too_young' }));
    await manager.updateGuild(GUILD, { sanction: { reason: 'spam' } });
    assert.deepEqual(await cast(userId), refusal(403, 'NOT_ELIGIBLE', { reason: 'sanctioned' }));
    await manager.updateGuild(GUILD, { sanction: null });
    const error = await manager.castVote({ guildId: GUILD, userId: 'abc', network: 'home' }).catch((e) => e);
    assert.ok(isVotaryValidationError(error));
    assert.deepEqual(
      error.fields.map(({ field, rule }) => [field, rule]),
      [
        ['user_id', 'regex'],
        ['network', 'ip'],
      ],
    );
  });

  it('bans a user, lists bans and lifts them', async () => {
    const ban = {
      userId: '200000000000000021',
      until: new Date('2027-01-01T00:00:00.000Z'),
      reason: 'bot',
      publicReason: 'scripts',
    };
    assert.deepEqual(await manager.createBan(ban), { ...ban, since: NOW, replayed: false });
    await manager.createBan({ userId: '200000000000000022' });
    const forever = {
      userId: '200000000000000022',
      since: NOW,
      until: null,
      reason: null,
      publicReason: null,
    };
    const both = [{ ...ban, since: NOW }, forever];
    assert.deepEqual((await manager.listBans()).bans, both);
    assert.deepEqual(await collect(manager.bans({ pageSize: 1 })), both);
    for (const { userId } of both) await manager.deleteBan(userId);
    assert.deepEqual(await collect(manager.bans()), []);
    assert.deepEqual(await errorOf(manager.deleteBan(ban.userId)), refusal(404, 'BAN_NOT_FOUND'));
  });

  it('voids votes and restores them', async () => {
    const selection = { guildId: GUILD, userId: USER, from: '2026-11-01', to: NOW, reason: 'scripted' };
    const dry = await manager.createVoid({ ...selection, dryRun: true });
    assert.deepEqual(dry, { batch: null, voided: 3, replayed: false });
    const { batch, voided } = await manager.createVoid(selection);
    assert.ok(batch);
    assert.equal(voided, 3);
    assert.deepEqual([await manager.deleteVoid(batch), await manager.deleteVoid(batch)], [3, 0]);
    assert.deepEqual(await errorOf(manager.deleteVoid('void_0')), refusal(404, 'BATCH_NOT_FOUND'));
  });

  it('exports and erases a user', async () => {
    const { user_id, exported_at, votes, ...rest } = await manager.getUser(USER);
    assert.deepEqual([user_id, exported_at, votes.length], [USER, NOW.toISOString(), 3]);
    assert.ok(!('ok' in rest));
    assert.deepEqual(await manager.deleteUser(USER), { votes: 3, guilds: 1 });
    assert.deepEqual(await errorOf(manager.getUser(USER)), refusal(404, 'USER_NOT_FOUND'));
    assert.deepEqual(await errorOf(manager.deleteUser('1')), refusal(400, 'INVALID_USER_ID'));
  });

  it('reports a wrong token and a missing scope', async () => {
    const withToken = (token: string, locale?: string) =>
      new VotaryManager({ token, baseUrl: live.url, locale });
    assert.deepEqual(
      await errorOf(withToken(`${live.token.slice(0, -1)}!`).listGuilds()),
      refusal(401, 'INVALID_TOKEN'),
    );
    const reader = withToken(await live.newToken(['guilds:read']), 'fr');
    assert.equal((await reader.getGuild(GUILD)).guildId, GUILD);
    assert.deepEqual(await errorOf(reader.deleteGuildKey(GUILD)), refusal(403, 'MISSING_SCOPE'));
  });
});
