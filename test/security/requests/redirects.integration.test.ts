import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { FOREIGN_ADDRESSES } from '../../support/foreign-addresses.ts';
import { type Fixture, openFixture, ownToken } from '../fixture.ts';

const OUR_ORIGIN = 'https://votes.example.org';

const EVIL = [
  ...FOREIGN_ADDRESSES,
  'https:evil.example',
  ' https://evil.example',
  '/\u0000/evil.example',
  '@evil.example',
  '/@evil.example/..//evil.example',
  '?back=//evil.example',
  '/\r\nLocation: https://evil.example',
];

const anyEvil = fc.oneof(
  fc.constantFrom(...EVIL),
  fc
    .array(
      fc.constantFrom('/', '\\', '.', ':', '@', 'evil.example', '%2f', '%5c', '\t', '\n', '?', '#', 'https'),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    .map((parts) => parts.join('')),
);

describe('a return address', { concurrency: false }, () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await openFixture();
  });
  after(() => fixture.close());

  /** The address that a browser opens after this response. */
  function assertStays(location: string, given: string): void {
    assert.ok(URL.canParse(location, OUR_ORIGIN), `${JSON.stringify(given)} gave ${location}`);
    assert.equal(new URL(location, OUR_ORIGIN).origin, OUR_ORIGIN, JSON.stringify(given));
    assert.doesNotMatch(location, /[\r\n]/);
  }

  it('never leads to another site after a change of language', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvil, async (back) => {
        const answer = await fixture.send('nobody', 'GET', `/locale?to=fr&back=${encodeURIComponent(back)}`);
        assert.equal(answer.status, 303);
        assertStays(answer.location, back);
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('never leads to another site after a sign-in, from the form or from the previous page', async () => {
    const token = await ownToken(fixture.visitors.nobody);
    await fc.assert(
      fc.asyncProperty(anyEvil, async (back) => {
        const form = { _csrf: token, person: '200000000000000102', back };
        const answer = await fixture.send('nobody', 'POST', '/sign-in', form);
        assert.equal(answer.status, 303);
        assertStays(answer.location, back);
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('of a vote link is a link that shows its host, and never a redirect', async () => {
    const { guildId } = await fixture.newCommunity();
    const token = await ownToken(fixture.visitors.voter);
    for (const address of [...EVIL, 'https://shop.example/thanks']) {
      const path = `/guild/${guildId}/vote?return_to=${encodeURIComponent(address)}`;
      const page = await fixture.send('voter', 'GET', path);
      const isTaken = /^https:\/\//.test(address);
      assert.equal(page.status, isTaken ? 200 : 400, address);
      assert.doesNotMatch(page.text, /href="(?!https:|\/|#)/);
      const answer = await fixture.send('voter', 'POST', path, { _csrf: token });
      if (isTaken) assertStays(answer.location, address);
      assert.ok(!answer.location.startsWith(address), address);
    }
  });
});
