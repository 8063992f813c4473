import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { assertDone, GUILD } from '../../cli/votary.ts';
import { serve } from '../../support/serve.ts';
import { assertPrivate, filesOf, makeOpenHome } from './data-directory.ts';

it('files that a killed service left lose permissions for others that they had', async () => {
  const home = await makeOpenHome();
  const served = await serve(home);
  assertDone(await home.votary('key', 'generate', GUILD));
  assert.equal(await served.stop('SIGKILL'), null);
  const left = await filesOf(home);
  assert.ok(left.includes(join(home.dataDir, 'votary.db-wal')));
  for (const file of left) await chmod(file, 0o644);
  const again = await serve(home);
  await assertPrivate(home, 'votary.db', 'votary.db-wal', 'votary.db-shm', 'secret', 'tls/key.pem');
  assert.equal(await again.stop(), 0);
});
