/** The plugin of clients/minecraft when its server crashes: every vote is claimed and rewarded once. */
import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startLocalService } from '../../sdk/support/local-service.ts';
import { requirement } from '../../support/requirement.ts';
import { DIAMONDS, preparePlugin, type Rewards } from './server.ts';

const NOW: Rewards = { 'vote-rewards': [{ when: 'now', commands: ['say {player} voted'] }] };

describe('the Minecraft plugin after a crash', { skip: requirement('java') }, async () => {
  const { open } = await preparePlugin();

  for (const crash of ['give', 'command', 'commanded', 'save', 'saved']) {
    it(`gives exactly one diamond if the server crashed at "${crash}"`, async (t) => {
      const { play, serve, vote } = await open(t, DIAMONDS);
      const first = await play(crash);
      first.say('join Steve_42');
      await vote('Steve_42');
      assert.equal(await first.closed(), 9);
      const second = serve();
      await second.until('enabled');
      second.say('join Steve_42,Alex');
      // Rewards are given in the order of the votes, so that of Alex shows that the other one is finished.
      await vote('Alex');
      await second.until('Alex has 1 diamonds');
      second.say('quit Steve_42');
      await second.stop();
      assert.match(second.printed(), /Steve_42 has 1 diamonds\n$/);
      assert.doesNotMatch(second.printed(), /has 2 diamonds/);
    });
  }

  it('runs a command for an offline player once if the server crashed before it', async (t) => {
    const { play, serve, vote, commands } = await open(t, NOW);
    const first = await play();
    await first.stop();
    await vote('Steve_42');
    const second = serve();
    await second.until('console> say Steve_42 voted');
    await second.stop();
    assert.deepEqual(await commands(), ['say Steve_42 voted']);
  });

  it('does not repeat a command that it may have run, and logs it', async (t) => {
    const { play, serve, vote, commands } = await open(t, NOW);
    const first = await play('commanded');
    await vote('Steve_42');
    assert.equal(await first.closed(), 9);
    const second = serve();
    await second.until('run the commands by hand if they had no effect: [say Steve_42 voted]');
    await vote('Alex');
    await second.until('console> say Alex voted');
    await second.stop();
    assert.deepEqual(await commands(), ['say Steve_42 voted', 'say Alex voted']);
    const third = serve();
    await third.until('enabled');
    await third.stop();
    assert.doesNotMatch(third.printed(), /by hand/);
  });

  it('repeats a claim whose answer was lost with the same key, and no vote is claimed twice', async (t) => {
    const keys: string[] = [];
    const service = await startLocalService(({ url, headers }) => {
      const feed = { ok: true, guild_id: '1', next_cursor: 'c', has_more: false };
      const vote = { vote_id: 'vote_1', user_id: '2', external_id: 'Steve_42', is_doubled: false };
      if (url.pathname.endsWith('/feed'))
        return url.searchParams.has('cursor') ? 'silence' : { body: { ...feed, votes: [vote] } };
      keys.push(String(headers['idempotency-key']));
      // The vote is claimed, but the answer never arrives.
      if (keys.length === 1) return 'silence';
      return { body: { ok: true, guild_id: '1', claimed: true, vote, remaining: 0 } };
    });
    const { serve, commands } = await open(t, NOW, { url: service.url });
    const first = serve();
    await service.untilRequested(2);
    await first.kill();
    const second = serve();
    await second.until('console> say Steve_42 voted');
    // The page of the feed is read again. Its vote is claimed already: the same vote must not be rewarded again.
    await service.untilRequested(6);
    await second.stop();
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[1], keys[2]);
    assert.deepEqual(await commands(), ['say Steve_42 voted']);
  });

  it('does not start with a damaged ledger, and leaves it as it is', async (t) => {
    const { play, serve, vote, commands } = await open(t, NOW);
    const first = await play();
    await vote('Steve_42');
    await first.until('console> say');
    await first.stop();
    const file = join(serve.folder, 'plugin/ledger.txt');
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.slice(0, -4));
    const second = serve();
    await second.until(/SEVERE: votes are not rewarded: .*ledger\.txt is damaged/);
    await second.stop();
    assert.equal(await readFile(file, 'utf8'), whole.slice(0, -4));
    await appendFile(file, 'end\n');
    const third = serve();
    await third.until('enabled');
    await vote('Alex');
    await third.until('console> say Alex');
    await third.stop();
    assert.deepEqual(await commands(), ['say Steve_42 voted', 'say Alex voted']);
  });
});
