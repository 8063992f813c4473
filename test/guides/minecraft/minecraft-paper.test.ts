import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { assertDone } from '../../cli/votary.ts';
import { startLive } from '../../clients/live.ts';
import { temporaryFolder } from '../../http/support.ts';
import { requirement } from '../../support/requirement.ts';
import { compileJava, filesOf, QUICK_JAVA, start, write } from '../programs.ts';
import { environment, javaTrust, watch } from '../services.ts';

const PAPER = join(import.meta.dirname, 'paper');
const NAME = 'Steve_42';

/**
 * The plugin with the classes of the Java guide, compiled against stubs of the Bukkit API and a server that runs it.
 */
async function build(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-paper-'));
  after(() => rm(folder, { recursive: true }));
  for (const { name, text } of await filesOf('minecraft-paper')) await write(folder, name, text);
  for (const { name, text } of await filesOf('java-game-server')) {
    if (name !== 'TryIt.java') await write(folder, name, text);
  }
  const stubs = await readFile(join(PAPER, 'bukkit.txt'), 'utf8');
  for (const [, path = '', text = ''] of stubs.matchAll(
    /^\/\/ (\S+\.java)\n([\s\S]*?)(?=^\/\/ \S+\.java$|$(?![\s\S]))/gm,
  )) {
    await write(folder, path, text);
  }
  await copyFile(join(PAPER, 'Harness.java'), join(folder, 'Harness.java'));
  assertDone(await compileJava({ folder, env: {} }, '*.java'));
  return folder;
}

describe('the Minecraft guide', { skip: requirement('java') }, async () => {
  const live = await startLive();
  const classes = await build();
  const trust = await javaTrust(classes, live.certificate);

  async function openWorld(t: TestContext) {
    const community = await live.addCommunity();
    const env = environment(live.url, community.key, live.certificate);
    const folder = await temporaryFolder(t);
    const serve = (crash = '') => {
      const args = [...QUICK_JAVA, ...trust, '-cp', classes, 'Harness'];
      const child = start('java', args, {
        folder,
        env: { ...env, GUILD_ID: community.guildId, CRASH: crash },
      });
      const game = watch(t, child);
      return {
        ...game,
        say: (line: string) => child.stdin?.write(`${line}\n`),
        stop: async () => {
          child.stdin?.write('stop\n');
          assert.equal(await game.closed(), 0, game.printed());
        },
      };
    };
    return { community, serve };
  }

  it('rewards online players immediately, and others when they join', async (t) => {
    const { community, serve } = await openWorld(t);
    await community.cast({ externalId: NAME, minutesAgo: 240 });
    const game = serve();
    await game.until('enabled');
    game.say(`join ${NAME}`);
    await game.until(`${NAME} has 1 diamonds\n${NAME}: Thank you for your vote!`);
    await community.cast({ externalId: NAME, isDoubled: true });
    await game.until(`${NAME} has 3 diamonds`);
    game.say(`vote ${NAME}`);
    await game.until(`${NAME}: ${live.url}/guild/${community.guildId}/vote?external_id=${NAME}\n`);
    await community.cast({ userId: '200000000000000002', externalId: 'Alex' });
    game.say(`join Alex`);
    await game.until('Alex has 1 diamonds');
    await game.stop();
  });

  for (const crash of ['give', 'save', 'saved']) {
    it(`gives exactly one diamond if the server crashes at "${crash}"`, async (t) => {
      const { community, serve } = await openWorld(t);
      await community.cast({ externalId: NAME });
      const first = serve(crash);
      await first.until('enabled');
      first.say(`join ${NAME}`);
      assert.equal(await first.closed(), 9);
      const second = serve();
      await second.until('enabled');
      // The interrupted claim is released, because the player is not online or was already rewarded.
      await community.untilClaims(NAME, { claimable: 1, claimed: 0 });
      second.say(`join ${NAME}`);
      if (crash === 'saved') await community.untilClaims(NAME, { claimable: 0, claimed: 1 });
      else await second.until(`${NAME} has 1 diamonds`);
      second.say(`quit ${NAME}`);
      await second.until(`${NAME} has `);
      await second.stop();
      assert.match(second.printed(), /Steve_42 has 1 diamonds\n$/);
      assert.doesNotMatch(second.printed(), /has 2 diamonds/);
    });
  }

  it('keeps the vote of a player whose inventory is full', async (t) => {
    const { community, serve } = await openWorld(t);
    await community.cast({ externalId: NAME });
    const game = serve();
    await game.until('enabled');
    game.say(`full ${NAME}`);
    await community.untilClaims(NAME, { claimable: 1, claimed: 0 });
    game.say(`quit ${NAME}`);
    game.say(`join ${NAME}`);
    await game.until(`${NAME} has 1 diamonds`);
    await game.stop();
  });
});
