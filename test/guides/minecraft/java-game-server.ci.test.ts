import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { assertDone } from '../../cli/votary.ts';
import { startLive } from '../../clients/live.ts';
import { temporaryFolder } from '../../http/support.ts';
import { requirement } from '../../support/requirement.ts';
import { assertRepeated, startLossyProxy } from '../lossy-proxy.ts';
import { compileJava, filesOf, type Place, QUICK_JAVA, run, start, write } from '../programs.ts';
import {
  environment,
  javaTrust,
  LIMITED_FOR_A_SECOND,
  startStub,
  startUntrusted,
  watch,
} from '../services.ts';
import { replaceAll, SHORT_PAUSES } from './paper/game.ts';

const NAME = 'Steve_42';

type Game = { place: Place; trust: string[]; compiled: string };

/** The programs of the guide, compiled once as it describes. */
async function compileOnce(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-java-'));
  after(() => rm(folder, { recursive: true }));
  for (const { name, text } of await filesOf('java-game-server'))
    await write(folder, name, replaceAll(text, SHORT_PAUSES));
  assertDone(await compileJava({ folder, env: {} }, '*.java'));
  return folder;
}

/** A copy in a separate folder, where the programs store their files. */
async function unpack(t: TestContext, compiled: string, env: Record<string, string>): Promise<Game> {
  const folder = await temporaryFolder(t);
  await cp(compiled, folder, { recursive: true });
  return { place: { folder, env }, trust: await javaTrust(compiled, env.SSL_CERT_FILE ?? ''), compiled };
}

/** The same game with code inserted into `give`; the returned function removes it. */
async function change({ place, compiled }: Game, from: string, to: string): Promise<() => Promise<void>> {
  const source = await readFile(join(place.folder, 'TryIt.java'), 'utf8');
  assert.ok(source.includes(from));
  await write(place.folder, 'TryIt.java', source.replace(from, to));
  assertDone(await compileJava(place, 'TryIt.java'));
  return () => cp(compiled, place.folder, { recursive: true });
}

const play = (t: TestContext, { place, trust }: Game, env: Record<string, string> = {}) =>
  watch(
    t,
    start('java', [...QUICK_JAVA, ...trust, 'TryIt', NAME], { ...place, env: { ...place.env, ...env } }),
  );

