import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OTHER_USER, onAnyDatabase, USER } from '../../../support/api.ts';

const NOT_VOTED = {
  has_voted: false,
  is_doubled: false,
  last_vote_at: null,
  next_vote_at: null,
  cooldown_remaining_seconds: 0,
};

onAnyDatabase('GET /v7/vote-checks', (open) => {
  test('returns a result for each identifier, in the order of the request', async () => {
    const api = await open();
    await api.vote({ at: '2026-11-15T11:40:00.000Z', externalId: 'Steve' });
    const voted = {
      has_voted: true,
      is_doubled: false,
      last_vote_at: '2026-11-15T11:40:00.000Z',
      next_vote_at: '2026-11-15T12:40:00.000Z',
      cooldown_remaining_seconds: 2400,
    };
    const byId = await api.get(
      `/v7/vote-checks?discord_id=${OTHER_USER}&discord_id=${USER}&discord_id=${OTHER_USER}`,
    );
    assert.deepEqual(byId.body, {
      ok: true,
      guild_id: api.guildId,
      results: [
        { discord_id: OTHER_USER, ...NOT_VOTED },
        { discord_id: USER, ...voted },
        { discord_id: OTHER_USER, ...NOT_VOTED },
      ],
    });
    const byName = await api.get('/v7/vote-checks?external_id=Steve&external_id=steve&external_id=');
    assert.deepEqual(byName.body.results, [
      { external_id: 'Steve', ...voted },
      { external_id: 'steve', ...NOT_VOTED },
    ]);
  });

  test('counts as one request', async () => {
    const api = await open();
    await api.get(`/v7/vote-checks?discord_id=${USER}&discord_id=${OTHER_USER}`);
    const { headers } = await api.get(`/v7/vote-checks?discord_id=${USER}`);
    assert.match(String(headers.ratelimit), /;r=28;/);
  });

  test('accepts 1 to 50 identifiers of one kind', async () => {
    const api = await open();
    const error = async (query: string) => (await api.get(`/v7/vote-checks?${query}`)).body.error;
    assert.equal(await error(''), 'MISSING_IDENTIFIER');
    assert.equal(await error('discord_id=&discord_id='), 'MISSING_IDENTIFIER');
    assert.equal(await error(`discord_id=${USER}&external_id=x`), 'MULTIPLE_IDENTIFIERS');
    const many = Array.from({ length: 51 }, (_, i) => `external_id=n${i}`).join('&');
    const { status, body } = await api.get(`/v7/vote-checks?${many}`);
    const [first] = body.errors as { rule: string; field: string }[];
    assert.deepEqual([status, first?.rule, first?.field], [400, 'maxItems', 'external_id']);
    const wrong = await api.get(`/v7/vote-checks?discord_id=${USER}&discord_id=12`);
    assert.equal((wrong.body.errors as { rule: string }[])[0]?.rule, 'regex');
  });
});
