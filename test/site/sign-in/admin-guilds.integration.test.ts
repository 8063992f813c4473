import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { NO_RULES } from '../../../src/store/moderation/integrity.ts';
import type { Store } from '../../../src/store/store.ts';
import type { FakeGuild, Fault } from '../../support/discord/fake-discord.ts';
import { openWithDiscord, personOf, signInByDiscord, type Visitor } from './support.ts';

const SECOND = 1000;
const ADMINISTRATOR = '8';

describe('the communities of a user', () => {
  const cases: [name: string, guild: Omit<FakeGuild, 'id' | 'name'>, isAdmin: boolean][] = [
    ['an owner', { owner: true, permissions: '0' }, true],
    ['an administrator', { owner: false, permissions: ADMINISTRATOR }, true],
    ['all permissions', { owner: false, permissions: '2251799813685247' }, true],
    ['more permissions than fit into a number', { owner: false, permissions: '73786976294838206472' }, true],
    ['all permissions except this one', { owner: false, permissions: '73786976294838206455' }, false],
    ['no permission', { owner: false, permissions: '0' }, false],
    ['permissions written as a number', { permissions: 8 }, true],
  ];
  for (const [name, guild, isAdmin] of cases) {
    it(`${isAdmin ? 'count' : 'do not count'} with ${name}`, async (t) => {
      const { mona } = await openAs(t, [{ id: '100000000000000009', name: 'Nine', ...guild }]);
      assert.deepEqual(
        await guildsOf(mona),
        isAdmin ? [{ guildId: '100000000000000009', name: 'Nine' }] : [],
      );
    });
  }

  it('have names that are shown as text', async (t) => {
    const name = '\u202e<b>\ud800\n\u0000</b>';
    const { mona } = await openAs(t, [{ id: '100000000000000009', name, permissions: ADMINISTRATOR }]);
    assert.deepEqual(await guildsOf(mona), [{ guildId: '100000000000000009', name: '<b>\ufffd </b>' }]);
  });

  it('are shown by their id if their name is invisible', async (t) => {
    const { mona } = await openAs(t, [
      { id: '100000000000000009', name: ' \u202e ', permissions: ADMINISTRATOR },
    ]);
    assert.deepEqual(await guildsOf(mona), [{ guildId: '100000000000000009', name: '100000000000000009' }]);
  });
});

describe('a revoked permission', () => {
  it('is effective within 60 seconds', async (t) => {
    const { mona, discord, clock } = await openAs(t, [adminOf('100000000000000009')]);
    assert.equal((await guildsOf(mona)).length, 1);
    discord.person.guilds = [];
    clock.advance(60 * SECOND - 1);
    assert.equal((await guildsOf(mona)).length, 1);
    clock.advance(1);
    assert.equal((await guildsOf(mona)).length, 0);
  });

  it('is effective immediately after signing in again', async (t) => {
    const { mona, discord } = await openAs(t, [adminOf('100000000000000009')]);
    assert.equal((await guildsOf(mona)).length, 1);
    discord.person.guilds = [];
    await signInByDiscord(mona);
    assert.equal((await guildsOf(mona)).length, 0);
  });
});

describe('a membership', () => {
  const guildId = '100000000000000009';

  it('that ended no longer allows voting five minutes later', async (t) => {
    const { mona, discord, clock, store } = await openAs(t, [
      { id: guildId, name: 'Nine', permissions: '0' },
    ]);
    const canVote = await openForMembers(store, clock(), mona);
    assert.equal(await canVote(), true);
    discord.person.guilds = [];
    clock.advance(5 * 60 * SECOND - 1);
    assert.equal(await canVote(), true);
    clock.advance(1);
    assert.equal(await canVote(), false);
  });

  it('that has just started counts within ten seconds', async (t) => {
    const { mona, discord, clock, store } = await openAs(t, []);
    const canVote = await openForMembers(store, clock(), mona);
    assert.equal(await canVote(), false);
    discord.person.guilds = [{ id: guildId, name: 'Nine', permissions: '0' }];
    clock.advance(10 * SECOND);
    assert.equal(await canVote(), true);
  });

  /** Adds a community in which only members can vote, and returns whether its page offers to vote. */
  async function openForMembers(store: Store, createdAt: number, visitor: Visitor) {
    await store.guilds.add({ guildId, name: 'Nine', createdAt });
    await store.integrity.setRules(guildId, { ...NO_RULES, membersOnly: true });
    return async () => {
      const { text } = await visitor.get(`/guild/${guildId}/vote`);
      const isRefused = text.includes('Only members of this community can vote');
      assert.notEqual(
        isRefused,
        text.includes('name="_csrf" value="') && /<form[^>]*\/vote/.test(text),
        text,
      );
      return !isRefused;
    };
  }
});

