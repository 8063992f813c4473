/** A claim that was made before data is moved is never paid again. `copy.ci.test.ts` does the same for copies. */
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../src/domain/clock.ts';
import { openStore } from '../../src/store/open.ts';
import { assertDone, GUILD, type Home, makeHomeWithGuild, voteLine } from './votary.ts';

const USER = '200000000000000001';

/** Whether there was a vote to claim. */
async function claim({ dataDir }: Home): Promise<boolean> {
  const store = await openStore({ kind: 'sqlite', path: join(dataDir, 'votary.db') });
  try {
    const now = Date.now();
    const result = await store.claims.claim({
      guildId: GUILD,
      identity: { userId: USER },
      window: { after: now - DAY_MS, until: now },
      oneRewardPerName: true,
      consumer: 'default',
      playerNames: 'exact',
      now,
      idempotency: null,
      render: () => '',
    });
    return result.kind === 'done' && result.claimed;
  } finally {
    await store.close();
  }
}

async function makeClaimedHome(): Promise<Home> {
  const home = await makeHomeWithGuild();
  const line = voteLine({ user_id: USER, timestamp: new Date(Date.now() - 1000).toISOString() });
  await home.pipe(`${line}\n`, 'votes', 'import', '-');
  assert.equal(await claim(home), true);
  return home;
}

describe('a claim', () => {
  it('is not paid again after votes were exported and imported elsewhere', async () => {
    const [before, after] = [await makeClaimedHome(), await makeHomeWithGuild()];
    const { stdout } = await before.votary('votes', 'export', GUILD);
    const file = await after.file('votes.ndjson', stdout);
    assert.deepEqual(await after.json('votes', 'import', file), { imported: 1, skipped: 0 });
    assert.equal(await claim(after), false);
  });

  it('is not paid again after a backup was restored', async () => {
    const home = await makeClaimedHome();
    const file = join(dirname(home.dataDir), 'backup.db');
    assertDone(await home.votary('backup', file));
    assertDone(await home.votary('restore', file));
    assert.equal(await claim(home), false);
  });
});
