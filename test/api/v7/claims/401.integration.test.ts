import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildServer } from '../../../../src/server.ts';
import type { Store } from '../../../../src/store/store.ts';
import { type Api, onAnyDatabase, testServerDeps, USER } from '../../../support/api.ts';

/** The same server, but the guild is removed between the lookup of the key and the handler. */
function removedAfterAdmission({ store, clock, secrets }: Api) {
  const admit: Store['admit'] = async (lookup) => {
    const admission = await store.admit(lookup);
    if (admission.guild) await store.guilds.remove(admission.guild.guildId);
    return admission;
  };
  return buildServer(testServerDeps({ ...store, admit }, clock, secrets));
}

onAnyDatabase('a guild that is removed while its request is handled', (open) => {
  test('a claim for a removed guild gets the same response as any other request', async (t) => {
    const api = await open();
    await api.vote({ at: '2026-11-15T11:00:00.000Z' });
    const app = removedAfterAdmission(api);
    t.after(() => app.close());
    for (const headers of [{}, { 'idempotency-key': 'once' }]) {
      const answer = await app.inject({
        method: 'POST',
        url: `/v7/guild/claims?discord_id=${USER}`,
        headers: { ...headers, authorization: `Bearer ${api.key}` },
      });
      assert.deepEqual([answer.statusCode, answer.json().error], [401, 'INVALID_API_TOKEN']);
    }
  });

  for (const [method, path] of [
    ['GET', `/v7/vote-check?discord_id=${USER}`],
    ['GET', `/v7/vote-checks?discord_id=${USER}`],
    ['GET', '/v7/guild/votes'],
    ['GET', `/v7/guild/claims?discord_id=${USER}`],
    ['GET', `/v7/guild/claimable?discord_id=${USER}`],
    ['GET', '/v7/guild/claimable?external_id=Steve'],
    ['GET', '/v7/guild/claims/pending'],
    ['GET', '/v7/guild/feed'],
    ['GET', '/v7/guild/feed?from=2026-11-15'],
    ['DELETE', `/v7/guild/claims/vote_${'0'.repeat(32)}`],
  ] as const) {
    test(`${method} ${path} finds nothing and does not fail`, async (t) => {
      const api = await open();
      await api.grantPremium();
      const app = removedAfterAdmission(api);
      t.after(() => app.close());
      const headers = { authorization: `Bearer ${api.key}` };
      assert.equal((await app.inject({ method, url: path, headers })).statusCode, 200);
    });
  }
});
