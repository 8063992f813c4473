import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startLive } from '../../clients/live.ts';
import { assertRepeated, startLossyProxy } from '../lossy-proxy.ts';
import { addPackage, addSdk, type Place, run, start, unpackGuide, write } from '../programs.ts';
import { environment, LIMITED_FOR_LONG, startStub, startUntrusted, watch } from '../services.ts';

/** Replaces Discord: passes commands to the bot and prints its replies. */
const DISCORD = `
import { EventEmitter } from 'node:events';
export const Events = { ClientReady: 'ready', InteractionCreate: 'interaction' };
export const GatewayIntentBits = { Guilds: 1 };
export const MessageFlags = { Ephemeral: 64 };
export class Client extends EventEmitter {
  application = { commands: { set: async (commands) => console.log('commands', commands[0].name) } };
  #ask(id) {
    return new Promise((resolve) => this.emit('interaction', {
      isChatInputCommand: () => true, commandName: 'reward', user: { id },
      deferReply: async () => {}, editReply: async (text) => resolve(console.log(text)),
    }));
  }
  async login() {
    this.emit('ready');
    const groups = (process.env.ASKING ?? '').split(',').filter(Boolean);
    for (const group of groups) await Promise.all(group.split('+').map((id) => this.#ask(id)));
    console.log('logged in');
  }
}`;

/** \`npm init -y\` of a new npm says it; an old one leaves it out, which means the same. */
const INITIALISED = '{ "type": "commonjs" }';
const USER = '200000000000000001';

async function unpack(t: TestContext, env: Record<string, string>): Promise<Place> {
  const place = await unpackGuide(t, 'discord-bot-node', { GUILD_ID: '100000000000000001', ...env });
  await write(place.folder, 'package.json', INITIALISED);
  await addSdk(place.folder);
  await addPackage(place.folder, 'discord.js', DISCORD);
  return place;
}

/** Runs the bot with users who call it one after the other (`,`) or concurrently (`+`). */
const bot = (t: TestContext, { folder, env }: Place, asking = '') =>
  watch(t, start(process.execPath, ['bot.mjs'], { folder, env: { ...env, ASKING: asking } }));

/** The same bot with one part of its code replaced; the returned function restores it. */
async function change({ folder }: Place, from: string, to: string): Promise<() => Promise<void>> {
  const source = await readFile(join(folder, 'rewards.mjs'), 'utf8');
  assert.ok(source.includes(from));
  await write(folder, 'rewards.mjs', source.replace(from, to));
  return () => write(folder, 'rewards.mjs', source);
}

/** Waits until the file of the bot has the expected content; the bot replaces it after every change. */
async function untilLedger({ folder }: Place, isExpected: (ledger: Ledger) => boolean): Promise<Ledger> {
  for (;;) {
    const text = await readFile(join(folder, 'rewards.json'), 'utf8').catch(() => 'null');
    const ledger: Ledger | null = JSON.parse(text);
    if (ledger && isExpected(ledger)) return ledger;
    await pause(20);
  }
}

type Ledger = { coins: Record<string, number>; keys: Record<string, string>; cursor: string | null };

const REWARD = '  ledger.coins[userId] =';

