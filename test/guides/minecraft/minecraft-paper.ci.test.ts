import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startLive } from '../../clients/live.ts';
import { requirement } from '../../support/requirement.ts';
import { environment } from '../services.ts';
import { buildPlugin, openGame, SHORT_PAUSES } from './paper/game.ts';

const NAME = 'Steve_42';

describe('the Minecraft guide', { skip: requirement('java') }, async () => {
  const live = await startLive();
  const classes = await buildPlugin(SHORT_PAUSES);

  async function openWorld(t: TestContext) {
    const community = await live.addCommunity();
    const env = environment(live.url, community.key, live.certificate);
    const serve = await openGame(t, classes, { ...env, GUILD_ID: community.guildId });
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
      await community.untilClaims(NAME, { claimable: 1, claimed: 0 }, 'survival');
      second.say(`join ${NAME}`);
      if (crash === 'saved') await community.untilClaims(NAME, { claimable: 0, claimed: 1 }, 'survival');
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
    await game.until(`${NAME} has no room\n`);
    await community.untilClaims(NAME, { claimable: 1, claimed: 0 }, 'survival');
    game.say(`quit ${NAME}`);
    game.say(`join ${NAME}`);
    await game.until(`${NAME} has 1 diamonds`);
    await game.stop();
  });
});
