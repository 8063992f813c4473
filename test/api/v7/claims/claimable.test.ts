import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OTHER_USER, onAnyDatabase, USER } from '../../../support/api.ts';

const CLAIMABLE = '/v7/guild/claimable';

onAnyDatabase('GET /v7/guild/claimable', (open) => {
  test('counts the claimable votes of each identifier, in the order of the request', async () => {
    const api = await open();
    await api.vote(
      { at: '2026-11-15T08:00:00.000Z', externalId: 'Steve' },
      { at: '2026-11-15T10:00:00.000Z', externalId: 'Steve' },
      { at: '2026-11-15T10:30:00.000Z', externalId: 'Steve', userId: OTHER_USER },
      { at: '2026-11-13T10:00:00.000Z', externalId: 'Élodie & Co', userId: OTHER_USER },
    );
    const names = 'external_id=nobody&external_id=Steve&external_id=steve&external_id=&external_id=Steve';
    const byName = await api.get(`${CLAIMABLE}?${names}`);
    assert.deepEqual(byName.body, {
      ok: true,
      guild_id: api.guildId,
      results: [
        { external_id: 'nobody', claimable: 0 },
        { external_id: 'Steve', claimable: 2 },
        { external_id: 'steve', claimable: 0 },
        { external_id: 'Steve', claimable: 2 },
      ],
    });
    const byId = await api.get(
      `${CLAIMABLE}?discord_id=${OTHER_USER}&discord_id=299999999999999999&discord_id=${USER}&within_hours=72`,
    );
    assert.deepEqual(byId.body.results, [
      { discord_id: OTHER_USER, claimable: 2 },
      { discord_id: '299999999999999999', claimable: 0 },
      { discord_id: USER, claimable: 2 },
    ]);
    await api.send('POST', '/v7/guild/claims?external_id=Steve');
    const later = await api.get(
      `${CLAIMABLE}?external_id=Steve&external_id=%C3%89lodie%20%26%20Co&within_hours=72`,
    );
    assert.deepEqual(later.body.results, [
      { external_id: 'Steve', claimable: 1 },
      { external_id: 'Élodie & Co', claimable: 1 },
    ]);
  });

  test('counts as one request', async () => {
    const api = await open();
    await api.get(`${CLAIMABLE}?discord_id=${USER}&discord_id=${OTHER_USER}`);
    const { headers } = await api.get(`${CLAIMABLE}?discord_id=${USER}`);
    assert.match(String(headers.ratelimit), /;r=28;/);
  });

  test('has the same errors as a batch of checks', async () => {
    const api = await open();
    const fifty = Array.from({ length: 50 }, (_, i) => `external_id=n${i}`).join('&');
    for (const query of [
      '',
      'discord_id=&discord_id=',
      `discord_id=${USER}&external_id=x`,
      `${fifty}&external_id=n50`,
      `discord_id=${USER}&discord_id=12`,
      `external_id=${'x'.repeat(192)}`,
      'external_id=a&external_id=%E9',
    ]) {
      const [checks, claimable] = await Promise.all(
        ['/v7/vote-checks', CLAIMABLE].map((path) => api.get(`${path}?${query}`)),
      );
      assert.equal(checks?.status, 400, query);
      assert.deepEqual([claimable?.status, claimable?.text], [400, checks?.text], query);
    }
    const full = await api.get(`${CLAIMABLE}?${fifty}`);
    assert.equal((full.body.results as unknown[]).length, 50);
    const { status, body } = await api.get(`${CLAIMABLE}?external_id=a&within_hours=745`);
    const [error] = body.errors as { rule: string; field: string }[];
    assert.deepEqual([status, error?.rule, error?.field], [400, 'max', 'within_hours']);
  });
});
