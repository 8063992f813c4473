/**
 * How the process of `votary serve` ends, in the situations that other tests check with a service inside their own
 * process: backups, restores, other secrets.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { assertDone, assertFailed, finish, GUILD, type Home, makeHome } from '../cli/votary.ts';
import { serve } from '../support/serve.ts';

const FIRST = 'the first secret for these tests';
const SECOND = 'the second secret for these tests';

async function openKey(home: Home): Promise<string> {
  assertDone(await home.votary('guild', 'add', GUILD));
  return Object(await home.json('key', 'generate', GUILD)).key;
}

/** Serves a request in between, so that connections and timers exist when the process is stopped. */
async function assertServesAndStops(home: Home, key: string, ...options: string[]): Promise<void> {
  const served = await serve(home, ...options);
  assert.equal((await served.get('/v7/guild/feed', key)).status, 200);
  assert.equal((await served.page('/')).status, 200);
  assert.equal(await served.stop(), 0, served.printed());
}

describe('the process of a service', { concurrency: 2 }, () => {
  it('exits with 0 after a backup, after a restore and after its secret was rotated', async () => {
    const home = await makeHome({ VOTARY_PORT: '0' });
    const key = await openKey(home);
    const backup = join(dirname(home.dataDir), 'backup.db');
    const served = await serve(home);
    assertDone(await home.votary('backup', backup));
    assertFailed(await home.votary('restore', backup), /in use|open|running/);
    assertFailed(await home.votary('secret', 'rotate'), /is in use: stop the server/);
    assert.equal(await served.stop(), 0, served.printed());
    assertDone(await home.votary('restore', backup));
    await assertServesAndStops(home, key);
    assertDone(await home.votary('secret', 'rotate'));
    await assertServesAndStops(home, key);
  });

  it('exits with 0 after it accepted a new secret, and with 1 if the secret is wrong or missing', async () => {
    const first = await makeHome({ VOTARY_PORT: '0', VOTARY_SECRET: FIRST });
    const key = await openKey(first);
    const second = await makeHome({ ...first.environment, VOTARY_SECRET: SECOND });
    assertFailed(await finish(second.start('serve')), /does not match this database/);
    await assertServesAndStops(second, key, '--accept-new-secret');
    await assertServesAndStops(second, key);
    assertFailed(await finish(first.start('serve')), /does not match this database/);
    const home = await makeHome({ VOTARY_PORT: '0' });
    await openKey(home);
    await rm(join(home.dataDir, 'secret'));
    assertFailed(await finish(home.start('serve')), /the secret file .*secret is missing/);
  });

  it('exits with 0 as a demo, after either signal', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      // A demo logs its address at this level only.
      const home = await makeHome({ VOTARY_PORT: '0', VOTARY_LOG_LEVEL: 'info' });
      const demo = await serve(home, '--demo');
      assert.equal((await demo.page('/')).status, 200);
      assert.equal(await demo.stop(signal), 0, demo.printed());
    }
  });
});
