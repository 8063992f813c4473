import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { Votary } from '../../sdk/src/index.ts';
import { GUILD } from './support/bodies.ts';
import { KEY } from './support/local-service.ts';

const votary = new Votary({ apiKey: KEY, baseUrl: 'https://votes.example.org/sub/' });
const SECRET = 'vls_0123456789';

describe('voteLink', () => {
  it('returns the standard link without a name', async () => {
    assert.equal(
      await votary.voteLink({ guildId: GUILD }),
      `https://votes.example.org/sub/guild/${GUILD}/vote`,
    );
  });

  it('supports any name and a return address', async () => {
    const returnTo = 'https://shop.example.org/?a=1&b=2';
    const link = new URL(await votary.voteLink({ guildId: GUILD, externalId: 'Élodie & Co #1', returnTo }));
    assert.deepEqual(Object.fromEntries(link.searchParams), {
      external_id: 'Élodie & Co #1',
      return_to: returnTo,
    });
  });

  it('is signed over guild, expiry and name', async () => {
    const signing = { secret: SECRET, expires: new Date('2026-11-15T12:00:00.900Z') };
    for (const externalId of ['Élodie', undefined]) {
      const link = new URL(await votary.voteLink({ guildId: GUILD, externalId, signing }));
      const signature = createHmac('sha256', SECRET)
        .update(`v1.${GUILD}.1794744000.${externalId ?? ''}`)
        .digest('base64url');
      assert.deepEqual(
        [link.searchParams.get('expires'), link.searchParams.get('signature')],
        ['1794744000', signature],
      );
    }
  });

  it('accepts an expiry in Unix seconds, and rejects one in milliseconds', async () => {
    const link = await votary.voteLink({
      guildId: GUILD,
      signing: { secret: SECRET, expires: 1_794_744_000 },
    });
    assert.match(link, /expires=1794744000&/);
    for (const expires of [1_794_744_000_000, 0, Number.NaN, new Date(Number.NaN)]) {
      await assert.rejects(votary.voteLink({ guildId: GUILD, signing: { secret: SECRET, expires } }), {
        code: 'INVALID_ARGUMENT',
      });
    }
  });

  it('rejects an empty secret and a guild id that would change the path', async () => {
    const signing = { secret: '', expires: 1_794_744_000 };
    await assert.rejects(votary.voteLink({ guildId: GUILD, signing }), { code: 'INVALID_ARGUMENT' });
    await assert.rejects(votary.voteLink({ guildId: '../x' }), { code: 'INVALID_ARGUMENT' });
  });
});
