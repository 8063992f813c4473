import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failureText } from '../../../src/site/dashboard/webhooks/failure-messages.ts';
import { explainFailure, ForbiddenAddressError } from '../../../src/webhooks/resolve.ts';

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
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

describe('why a delivery failed', () => {
  for (const code of CODES) {
    it(`is told in French: ${code}`, () => {
      const reason = explainFailure(Object.assign(new Error('raw'), { code }));
      assert.notEqual(reason, 'raw');
      const { text } = failureText(reason, 'fr');
      assert.doesNotMatch(text, /lang="en"/);
    });
  }

  for (const kind of ['private-address', 'forbidden-port'] as const) {
    it(`is told in French when the address is a forbidden one: ${kind}`, () =>
      assert.doesNotMatch(
        failureText(explainFailure(new ForbiddenAddressError(kind)), 'fr').text,
        /lang="en"/,
      ));
  }

  it('is shown as it is, as English and as text, when nobody foresaw it', () =>
    assert.equal(failureText('<b>odd</b>', 'fr').text, '<span lang="en">&#60;b&#62;odd&#60;/b&#62;</span>'));
});
