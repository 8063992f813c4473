import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Votary } from '../../sdk/src/index.ts';
import { GUILD, NOT_VOTED, USER, VOTED } from './support/bodies.ts';
import { KEY, startLocalService } from './support/local-service.ts';

describe('checkVote', () => {
  it('returns the fields of the API in camelCase, with dates as Date', async () => {
    const service = await startLocalService(() => ({ body: VOTED }));
    const votary = new Votary({ apiKey: KEY, baseUrl: service.url });
    assert.deepEqual(await votary.checkVote({ discordId: USER }), {
      guildId: GUILD,
      hasVoted: true,
      isDoubled: true,
      lastVoteAt: new Date('2026-11-15T11:30:00.000Z'),
      nextVoteAt: new Date('2026-11-15T12:30:00.000Z'),
      cooldownRemainingSeconds: 1800,
    });
  });

  it('returns null dates for a user who has not voted', async () => {
    const service = await startLocalService(() => ({ body: NOT_VOTED }));
    const check = await new Votary({ apiKey: KEY, baseUrl: service.url }).checkVote({ externalId: 'Steve' });
    assert.deepEqual([check.hasVoted, check.lastVoteAt, check.nextVoteAt], [false, null, null]);
  });

  it('sends the key in a header and never in the URL', async () => {
    const service = await startLocalService(() => ({ body: VOTED }));
    await new Votary({ apiKey: ` ${KEY}\n`, baseUrl: `${service.url}/` }).checkVote({ discordId: USER });
    const [request] = service.requests;
    assert.equal(request?.method, 'GET');
    assert.equal(request?.headers.authorization, `Bearer ${KEY}`);
    assert.equal(request?.headers.accept, 'application/json');
    assert.match(request?.headers['user-agent'] ?? '', /^votary-sdk\/\d/);
    assert.equal(`${request?.url.pathname}${request?.url.search}`, `/v7/vote-check?discord_id=${USER}`);
  });

  it('sends any external id unchanged, and the locale', async () => {
    const service = await startLocalService(() => ({ body: VOTED }));
    const votary = new Votary({ apiKey: KEY, baseUrl: service.url, locale: 'fr' });
    const externalId = 'Élodie & co=1+1 #?/%20 🎮';
    await votary.checkVote({ externalId });
    const parameters = service.requests[0]?.url.searchParams;
    assert.equal(parameters?.get('external_id'), externalId);
    assert.equal(parameters?.get('locale'), 'fr');
    assert.equal(parameters?.has('discord_id'), false);
  });

  it('rejects an id that is a number, which has already lost digits', async () => {
    const votary = new Votary({ apiKey: KEY, baseUrl: 'https://votes.example.org' });
    const voter = JSON.parse('{"discordId": 200000000000000001}');
    await assert.rejects(votary.checkVote(voter), {
      code: 'INVALID_ARGUMENT',
      message: /discordId must be a string/,
    });
  });

  it('uses a custom fetch', async () => {
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(url);
      return Response.json(VOTED);
    };
    const votary = new Votary({ apiKey: KEY, baseUrl: 'https://example.org/votes/', fetch });
    assert.equal((await votary.checkVote({ discordId: USER })).hasVoted, true);
    assert.deepEqual(asked, [`https://example.org/votes/v7/vote-check?discord_id=${USER}`]);
  });
});
