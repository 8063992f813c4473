import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ownPath } from '../../../src/site/paths.ts';
import { packPath, unpackPath } from '../../../src/site/sign-in/discord-oauth.ts';
import { FOREIGN_ADDRESSES } from '../../support/foreign-addresses.ts';
import { openWithDiscord, openWithEnv, personOf, signInAsDemo, signInByDiscord } from './support.ts';

const ELSEWHERE = [
  ...FOREIGN_ADDRESSES,
  'evil.example',
  '',
  '/sign-in',
  '/sign-in?back=/sign-in',
  '/sign-in/callback?code=a&state=b',
  '/x/../sign-out',
];

describe('a sign-in always returns to a page of this site', () => {
  it('through Discord', async (t) => {
    const { visitor } = await openWithDiscord(t);
    for (const back of ELSEWHERE) {
      assert.equal((await signInByDiscord(visitor(), back)).location, '/', JSON.stringify(back));
    }
  });

  it('in the demo', async (t) => {
    const { visitor } = await openWithEnv(t, {}, { isDemo: true });
    for (const back of ELSEWHERE) {
      const answer = await signInAsDemo(visitor(), '200000000000000101', back);
      assert.equal(answer.location, '/', JSON.stringify(back));
    }
  });

  it('and to the home page if the path does not fit into the cookie', async (t) => {
    const { visitor } = await openWithDiscord(t);
    const noise = Array.from({ length: 60 }, (_, index) => hash('sha512', String(index), 'base64url')).join(
      '',
    );
    const mona = visitor();
    assert.equal((await signInByDiscord(mona, `/guild/1/vote?external_id=${noise}`)).location, '/');
    assert.notEqual(personOf(await mona.get('/probe')), null);
  });
});

describe('a path stored in the cookie', () => {
  for (const path of [
    '/',
    '/guild/1/vote?external_id=%F0%9F%8E%AE%2525&return_to=https%3A%2F%2Fa.example',
    '/a?b=%zz',
  ]) {
    it(`is read back unchanged: ${path}`, () => {
      const packed = packPath(ownPath(path));
      assert.ok(packed);
      assert.equal(unpackPath(packed), path);
    });
  }
});
