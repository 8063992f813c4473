/** What the plugin of clients/minecraft does with votes while nothing fails. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { requirement } from '../../support/requirement.ts';
import { configOf, DIAMONDS, preparePlugin } from './server.ts';

describe('the Minecraft plugin', { skip: requirement('java') }, async () => {
  const { service, open } = await preparePlugin();

  it('rewards a player who is online at once, and doubled votes twice', async (t) => {
    const { play, vote } = await open(t, DIAMONDS);
    const game = await play();
    game.say('join Steve_42');
    await vote('Steve_42');
    await game.until('Steve_42 has 1 diamonds');
    await vote('Steve_42', { isDoubled: true });
    await game.until('Steve_42 has 3 diamonds');
    await game.stop();
    assert.doesNotMatch(game.printed(), /WARNING|SEVERE/);
  });

  it('keeps the rewards of an offline player over a restart, until the player joins', async (t) => {
    const { play, serve, vote, commands } = await open(t, {
      'vote-rewards': [
        { when: 'now', commands: ['say {player} voted'] },
        { when: 'online', commands: ['give {player} diamond 1'] },
      ],
    });
    const first = await play();
    await vote('Alex');
    await vote('Alex');
    await first.until(/(say Alex voted\n[\s\S]*){2}/);
    // A reward is no longer waiting when its command has run, which is soon after the command has printed.
    const expected = /connected; 2 votes of 1 players; 2 rewards waiting, 2 of them for their player/;
    for (let asked = 1; !expected.test(first.printed()); asked += 1) {
      first.say('votary status');
      await first.until(new RegExp(`(?:unfinished claims[\\s\\S]*){${asked}}`));
    }
    await first.stop();
    const second = serve();
    await second.until('enabled');
    second.say('join Alex');
    await second.until('Alex has 2 diamonds');
    await second.stop();
    assert.deepEqual((await commands()).toSorted(), [
      'give Alex diamond 1',
      'give Alex diamond 1',
      'say Alex voted',
      'say Alex voted',
    ]);
  });

  it('counts votes of offline players for cumulative rewards and vote parties', async (t) => {
    const { play, vote, commands } = await open(t, {
      'cumulative-rewards': [{ every: 2, when: 'online', commands: ['say {player} has {votes} votes'] }],
      'party-rewards': [
        { every: 3, when: 'now', commands: ['say party at {party}, next in {until_party}'] },
        { every: 3, for: 'voters', when: 'online', commands: ['say voter {player}'] },
        { every: 3, for: 'online', when: 'online', commands: ['say guest {player}'] },
      ],
    });
    const game = await play();
    game.say('join Guest');
    await vote('Alex');
    await vote('Steve_42');
    await vote('Alex');
    await game.until('say guest Guest');
    game.say('join Alex');
    await game.until('say voter Alex');
    game.say('join Steve_42');
    await game.until('say voter Steve_42');
    await game.stop();
    assert.deepEqual((await commands()).toSorted(), [
      'say Alex has 2 votes',
      'say guest Guest',
      'say party at 3, next in 3',
      'say voter Alex',
      'say voter Steve_42',
    ]);
  });

  it('claims as its consumer, and rewards a Bedrock player by the rule of the community', async (t) => {
    const { play, vote, guildId } = await open(t, DIAMONDS, { settings: { consumer: 'survival' } });
    await service.store.guilds.setPlayerNames(guildId, 'minecraft');
    const game = await play();
    const isClaimed = service.untilSent(
      ({ url }) => url.includes('external_id=steve_42') && url.includes('consumer=survival'),
    );
    await vote('steve_42');
    await isClaimed;
    game.say('join .Steve_42');
    await game.until('.Steve_42 has 1 diamonds');
    service.clock.advance(HOUR_MS);
    await vote('Steve_42');
    await game.until('.Steve_42 has 2 diamonds');
    await game.stop();
  });

  it('never puts a name that no player can have into a command', async (t) => {
    const { play, vote, commands } = await open(t, {
      'vote-rewards': [{ when: 'now', commands: ['give {player} diamond 1'] }],
    });
    const game = await play();
    for (const name of ['@a', 'Steve netherite_block 64', 'a\nop Steve', '', 'x'.repeat(40), null])
      await vote(name);
    await vote('Steve_42');
    await game.until('console> give Steve_42');
    await game.stop();
    assert.deepEqual(await commands(), ['give Steve_42 diamond 1']);
    assert.match(game.printed(), /no player can have its name: @a\n/);
  });

  it('fills in the totals that the service sends', async (t) => {
    const { play, vote } = await open(t, {
      'vote-rewards': [
        { when: 'now', commands: ['say {player} {total} {streak} {amount} {user_id} {vote_id}'] },
      ],
    });
    const game = await play();
    await vote('Steve_42', { userId: '300000000000000001' });
    await game.until(/say Steve_42 1 1 1 300000000000000001 vote_[0-9a-f]{32}\n/);
    await game.stop();
  });

  it('shows the link of the player, signed if there is a secret', async (t) => {
    const { play, guildId, key, serve, vote } = await open(t, DIAMONDS);
    const game = await play();
    game.say('join .Steve');
    await vote('.Steve');
    await game.until('.Steve has 1 diamonds');
    const link = `.Steve: ${service.url}/guild/${guildId}/vote?external_id=.Steve`;
    game.say('vote .Steve');
    await game.until(`${link}\n`);
    const config = configOf(service.url, key, DIAMONDS, { 'link-secret': 'vls_x' });
    await writeFile(join(serve.folder, 'plugin/config.yml'), config);
    game.say('votary reload');
    await game.until('config.yml was read again');
    game.say('vote .Steve');
    await game.until(/external_id=\.Steve&expires=\d{10}&signature=[\w-]{43}\n/);
    await game.stop();
  });

  it('continues with other commands after one that fails or is unknown', async (t) => {
    const { play, vote, commands } = await open(t, {
      'vote-rewards': [{ when: 'now', commands: ['fail', 'unknown', '/say done'] }],
    });
    const game = await play();
    await vote('Steve_42');
    await game.until('console> say done');
    await game.stop();
    assert.match(game.printed(), /this reward command failed: fail: .*it failed/);
    assert.match(game.printed(), /the server does not know this reward command: unknown/);
    assert.deepEqual(await commands(), ['fail', 'unknown', 'say done']);
  });

  it('reads config.yml again without losing or repeating a reward', async (t) => {
    const { play, vote, serve, key, commands } = await open(t, DIAMONDS);
    const game = await play();
    const isClaimed = service.untilSent(
      ({ method, url }) => method === 'POST' && url.includes('external_id=Alex'),
    );
    await vote('Alex');
    await isClaimed;
    const rewards = { 'vote-rewards': [{ when: 'now' as const, commands: ['say new {player}'] }] };
    await writeFile(join(serve.folder, 'plugin/config.yml'), configOf(service.url, key, rewards));
    game.say('votary reload');
    await game.until('config.yml was read again');
    await vote('Steve_42');
    await game.until('console> say new Steve_42');
    await writeFile(join(serve.folder, 'plugin/config.yml'), configOf('http://x', key, rewards));
    game.say('votary reload');
    await game.until('config.yml, url: enter the address of the voting site');
    await vote('Steve_42');
    await game.until(/(say new Steve_42\n[\s\S]*){2}/);
    game.say('join Alex');
    await game.until('Alex has 1 diamonds');
    await game.stop();
    assert.deepEqual(await commands(), ['say new Steve_42', 'say new Steve_42', 'give Alex diamond 1']);
  });
});
