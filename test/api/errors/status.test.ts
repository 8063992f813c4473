import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { V7_ERROR_STATUS, VALIDATION_STATUS } from '../../../src/api/errors/responses.ts';

/** Repeated from the contract, so that a mistake in the table is found. */
const CONTRACT: Record<string, readonly string[]> = {
  400: [
    'MISSING_IDENTIFIER',
    'MULTIPLE_IDENTIFIERS',
    'INVALID_DATE',
    'INVALID_DATE_RANGE',
    'DATE_RANGE_TOO_LARGE',
    'INVALID_CURSOR',
    'INVALID_USER_ID',
    'INVALID_VOTE_ID',
    'IDEMPOTENCY_MISMATCH',
    'TOO_MANY_CONSUMERS',
    'BAD_REQUEST',
  ],
  401: ['API_NOT_SET', 'INVALID_API_TOKEN'],
  403: ['PREMIUM_REQUIRED', 'HTTPS_REQUIRED'],
  405: ['METHOD_NOT_ALLOWED'],
  408: ['REQUEST_TIMEOUT'],
  429: ['RATE_LIMITED'],
  431: ['HEADERS_TOO_LARGE'],
  500: ['INTERNAL_ERROR'],
  503: ['SERVICE_UNAVAILABLE'],
};

describe('every error of the contract has its status', () => {
  for (const [status, codes] of Object.entries(CONTRACT)) {
    it(`${status}: ${codes.join(', ')}`, () => {
      const found = Object.entries(V7_ERROR_STATUS).filter(([, known]) => known === Number(status));
      assert.deepEqual(found.map(([code]) => code).toSorted(), codes.toSorted());
    });
  }

  it('no error code maps to 404, which never has an error body', () => {
    assert.ok(!Object.values<number>(V7_ERROR_STATUS).includes(404));
  });

  it('parameters that violate their schema are a 400', () => assert.equal(VALIDATION_STATUS, 400));
});
