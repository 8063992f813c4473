import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiError } from '../../../src/api/errors/api-error.ts';
import { ValidationError } from '../../../src/api/errors/validation-error.ts';

it('an error has its code and extra fields', () => {
  const error = new ApiError('RATE_LIMITED', { retry_after: 12 });
  assert.equal(error.code, 'RATE_LIMITED');
  assert.deepEqual(error.extras, { retry_after: 12 });
  assert.deepEqual(new ApiError('INVALID_CURSOR').extras, {});
});

it('a validation error contains every field and rule in its message', () => {
  const error = new ValidationError([
    { field: 'limit', rule: 'max', bound: 1000 },
    { field: 'locale', rule: 'string' },
  ]);
  assert.match(error.message, /limit \(max\), locale \(string\)/);
  assert.equal(error.faults.length, 2);
});
