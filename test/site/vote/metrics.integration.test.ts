import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { buildServer } from '../../../src/server.ts';
import { testServerDeps } from '../../support/api.ts';
import { testClock } from '../../support/clock.ts';
import { openTestStore } from '../../support/sqlite.ts';
import { newVisitor } from '../visitor.ts';

test('every attempt to vote is counted by its result', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-vote-'));
  const store = await openTestStore(join(folder, 'votary.db'));
  const clock = testClock('2026-11-15T12:00:00.000Z');
  const secrets = deriveSecrets('a master secret for tests');
  const deps = testServerDeps(store, clock, secrets);
  const app = buildServer(deps);
  t.after(async () => {
    await app.close();
    await store.close();
    await rm(folder, { recursive: true });
  });
  const guildId = '100000000000000009';
  await store.guilds.add({ guildId, name: 'Nine', createdAt: clock() });
  const visitor = newVisitor(app);
  await visitor.signIn('Alex');
  const path = `/guild/${guildId}/vote`;
  const page = await visitor.get(path);
  await visitor.submit(page, path);
  await visitor.submit(page, path);
  await visitor.post(path, { _csrf: 'made up' });
  const text = await deps.metrics.text();
  const counted = [
    ...text.matchAll(/^votary_(votes|vote_refusals|challenges)_total\{\w+="(\w+)"\} ([1-9]\d*)$/gm),
  ];
  assert.deepEqual(
    counted.map(([, metric, label, times]) => [metric, label, times]),
    [
      ['votes', 'accepted', '1'],
      ['votes', 'refused', '1'],
      ['vote_refusals', 'cooldown', '1'],
    ],
  );
});