describe('the Java guide', { skip: requirement('java') }, async () => {
  const live = await startLive();
  const compiled = await compileOnce();

  async function openGame(t: TestContext) {
    const community = await live.addCommunity();
    return {
      community,
      game: await unpack(t, compiled, environment(live.url, community.key, live.certificate)),
    };
  }

  it('rewards earlier votes on joining, new ones immediately, and none twice', async (t) => {
    const { community, game } = await openGame(t);
    await community.cast({ externalId: NAME, minutesAgo: 240 });
    await community.cast({ externalId: NAME, minutesAgo: 120, isDoubled: true });
    const first = play(t, game);
    await first.until(`${NAME} has 30 coins\n`);
    assert.equal(first.printed(), `${NAME} has 10 coins\n${NAME} has 30 coins\n`);
    await community.cast({ userId: '200000000000000002', externalId: 'Élodie "\\Co"' });
    await community.cast({ externalId: NAME, minutesAgo: 60 });
    await first.until(`${NAME} has 40 coins\n`);
    await first.kill();
    const second = play(t, game);
    await community.cast({ externalId: NAME });
    await second.until(`${NAME} has 50 coins\n`);
    assert.equal(second.printed(), `${NAME} has 50 coins\n`);
    assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 0, claimed: 4 });
  });

  it('survives a crash before and after the reward', async (t) => {
    const { community, game } = await openGame(t);
    for (const [from, to] of [
      ['if (coins.containsKey', 'if (true) Runtime.getRuntime().halt(9); if (coins.containsKey'],
      ['        return true;\n    }\n}', '        Runtime.getRuntime().halt(9); return true;\n    }\n}'],
    ] as const) {
      const isBefore = from.startsWith('if');
      await community.cast({ externalId: NAME, minutesAgo: isBefore ? 120 : 60 });
      const restore = await change(game, from, to);
      assert.equal(await play(t, game).closed(), 9);
      await restore();
      const repaired = play(t, game);
      // After the reward, only a new vote is worth coins.
      if (!isBefore) await community.cast({ externalId: NAME });
      const expected = `${NAME} has ${isBefore ? 10 : 30} coins\n`;
      await repaired.until(expected);
      assert.equal(repaired.printed(), expected);
      await repaired.kill();
    }
    const coins = await readFile(join(game.place.folder, 'coins.properties'), 'utf8');
    assert.match(coins, /^Steve_42=30$/m);
  });

  it('rewards one vote with a single file, once, and repeats the claim after a lost response', async (t) => {
    const community = await live.addCommunity();
    await community.cast({ externalId: NAME, minutesAgo: 120 });
    await community.cast({ externalId: NAME });
    const proxy = await startLossyProxy(t, live.url);
    const game = await unpack(t, compiled, environment(proxy.url, community.key, proxy.certificate));
    const claim = () => run('java', [...QUICK_JAVA, ...game.trust, 'ClaimVote', NAME], game.place);
    const outcomes = [await claim(), await claim(), await claim(), await claim()];
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      [1, 0, 0, 0],
    );
    assert.deepEqual(
      outcomes.map(({ stdout }) => stdout.replace(/vote_\w+/, 'vote')),
      ['', `vote ${NAME} 10 coins\n`, `vote ${NAME} 10 coins\n`, ''],
    );
    assertRepeated(proxy);
    const rewards = await readFile(join(game.place.folder, 'rewards.txt'), 'utf8');
    assert.equal(new Set(rewards.match(/vote_\w+/g)).size, 2, rewards);
    assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 0, claimed: 2 });
    assert.deepEqual(await community.claims(NAME, 'bot'), { claimable: 2, claimed: 0 });
  });

  it('rewards every vote once if the response to a claim is lost', async (t) => {
    const community = await live.addCommunity();
    await community.cast({ externalId: NAME, minutesAgo: 120, isDoubled: true });
    await community.cast({ externalId: NAME });
    const proxy = await startLossyProxy(t, live.url);
    const game = await unpack(t, compiled, environment(proxy.url, community.key, proxy.certificate));
    const program = play(t, game);
    await program.until(`${NAME} has 30 coins\n`);
    await program.kill();
    assertRepeated(proxy);
  });

  it('releases a vote if its reward cannot be granted', async (t) => {
    const { community, game } = await openGame(t);
    await community.cast({ externalId: NAME });
    const refusal = 'if (true) { System.out.println("refused"); return false; } if (coins.containsKey';
    await change(game, 'if (coins.containsKey', refusal);
    const program = play(t, game);
    await program.until('refused\n');
    await community.untilClaims(NAME, { claimable: 1, claimed: 0 }, 'survival');
  });

  it('reports a wrong key and a wrong certificate once, and tries again later', async (t) => {
    const { game } = await openGame(t);
    const refused = play(t, game, { VOTARY_API_KEY: 'wrong' });
    await refused.until(/^Votary: status 401: This API key.+the next attempt is in 300 s\)\n$/);
    await refused.kill();
    const untrusted = play(t, game, { VOTARY_URL: (await startUntrusted(t)).env.VOTARY_URL ?? '' });
    await untrusted.until(/^Votary: the certificate of the service is not accepted: \S.+ in 300 s\)\n$/);
    await untrusted.kill();
  });

  it('waits as long as the rate limit requires', async (t) => {
    const nothing = { ok: true, claimed: false, vote: null, remaining: 0, votes: [], next_cursor: 'c' };
    const service = await startStub(t, LIMITED_FOR_A_SECOND, { body: nothing });
    const limited = play(t, await unpack(t, compiled, service.env));
    await limited.until('Votary: the service responds again\n');
    assert.match(limited.printed(), /^Votary: status 429: Too many requests\. \(.+ in 1 s\)\n/);
    assert.ok((service.pausesMs()[0] ?? 0) >= 1000, `${service.pausesMs()}`);
  });
});
