import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { readConfig } from '../../../src/config.ts';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { createRefresher, imageType, type Refresher } from '../../../src/site/profile/refresh.ts';
import { chooseSignIn } from '../../../src/site/sign-in/choose-sign-in.ts';
import { discordEndpoints } from '../../../src/site/sign-in/discord-api.ts';
import { type FakeGuild, startFakeDiscord } from '../../support/discord/fake-discord.ts';
import { openSignIn, signInByDiscord } from '../sign-in/support.ts';

const GUILD = '100000000000000001';
const HASH = '0f'.repeat(16);
const OTHER_HASH = `a_${'1e'.repeat(16)}`;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Mona administers one listed community, and opens the dashboard after `signIn`. */
async function open(t: TestContext, guild: Partial<FakeGuild> = {}) {
  const discord = await startFakeDiscord();
  t.after(() => discord.close());
  const made: Refresher[] = [];
  const site = await openSignIn(t, (clock, store) => {
    const icons = discordEndpoints(discord.url).icons;
    const logger = createLogger('silent');
    const refresher = createRefresher({ store, clock, icons, userAgent: 'tests', logger });
    made.push(refresher);
    return chooseSignIn(readConfig(discord.env), clock, { onAdminGuilds: refresher.refresh });
  });
  const { store, clock } = site;
  const [refresher] = made;
  assert.ok(refresher);
  await store.guilds.add({ guildId: GUILD, name: 'Before', createdAt: clock() });
  discord.person.guilds = [{ id: GUILD, name: 'Before', permissions: '8', ...guild }];
  const mona = site.visitor();
  await signInByDiscord(mona);
  return {
    ...site,
    discord,
    mona,
    refresher,
    guild: () => store.guilds.find(GUILD),
    async visit() {
      clock.advance(MINUTE_MS);
      const answer = await mona.get('/dashboard');
      await refresher.settled();
      return answer;
    },
  };
}

describe('the name of a community', () => {
  it('follows the name on Discord, and the log says so', async (t) => {
    const { visit, guild, store } = await open(t, { name: 'After' });
    await visit();
    assert.equal((await guild())?.name, 'After');
    await visit();
    const activities = await store.activities.recent(GUILD, 10);
    assert.deepEqual(
      activities.map(({ action, actor, detail, count }) => ({ action, name: actor?.name, detail, count })),
      [
        {
          action: 'guild_renamed',
          name: 'Mona',
          detail: { guildName: { from: 'Before', to: 'After' } },
          count: 1,
        },
      ],
    );
  });

  it('stays as set by the operator until it changes on Discord', async (t) => {
    const { visit, guild, store, discord } = await open(t);
    await visit();
    await store.guilds.rename(GUILD, 'Moderated');
    await visit();
    assert.equal((await guild())?.name, 'Moderated');
    discord.person.guilds = [{ id: GUILD, name: 'New', permissions: '8' }];
    await visit();
    assert.equal((await guild())?.name, 'New');
  });

  it('is taken from admins only, and for listed communities only', async (t) => {
    const { visit, guild, store, discord } = await open(t);
    const unlisted = '100000000000000002';
    discord.person.guilds = [
      { id: GUILD, name: 'Vandalized', permissions: '0', icon: HASH },
      { id: unlisted, name: 'Elsewhere', permissions: '8', icon: HASH },
    ];
    await visit();
    assert.equal((await guild())?.name, 'Before');
    assert.equal(await store.guilds.find(unlisted), undefined);
    assert.deepEqual(discord.iconRequests, []);
  });
});

describe('the icon of a community', () => {
  it('is copied from Discord once, replaced when it changes, and removed with it', async (t) => {
    const { visit, guild, store, discord } = await open(t, { icon: HASH });
    discord.icons.set(`/icons/${GUILD}/${HASH}.png`, { body: PNG });
    await visit();
    await visit();
    assert.deepEqual(discord.iconRequests, [`/icons/${GUILD}/${HASH}.png?size=128`]);
    const icon = await store.profiles.icon(GUILD);
    assert.deepEqual([icon?.type, icon?.bytes, icon?.version], ['image/png', PNG, (await guild())?.icon]);

    discord.icons.set(`/icons/${GUILD}/${OTHER_HASH}.png`, { body: Buffer.concat([PNG, PNG]) });
    discord.person.guilds = [{ id: GUILD, name: 'Before', permissions: '8', icon: OTHER_HASH }];
    await visit();
    assert.notEqual((await guild())?.icon, icon?.version);
    discord.person.guilds = [{ id: GUILD, name: 'Before', permissions: '8', icon: null }];
    await visit();
    assert.equal((await guild())?.icon, null);
  });

  const REFUSED = {
    'a page': { body: '<!doctype html>' },
    'a page called an image': { body: '<svg xmlns="http://www.w3.org/2000/svg"/>', type: 'image/png' },
    'an image called a page': { body: PNG, type: 'text/html' },
    'an image of more than 256 KiB': { body: Buffer.concat([PNG, Buffer.alloc(256 * 1024)]) },
    'an error': { body: PNG, status: 500 },
    'a redirect': { body: 'http://127.0.0.1:1/', status: 302 },
  };
  for (const [name, answer] of Object.entries(REFUSED)) {
    it(`is not stored if Discord responds with ${name}, and not requested again for ten minutes`, async (t) => {
      const { visit, guild, discord, clock } = await open(t, { icon: HASH });
      discord.icons.set(`/icons/${GUILD}/${HASH}.png`, answer);
      assert.equal((await visit()).status, 200);
      await visit();
      assert.equal((await guild())?.icon, null);
      assert.equal(discord.iconRequests.length, 1);
      discord.icons.set(`/icons/${GUILD}/${HASH}.png`, { body: PNG });
      clock.advance(10 * MINUTE_MS);
      await visit();
      assert.notEqual((await guild())?.icon, null);
    });
  }

  for (const icon of ['../../users', `${HASH}?x`, `${HASH}/..`, 7]) {
    it(`is not requested with the name ${JSON.stringify(icon)}`, async (t) => {
      const { visit, discord } = await open(t, { icon });
      await visit();
      assert.deepEqual(discord.iconRequests, []);
    });
  }

  it('does not delay an admin', async (t) => {
    const { mona, refresher, discord } = await open(t, { icon: HASH });
    discord.icons.set(`/icons/${GUILD}/${HASH}.png`, { body: PNG, isSlow: true });
    assert.equal((await mona.get('/dashboard')).status, 200);
    let isSettled = false;
    const settled = refresher.settled().then(() => {
      isSettled = true;
    });
    await mona.get('/dashboard');
    assert.equal(isSettled, false);
    await refresher.stop();
    await settled;
  });

  it('is recognized by its first bytes', () => {
    const types = ['ffd8ffe0', '474946383961', '524946460000000057454250', '3c737667', ''].map((hex) =>
      imageType(Buffer.from(hex, 'hex')),
    );
    assert.deepEqual(types, ['image/jpeg', 'image/gif', 'image/webp', undefined, undefined]);
  });
});
