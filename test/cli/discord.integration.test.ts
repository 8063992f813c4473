import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { isRecord } from '../../src/domain/record.ts';
import { type FakeDiscordApp, startDiscord } from '../support/discord/discord-app.ts';
import { BOT_TOKEN } from '../support/discord/discord-rest.ts';
import { makeHome } from './votary.ts';

const SITE = 'https://votes.example.org';
const ENDPOINT = `${SITE}/discord/interactions`;

async function open(variables: Record<string, string | undefined> = {}) {
  const discord = await startDiscord();
  after(() => discord.close());
  const given = { ...discord.env, VOTARY_PUBLIC_URL: SITE, ...variables };
  const set = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { discord, home: await makeHome(Object.fromEntries(set)) };
}

describe('votary discord register', () => {
  it('registers the commands in both languages and the endpoint', async () => {
    const { discord, home } = await open();
    assert.deepEqual(await home.json('discord', 'register'), {
      application_id: discord.applicationId,
      commands: ['vote', 'vote-status', 'top', 'remind'],
      interactions_endpoint_url: ENDPOINT,
      invite_url: `https://discord.com/oauth2/authorize?client_id=${discord.applicationId}&scope=bot+applications.commands&permissions=0`,
    });
    assert.equal(discord.endpointUrl, ENDPOINT);
    assert.deepEqual(
      discord.commands.map(({ name, name_localizations: names }) => [name, names]),
      [
        ['vote', { fr: 'voter' }],
        ['vote-status', { fr: 'statut-vote' }],
        ['top', { fr: 'classement' }],
        ['remind', { fr: 'rappel' }],
      ],
    );
    const remind = discord.commands.at(-1);
    assert.ok(isRecord(remind) && Array.isArray(remind.options));
    assert.deepEqual(
      remind.options.map(({ name }) => name),
      ['on', 'off'],
    );
    assert.match(
      (await home.votary('discord', 'register')).stdout,
      /^Registered \/vote, .*\nAdd the app to a server: /,
    );
  });

  it('says what is missing', async () => {
    const { home } = await open({ VOTARY_DISCORD_BOT_TOKEN: undefined, VOTARY_PUBLIC_URL: undefined });
    const { code, stderr } = await home.votary('discord', 'register');
    assert.equal(code, 1);
    assert.match(stderr, /set VOTARY_DISCORD_BOT_TOKEN and VOTARY_PUBLIC_URL first/);
  });

  it('prints the key to set if there is none, or if it belongs to another application', async () => {
    for (const VOTARY_DISCORD_PUBLIC_KEY of [undefined, 'ab'.repeat(32)]) {
      const { discord, home } = await open({ VOTARY_DISCORD_PUBLIC_KEY });
      const { code, stderr } = await home.votary('discord', 'register');
      assert.equal(code, 1);
      assert.ok(stderr.includes(discord.publicKey));
      assert.deepEqual([discord.commands, discord.endpointUrl], [[], null]);
    }
  });

  it('explains an endpoint that Discord cannot verify', async () => {
    const { discord, home } = await open();
    discord.verifyEndpoint = async () => false;
    const { code, stderr } = await home.votary('discord', 'register');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /the commands are registered, but Discord cannot verify https:\/\/votes\.example\.org/,
    );
    assert.equal(stderr.trim().split('\n').length, 1);
  });

  it('explains a rejected token and an unreachable Discord, without printing the token', async () => {
    const wrong = await open({ VOTARY_DISCORD_BOT_TOKEN: 'a.wrong.token' });
    const refused = await wrong.home.votary('discord', 'register');
    assert.match(refused.stderr, /Discord rejected VOTARY_DISCORD_BOT_TOKEN/);
    const down = await open();
    down.discord.fault = () => 'down';
    const unreachable = await down.home.votary('discord', 'register');
    assert.match(
      unreachable.stderr,
      /Discord cannot be reached.*check that this machine can connect to discord\.com/,
    );
    for (const { code, stderr } of [refused, unreachable]) {
      assert.equal(code, 1);
      assert.ok(!stderr.includes(BOT_TOKEN) && !stderr.includes('a.wrong.token'));
    }
  });
});

describe('votary discord status', () => {
  const checks = async (home: Awaited<ReturnType<typeof open>>['home']) => {
    const document = await home.json('discord', 'status');
    assert.ok(isRecord(document) && Array.isArray(document.checks));
    return [document.ok, ...document.checks.map(({ check, status }) => `${check}: ${status}`)];
  };
  const set = ['public key: ok', 'bot token: ok', 'public URL: ok'];

  it('shows that nothing is configured', async () => {
    const home = await makeHome();
    assert.deepEqual(await checks(home), [
      false,
      'public key: missing',
      'bot token: missing',
      'public URL: missing',
    ]);
    assert.match(
      (await home.votary('discord', 'status')).stdout,
      /MISSING +public key .*\n.*VOTARY_DISCORD_PUBLIC_KEY/,
    );
  });

  it('shows what is registered, before and after', async () => {
    const { discord, home } = await open();
    assert.deepEqual(await checks(home), [
      false,
      ...set,
      'application: ok',
      'commands: missing',
      'endpoint: missing',
    ]);
    await home.votary('discord', 'register');
    assert.deepEqual(await checks(home), [true, ...set, 'application: ok', 'commands: ok', 'endpoint: ok']);
    discord.endpointUrl = 'https://old.example.org/discord/interactions';
    assert.deepEqual((await checks(home)).at(-1), 'endpoint: failed');
  });

  it('shows a key of another application, and a token that Discord rejects', async () => {
    const { home } = await open({ VOTARY_DISCORD_PUBLIC_KEY: 'ab'.repeat(32) });
    assert.ok((await checks(home)).includes('application: failed'));
    const other = await open({ VOTARY_DISCORD_BOT_TOKEN: 'a.wrong.token' });
    assert.deepEqual((await checks(other.home)).at(-1), 'application: failed');
  });
});

describe('the configuration of the app', () => {
  it('is validated at the start, and errors do not contain the token', async () => {
    const key = await makeHome({ VOTARY_DISCORD_PUBLIC_KEY: 'not hex' });
    const wrongKey = await key.votary('discord', 'status');
    assert.match(wrongKey.stderr, /VOTARY_DISCORD_PUBLIC_KEY must be the 64 hexadecimal digits/);
    const token = await makeHome({ VOTARY_DISCORD_BOT_TOKEN: 'Bot secret' });
    const wrongToken = await token.votary('config');
    assert.match(wrongToken.stderr, /VOTARY_DISCORD_BOT_TOKEN must be the token/);
    assert.ok(!wrongToken.stderr.includes('secret'));
  });

  it('masks the token, and reads it from a file', async () => {
    const { discord, home } = await open({ VOTARY_DISCORD_BOT_TOKEN: undefined });
    const file = await home.file('token', `${BOT_TOKEN}\n`);
    const other = await makeHome({
      ...withoutToken(discord),
      VOTARY_DISCORD_BOT_TOKEN_FILE: file,
      VOTARY_PUBLIC_URL: SITE,
    });
    const { stdout } = await other.votary('config');
    assert.ok(!stdout.includes(BOT_TOKEN));
    assert.equal((await other.votary('discord', 'register')).code, 0);
  });
});

function withoutToken({
  env: { VOTARY_DISCORD_BOT_TOKEN: _, ...rest },
}: FakeDiscordApp): Record<string, string> {
  return rest;
}
