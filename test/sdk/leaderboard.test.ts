import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isVotaryError, isVotaryValidationError, Votary } from '../../sdk/src/index.ts';
import { GUILD, USER } from './support/bodies.ts';
import { KEY, startLocalService } from './support/local-service.ts';

const BODY = {
  ok: true,
  guild_id: GUILD,
  month: '2026-11',
  total: 5,
  voters: [{ rank: 1, user_id: USER, votes: 3 }],
};

describe('leaderboard', () => {
  it('returns the voters of a month', async () => {
    const service = await startLocalService(() => ({ body: BODY }));
    const votary = new Votary({ apiKey: KEY, baseUrl: service.url });
    assert.deepEqual(await votary.leaderboard({ month: '2026-11', limit: 10 }), {
      guildId: GUILD,
      month: '2026-11',
      total: 5,
      voters: [{ rank: 1, userId: USER, votes: 3 }],
    });
    const [request] = service.requests;
    assert.equal(
      `${request?.url.pathname}${request?.url.search}`,
      '/v7/guild/leaderboard?month=2026-11&limit=10',
    );
  });

  it('requests the current month without arguments', async () => {
    const service = await startLocalService(() => ({ body: BODY }));
    await new Votary({ apiKey: KEY, baseUrl: service.url }).leaderboard();
    assert.equal(service.requests[0]?.url.search, '');
  });

  it('throws errors of the service, and invalid responses', async () => {
    const errors = [{ rule: 'regex', field: 'month', message: 'No.' }];
    const refusing = await startLocalService(() => ({ status: 400, body: { errors } }));
    const wrong = await startLocalService(() => ({ body: { ...BODY, voters: [{ rank: 1 }] } }));
    const ask = (url: string) => new Votary({ apiKey: KEY, baseUrl: url }).leaderboard({ month: 'november' });
    await assert.rejects(ask(refusing.url), isVotaryValidationError);
    await assert.rejects(
      ask(wrong.url),
      (error) => isVotaryError(error) && error.code === 'INVALID_RESPONSE',
    );
  });
});