describe('Discord is queried', () => {
  it('once for pages that are opened together, and once a minute', async (t) => {
    const { mona, discord, clock } = await openAs(t, [adminOf('100000000000000009')]);
    await Promise.all([guildsOf(mona), guildsOf(mona), guildsOf(mona)]);
    await guildsOf(mona);
    assert.equal(discord.calls.guilds, 1);
    clock.advance(60 * SECOND);
    await guildsOf(mona);
    assert.equal(discord.calls.guilds, 2);
  });

  it('separately for each user', async (t) => {
    const { mona, discord, visitor } = await openAs(t, [adminOf('100000000000000009')]);
    await guildsOf(mona);
    discord.person = { id: '200000000000000501', username: 'noor', global_name: null, guilds: [] };
    const noor = visitor();
    await signInByDiscord(noor);
    assert.deepEqual(await guildsOf(noor), []);
    assert.equal((await guildsOf(mona)).length, 1);
  });

  const unavailable: Fault[] = ['down', 'error', 'nonsense', 'wrong-shape'];
  for (const fault of unavailable) {
    it(`and if it is ${fault}, a page says so, and the next attempt can succeed`, async (t) => {
      const { mona, discord } = await openAs(t, [adminOf('100000000000000009')]);
      discord.faults.guilds = fault;
      const answer = await mona.get('/probe/guilds');
      assert.equal(answer.status, 502);
      assert.ok(answer.text.includes('<h1>Discord is not responding</h1>'));
      delete discord.faults.guilds;
      assert.equal((await guildsOf(mona)).length, 1);
    });
  }

  it('and if it rejects the token, the user signs in again and returns to the page', async (t) => {
    const { mona, discord } = await openAs(t, []);
    discord.tokens.clear();
    const answer = await mona.get('/probe/guilds?tab=key');
    assert.deepEqual([answer.status, answer.location], [303, '/sign-in?back=%2Fprobe%2Fguilds%3Ftab%3Dkey']);
    assert.equal(personOf(await mona.get('/probe')), null);
    assert.equal((await signInByDiscord(mona, '/probe/guilds?tab=key')).location, '/probe/guilds?tab=key');
    assert.deepEqual(await guildsOf(mona), []);
  });

  it('not at all after the token has expired', async (t) => {
    const { mona, discord, clock } = await openAs(t, [], 3600);
    clock.advance(3600 * SECOND);
    assert.equal((await mona.get('/probe/guilds')).status, 303);
    assert.equal(discord.calls.guilds, 0);
  });
});

describe('a page that requires sign-in', () => {
  it('redirects to the sign-in and back', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const stranger = visitor();
    for (const path of ['/probe/private?a=1&b=%26', '/probe/guilds']) {
      const answer = await stranger.get(path);
      assert.deepEqual([answer.status, answer.location], [303, `/sign-in?back=${encodeURIComponent(path)}`]);
      assert.equal(answer.headers['cache-control'], 'no-store');
    }
  });

  it('rejects its form for signed-out visitors, and links back to the page of the form', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const answer = await visitor().post('/probe/private', {}, { referer: 'https://localhost/probe?a=1' });
    assert.equal(answer.status, 401);
    assert.ok(answer.text.includes('<h1>You are no longer signed in</h1>'));
    assert.ok(answer.text.includes('href="/sign-in?back=%2Fprobe%3Fa%3D1"'), answer.text);
  });

  it('allows forms to redirect to Discord, and nowhere else', async (t) => {
    const { visitor, discord } = await openWithDiscord(t);
    const { headers } = await visitor().get('/sign-in/callback');
    assert.match(
      String(headers['content-security-policy']),
      new RegExp(`form-action 'self' ${discord.url};`),
    );
  });
});

function adminOf(id: string): FakeGuild {
  return { id, name: `Guild ${id}`, owner: false, permissions: ADMINISTRATOR };
}

async function openAs(t: TestContext, guilds: FakeGuild[], lifetimeSeconds = 604_800) {
  const opened = await openWithDiscord(t);
  opened.discord.person.guilds = guilds;
  opened.discord.lifetimeSeconds = lifetimeSeconds;
  const mona = opened.visitor();
  await signInByDiscord(mona);
  return { ...opened, mona };
}

async function guildsOf(visitor: Visitor): Promise<unknown[]> {
  return JSON.parse((await visitor.get('/probe/guilds')).text);
}
