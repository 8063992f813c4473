import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { isRecord } from '../../src/domain/record.ts';
import { openApp, SITE, VOTER } from './fixture.ts';

const errorOf = (body: unknown) => (isRecord(body) ? body.error : undefined);

describe('the interactions endpoint', () => {
  it('responds to the ping of Discord', async () => {
    const { post, discord } = await openApp();
    assert.deepEqual(await post(discord.signed(discord.ping())), { status: 200, body: { type: 1 } });
  });

  it('rejects a missing, wrong or foreign signature without parsing the body', async () => {
    const { post, discord, store, guildId } = await openApp();
    const body = discord.command('vote', { guildId, userId: VOTER });
    const { headers } = discord.signed(body);
    const other = generateKeyPairSync('ed25519').privateKey;
    const signature = String(headers['x-signature-ed25519']);
    const requests = [
      { payload: body, headers: { 'content-type': 'application/json' } },
      { payload: body, headers: { ...headers, 'x-signature-ed25519': '' } },
      { payload: body, headers: { ...headers, 'x-signature-ed25519': 'zz'.repeat(64) } },
      { payload: body, headers: { ...headers, 'x-signature-ed25519': `${signature}00` } },
      { payload: body, headers: { ...headers, 'x-signature-ed25519': '0'.repeat(128) } },
      { payload: `${body} `, headers },
      { payload: body, headers: { ...headers, 'x-signature-timestamp': '' } },
      { payload: body, headers: { ...headers, 'x-signature-timestamp': 'soon' } },
      { payload: '', headers },
      discord.signed(body, { key: other }),
      discord.signed('not json', { key: other }),
    ];
    for (const request of requests) {
      const { status, body: answer } = await post(request);
      assert.deepEqual([status, errorOf(answer)], [401, 'INVALID_SIGNATURE']);
    }
    assert.deepEqual(await store.votes.recent(guildId, null, null, 10), []);
  });

  it('rejects a signature that is more than five minutes old, or from the future', async () => {
    const { server, post, discord, clock } = await openApp();
    await server.ready();
    clock.advance(10 * MINUTE_MS);
    for (const [offset, status] of [
      [-5 * MINUTE_MS, 200],
      [5 * MINUTE_MS, 200],
      [-5 * MINUTE_MS - SECOND_MS, 401],
      [5 * MINUTE_MS + SECOND_MS, 401],
    ] as const) {
      assert.equal((await post(discord.signed(discord.ping(), { at: clock() + offset }))).status, status);
    }
  });

  it('rejects interactions signed before the process started, which may be replays', async () => {
    const { server, post, discord, clock } = await openApp();
    await server.ready();
    const before = discord.signed(discord.ping(), { at: clock() - SECOND_MS });
    clock.advance(2 * SECOND_MS);
    assert.equal((await post(before)).status, 401);
    assert.equal((await post(discord.signed(discord.ping()))).status, 200);
  });

  it('accepts a signature once, regardless of the case of its digits', async () => {
    const { post, discord, clock, guildId } = await openApp();
    for (const body of [discord.ping(), discord.command('vote', { guildId, userId: VOTER })]) {
      const request = discord.signed(body);
      assert.equal((await post(request)).status, 200);
      const shouted = String(request.headers['x-signature-ed25519']).toUpperCase();
      assert.equal((await post(request)).status, 401);
      clock.advance(4 * MINUTE_MS);
      const again = { ...request, headers: { ...request.headers, 'x-signature-ed25519': shouted } };
      assert.equal((await post(again)).status, 401);
    }
  });

  it('rejects a signed body that is not an interaction of the app', async () => {
    const { post, discord, guildId } = await openApp();
    const command = JSON.parse(discord.command('vote', { guildId, userId: VOTER }));
    const bodies = ['{', '[]', 'null', '{"type":2}', '{"type":9}'];
    const broken = [
      { ...command, token: '' },
      { ...command, application_id: '../x' },
      { ...command, guild_id: 'x' },
      { ...command, member: {} },
      { ...command, data: { name: 7 } },
      { ...command, type: 3 },
    ];
    for (const body of [...bodies, ...broken.map((each) => JSON.stringify(each))]) {
      const { status, body: answer } = await post(discord.signed(body));
      assert.deepEqual([status, errorOf(answer)], [400, 'BAD_INTERACTION'], body);
    }
  });

  it('rejects a body of more than 64 KiB', async () => {
    const { post, discord } = await openApp();
    const { status } = await post(discord.signed(' '.repeat(64 * 1024 + 1)));
    assert.ok(status >= 400 && status < 500, String(status));
  });

  it('says that it is off if the app is not configured', async () => {
    const { post, discord, server } = await openApp({ isOff: true });
    const { status, body } = await post(discord.signed(discord.ping()));
    assert.deepEqual([status, errorOf(body)], [404, 'DISCORD_NOT_CONFIGURED']);
    const french = await server.inject({
      method: 'POST',
      url: '/discord/interactions',
      headers: { 'accept-language': 'fr' },
    });
    assert.match(french.json().message, /VOTARY_DISCORD_PUBLIC_KEY/);
    assert.equal(french.headers['content-language'], 'fr');
  });

  it('responds in time while the database is slow, and edits the response later', async () => {
    const { promise: database, resolve: release } = Promise.withResolvers<void>();
    const app = await openApp({
      endpoint: { deferAfterMs: 1 },
      wrapStore: (store) => ({
        ...store,
        votes: {
          ...store.votes,
          cast: async (...given) => {
            await database;
            return store.votes.cast(...given);
          },
        },
      }),
    });
    const body = app.discord.command('vote', { guildId: app.guildId, userId: VOTER });
    assert.deepEqual(await app.post(app.discord.signed(body)), {
      status: 200,
      body: { type: 5, data: { flags: 64 } },
    });
    release();
    await app.server.close();
    const edited = app.discord.edits.get(JSON.parse(body).token);
    assert.match(String(edited?.content), /has been counted/);
    assert.equal((await app.store.votes.recent(app.guildId, null, null, 10)).length, 1);
  });

  it('responds to a ping, and defers, while the replay counter does not respond', async () => {
    const app = await openApp({
      endpoint: { deferAfterMs: 1 },
      wrapStore: (store) => ({ ...store, rates: { hit: () => new Promise(() => undefined) } }),
    });
    const { body } = await app.post(app.discord.signed(app.discord.ping()));
    assert.deepEqual(body, { type: 1 });
  });

  it('tells users about a failure without details, and links to the voting page', async () => {
    const app = await openApp({
      wrapStore: (store) => ({
        ...store,
        guilds: { ...store.guilds, find: () => Promise.reject(new Error('secret details')) },
      }),
    });
    const { content, buttons } = await app.command('vote');
    assert.match(content, /Try again in a minute/);
    assert.deepEqual(Object.keys(buttons), ['Open the voting page']);
    assert.ok(!content.includes('secret details'));
  });

  it('links to the public address of the site', async () => {
    const app = await openApp();
    const { buttons } = await app.command('vote');
    assert.equal(buttons['Open the voting page'], `${SITE}/guild/${app.guildId}/vote`);
  });
});