describe('the Discord guide', async () => {
  const live = await startLive();

  async function open(t: TestContext) {
    const community = await live.addCommunity();
    const env = environment(live.url, community.key, live.certificate);
    return { community, place: await unpack(t, { ...env, GUILD_ID: community.guildId }) };
  }

  it('rewards votes of the last hours on request, once, even after a restart', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ minutesAgo: 300 });
    await community.cast({ minutesAgo: 60, isDoubled: true });
    const first = bot(t, place, `${USER}+${USER},299999999999999999`);
    await first.until('logged in');
    const link = `${live.url}/guild/${community.guildId}/vote`;
    assert.deepEqual(first.printed().split('\n').toSorted(), [
      '',
      `Thank you! New votes: 2. You have 30 coins. Vote: ${link}`,
      `You have no new votes. You have 0 coins. Vote: ${link}`,
      `You have no new votes. You have 30 coins. Vote: ${link}`,
      'commands reward',
      'logged in',
    ]);
    await first.kill();
    const second = bot(t, place, USER);
    await second.until('You have no new votes. You have 30 coins.');
    await second.kill();
  });

  it('rewards votes as they arrive, and votes during a downtime afterwards', async (t) => {
    const { community, place } = await open(t);
    const first = bot(t, place);
    await untilLedger(place, ({ cursor }) => cursor !== null);
    await community.cast({ minutesAgo: 60 });
    await untilLedger(place, ({ coins }) => coins[USER] === 10);
    await first.kill();
    await community.cast({});
    const second = bot(t, place);
    await untilLedger(place, ({ coins, keys }) => coins[USER] === 20 && !keys[USER]);
    await second.kill();
  });

  it('starts again a day ago if the service does not know its cursor any more', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ minutesAgo: 60 });
    await write(place.folder, 'rewards.json', '{"coins":{},"rewarded":{},"keys":{},"cursor":"c.lost"}');
    const program = bot(t, place);
    const ledger = await untilLedger(place, ({ coins, cursor }) => coins[USER] === 10 && cursor !== 'c.lost');
    assert.notEqual(ledger.cursor, null);
    await program.kill();
    assert.match(program.printed(), /This cursor was not issued by the feed/);
  });

  for (const [name, from, to] of [
    ['before', REWARD, `  process.exit(9);\n${REWARD}`],
    ['after', '    if (claimed) count += 1;', '    process.exit(9);'],
  ] as const) {
    it(`rewards a vote once if the bot crashes ${name} the reward`, async (t) => {
      const { community, place } = await open(t);
      await community.cast({});
      const restore = await change(place, from, to);
      assert.equal(await bot(t, place, USER).closed(), 9);
      await restore();
      const repaired = bot(t, place);
      const { coins } = await untilLedger(place, ({ cursor }) => cursor !== null);
      await repaired.kill();
      assert.deepEqual(coins, { [USER]: 10 });
    });
  }

  it('rewards every vote once if the response to a claim is lost, and leaves it to other consumers', async (t) => {
    const community = await live.addCommunity();
    await community.cast({ externalId: 'Steve_42', minutesAgo: 120, isDoubled: true });
    await community.cast({ externalId: 'Steve_42' });
    const proxy = await startLossyProxy(t, live.url);
    const place = await unpack(t, environment(proxy.url, community.key, proxy.certificate));
    assert.deepEqual(await run('sh', ['claim.sh'], place), { code: 0, stdout: '2\n', stderr: '' });
    assertRepeated(proxy);
    const { coins, keys } = await untilLedger(place, () => true);
    assert.deepEqual({ coins, keys }, { coins: { [USER]: 30 }, keys: {} });
    assert.deepEqual(await community.claims('Steve_42', 'bot'), { claimable: 0, claimed: 2 });
    assert.deepEqual(await community.claims('Steve_42', 'survival'), { claimable: 2, claimed: 0 });
  });

  it('releases a vote if its reward failed, and rewards it later', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: 'Steve_42' });
    await change(
      place,
      REWARD,
      `  if (!globalThis.tried++) { globalThis.tried = 1; throw new Error('the shop is closed'); }\n${REWARD}`,
    );
    const program = bot(t, place, `${USER},${USER}`);
    await program.until('logged in');
    assert.match(program.printed(), /the shop is closed/);
    assert.match(
      program.printed(),
      /I could not get your rewards.+\nThank you! New votes: 1\. You have 10 coins/,
    );
    assert.deepEqual(await community.claims('Steve_42', 'bot'), { claimable: 0, claimed: 1 });
    await program.kill();
  });

  const failures: [name: string, env: (t: TestContext) => Promise<Record<string, string>>, log: RegExp][] = [
    ['a wrong key', async () => environment(live.url, 'wrong', live.certificate), /^INVALID_API_TOKEN/m],
    ['the rate limit', async (t) => (await startStub(t, LIMITED_FOR_LONG)).env, /^RATE_LIMITED/m],
    [
      'a certificate',
      async (t) => (await startUntrusted(t)).env,
      /^CERTIFICATE_ERROR .*NODE_EXTRA_CA_CERTS/m,
    ],
  ];
  for (const [name, env, log] of failures) {
    it(`logs ${name}, and tells the user when to try again`, async (t) => {
      const program = bot(t, await unpack(t, await env(t)), USER);
      await program.until('logged in');
      await program.kill();
      assert.match(program.printed(), log);
      const seconds = name === 'the rate limit' ? 59 : 60;
      assert.match(program.printed(), new RegExp(`I could not get your rewards\\..* in ${seconds} seconds`));
    });
  }
});
