import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fastify from 'fastify';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { site } from '../../../src/site/index.ts';
import { demoSignIn } from '../../../src/site/sign-in/demo-sign-in.ts';
import { openStore } from '../../../src/store/open.ts';
import { testClock } from '../../support/clock.ts';
import { testEndpoints } from '../../support/webhooks.ts';
import { newVisitor } from '../visitor.ts';

test('every attempt to vote is counted by what became of it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-vote-'));
  const store = await openStore({ kind: 'sqlite', path: join(folder, 'votary.db') });
  const clock = testClock('2026-11-15T12:00:00.000Z');
  const secrets = deriveSecrets('a master secret for tests');
  const outcomes: string[] = [];
  const app = fastify().register(site, {
    store,
    clock,
    secrets,
    signIn: demoSignIn({ clock }),
    webhooks: testEndpoints(store, clock, secrets),
    onVote: (outcome) => outcomes.push(outcome),
    onRefusal: (reason) => outcomes.push(reason),
    onChallenge: (event) => outcomes.push(event),
  });
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
  assert.deepEqual(outcomes, ['accepted', 'refused', 'cooldown']);
});
