import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { addPackage, addSdk, type Place, run, unpackGuide, write } from './programs.ts';
import { LIMITED_FOR_LONG, startDemo, startStub, startUntrusted, VOTE } from './services.ts';

/** Stands for Discord, which is not ours to call: it hands the bot the commands and prints what it replies. */
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
    for (const group of process.env.ASKING.split(',')) await Promise.all(group.split('+').map((id) => this.#ask(id)));
  }
}`;

/** \`npm init -y\` of a new npm says it; an old one leaves it out, which means the same. */
const INITIALISED = '{ "type": "commonjs" }';

async function unpack(t: TestContext, env: Record<string, string>): Promise<Place> {
  const place = await unpackGuide(t, 'discord-bot-node', env);
  await write(place.folder, 'package.json', INITIALISED);
  await addSdk(place.folder);
  await addPackage(place.folder, 'discord.js', DISCORD);
  return place;
}

/** The bot with users who ask one after the other (`,`) or at once (`+`). */
function bot({ folder, env }: Place, asking: string) {
  return run(process.execPath, ['bot.mjs'], { folder, env: { ...env, ASKING: asking } });
}

/** Makes the reward of the guide's bot do something else first. */
async function beforeReward({ folder }: Place, code: string): Promise<void> {
  const program = await readFile(join(folder, 'bot.mjs'), 'utf8');
  const changed = program.replace('console.log(`${isDoubled', `${code} console.log(\`\${isDoubled`);
  assert.notEqual(changed, program);
  await write(folder, 'bot.mjs', changed);
}

describe('the Discord guide', async () => {
  const demo = await startDemo();

  it('rewards a vote once, also after a restart, and gives others the link', async (t) => {
    const place = await unpack(t, demo.env);
    const answer = await bot(place, [demo.user, demo.user, '299999999999999999'].join(','));
    assert.deepEqual({ code: answer.code, stderr: answer.stderr }, { code: 0, stderr: '' });
    assert.match(
      answer.stdout,
      /^commands reward\n.+ for 2\d+\nThank you .+\nYou have your reward already.+\nYou have not voted .+\/vote\n$/,
    );
    assert.match((await bot(place, demo.user)).stdout, /^commands reward\nYou have your reward already/);
  });

  it('rewards a vote once when it is claimed twice at the same time', async (t) => {
    const place = await unpack(t, (await startStub(t, VOTE)).env);
    await beforeReward(place, 'await new Promise(setImmediate);');
    const { stdout } = await bot(place, `${demo.user}+${demo.user}`);
    assert.equal(stdout.match(/rewards? for/g)?.length, 1);
    assert.match(stdout, /Your reward is on its way/);
  });

  it('lets a reward that failed be claimed again', async (t) => {
    const place = await unpack(t, (await startStub(t, VOTE)).env);
    await beforeReward(
      place,
      "if (!globalThis.tried++) { globalThis.tried = 1; throw new Error('the shop is closed'); }",
    );
    const { stdout, stderr } = await bot(place, `${demo.user},${demo.user}`);
    assert.match(stderr, /the shop is closed/);
    assert.match(stdout, /I could not give your reward.+\n.+ for 2\d+\nThank you/);
  });

  const failures: [name: string, env: (t: TestContext) => Promise<Record<string, string>>, log: RegExp][] = [
    ['a wrong key', async () => ({ ...demo.env, VOTARY_API_KEY: 'wrong' }), /^INVALID_API_TOKEN/],
    ['the rate limit', async (t) => (await startStub(t, LIMITED_FOR_LONG)).env, /^RATE_LIMITED/],
    ['a certificate', async (t) => (await startUntrusted(t)).env, /^CERTIFICATE_ERROR .*NODE_EXTRA_CA_CERTS/],
  ];
  for (const [name, env, log] of failures) {
    it(`logs ${name}, and tells the user when to try again`, async (t) => {
      const answer = await bot(await unpack(t, await env(t)), demo.user);
      assert.match(answer.stderr, log);
      const seconds = name === 'the rate limit' ? 59 : 60;
      assert.match(answer.stdout, new RegExp(`I could not give your reward\\..* in ${seconds} seconds`));
    });
  }
});
