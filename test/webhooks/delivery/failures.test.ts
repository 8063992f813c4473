import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeliveryError, failureOf, failureText, toFailure } from '../../../src/domain/webhooks/failure.ts';

const CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPROTO',
  'HPE_INVALID_CONSTANT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

describe('the reason for a failed delivery', () => {
  for (const code of CODES) {
    it(`has a code and a message in each language: ${code}`, () => {
      const failure = failureOf(Object.assign(new Error('raw'), { code }));
      assert.equal(toFailure(failure), failure);
      const [english, french] = [failureText(failure, 'en'), failureText(failure, 'fr')];
      assert.deepEqual([english.language, french.language], ['en', 'fr']);
      assert.notEqual(english.text, 'raw');
      assert.notEqual(english.text, french.text);
    });
  }

  it('is the code of an error that we throw', () =>
    assert.equal(failureOf(new DeliveryError('PRIVATE_ADDRESS')), 'PRIVATE_ADDRESS'));

  it('is that of the first address when several were tried', () =>
    assert.equal(
      failureOf(
        new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' }), new Error('b')]),
      ),
      'CONNECTION_REFUSED',
    ));

  it('is the English message of an error without a known code', () => {
    const failure = failureOf(new Error('bad decrypt'));
    assert.equal(failure, 'OTHER: bad decrypt');
    assert.deepEqual(failureText(failure, 'fr'), { text: 'bad decrypt', language: 'en' });
    assert.equal(toFailure(failure), failure);
  });

  it('stays readable when an unknown text was stored', () =>
    assert.deepEqual(failureText(toFailure('connection refused'), 'fr'), {
      text: 'connection refused',
      language: 'en',
    }));
});
