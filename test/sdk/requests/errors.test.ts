import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isVotaryError,
  isVotaryValidationError,
  Votary,
  VotaryError,
  VotaryValidationError,
} from '../../../sdk/src/index.ts';
import { pageBody, USER, VOTED } from '../support/bodies.ts';
import { KEY, type Reply, startLocalService } from '../support/local-service.ts';
import { testRuntime } from '../support/test-runtime.ts';

/** The error of a vote check that gets this response. */
async function failWith(reply: Reply): Promise<VotaryError> {
  const service = await startLocalService(() => reply);
  // Shorter than the first pause, so that nothing is retried.
  const votary = new Votary({ apiKey: KEY, baseUrl: service.url, timeoutMs: 900 }, testRuntime());
  try {
    await votary.checkVote({ discordId: USER });
  } catch (error) {
    assert.ok(error instanceof VotaryError);
    return error;
  }
  assert.fail('no error');
}

describe('an error of the API', () => {
  it('has its code, status and message', async () => {
    const body = { ok: false, error: 'INVALID_API_TOKEN', message: 'Cette clé n’ouvre aucun serveur.' };
    const error = await failWith({ status: 401, body });
    assert.deepEqual(
      [error.code, error.status, error.message, error.retryAfter],
      ['INVALID_API_TOKEN', 401, 'Cette clé n’ouvre aucun serveur.', null],
    );
    assert.ok(isVotaryError(error) && !isVotaryValidationError(error));
  });

  it('has the fields of a validation error', async () => {
    const errors = [
      { rule: 'maxLength', field: 'external_id', message: 'At most 191 characters.' },
      { rule: 'regex', field: 'discord_id', message: '15 to 20 digits.' },
    ];
    const error = await failWith({ status: 400, body: { errors } });
    assert.ok(
      error instanceof VotaryValidationError && isVotaryValidationError(error) && isVotaryError(error),
    );
    assert.deepEqual(error.fields, errors);
    assert.deepEqual(
      [error.code, error.status, error.name],
      ['VALIDATION_ERROR', 400, 'VotaryValidationError'],
    );
    assert.equal(error.message, 'external_id: At most 191 characters.; discord_id: 15 to 20 digits.');
  });

  it('with an unknown code keeps the code', async () => {
    assert.equal(
      (await failWith({ status: 410, body: { ok: false, error: 'GONE', message: 'm' } })).code,
      'GONE',
    );
  });

  it('of the service itself is not retried', async () => {
    const service = await startLocalService(() => ({
      status: 500,
      body: { ok: false, error: 'INTERNAL_ERROR', message: 'Something failed.' },
    }));
    const votary = new Votary({ apiKey: KEY, baseUrl: service.url });
    await assert.rejects(votary.checkVote({ discordId: USER }), { code: 'INTERNAL_ERROR', status: 500 });
    assert.equal(service.requests.length, 1);
  });
});

describe('a response that is not from the API', () => {
  const html = '<html><body>502 Bad Gateway</body></html>';
  const strange: [name: string, reply: Reply, code: string, status: number | null][] = [
    ['a page of a proxy', { status: 502, body: html }, 'INVALID_RESPONSE', 502],
    ['a page with status 200', { body: html }, 'INVALID_RESPONSE', 200],
    ['an empty body', { body: '' }, 'INVALID_RESPONSE', 200],
    ['half a JSON document', { body: '{"ok":true,"guild' }, 'INVALID_RESPONSE', 200],
    ['a JSON list', { body: [] }, 'INVALID_RESPONSE', 200],
    ['a JSON null', { body: 'null' }, 'INVALID_RESPONSE', 200],
    ['a field that is missing', { body: { ...VOTED, has_voted: undefined } }, 'INVALID_RESPONSE', 200],
    ['a field of another type', { body: { ...VOTED, has_voted: 'yes' } }, 'INVALID_RESPONSE', 200],
    ['an invalid date', { body: { ...VOTED, last_vote_at: 'today' } }, 'INVALID_RESPONSE', 200],
    ['an error body of another service', { status: 400, body: { detail: 'no' } }, 'INVALID_RESPONSE', 400],
    [
      'validation faults of another shape',
      { status: 400, body: { errors: ['no'] } },
      'INVALID_RESPONSE',
      400,
    ],
    ['a page that is not found', { status: 404, body: '' }, 'NOT_FOUND', 404],
  ];
  for (const [name, reply, code, status] of strange) {
    it(`${name} is a typed error`, async () => {
      const error = await failWith(reply);
      assert.deepEqual([error.code, error.status], [code, status]);
    });
  }

  for (const body of ['<html>429</html>', '', { detail: 'slow down' }]) {
    it(`with status 429 is a rate limit with its Retry-After, whatever its body: ${JSON.stringify(body)}`, async () => {
      const error = await failWith({ status: 429, body, headers: { 'retry-after': '17' } });
      assert.deepEqual([error.code, error.status, error.retryAfter], ['RATE_LIMITED', 429, 17]);
    });
  }

  it('with status 503 keeps its Retry-After', async () => {
    const error = await failWith({ status: 503, body: html, headers: { 'retry-after': '120' } });
    assert.deepEqual([error.code, error.status, error.retryAfter], ['INVALID_RESPONSE', 503, 120]);
  });

  it('names the invalid field', async () => {
    const service = await startLocalService(() => ({ body: { ...pageBody(), votes: [{ user_id: USER }] } }));
    const votary = new Votary({ apiKey: KEY, baseUrl: service.url });
    await assert.rejects(votary.listVotes(), { code: 'INVALID_RESPONSE', message: /votes\[0\]\.timestamp/ });
  });

  it('does not send the key to the target of a redirect', async () => {
    const other = await startLocalService(() => ({ body: VOTED }));
    const error = await failWith({ status: 302, headers: { location: `${other.url}/v7/vote-check` } });
    assert.deepEqual([error.code, error.status], ['INVALID_RESPONSE', 302]);
    assert.match(error.message, /set baseUrl/);
    assert.equal(other.requests.length, 0);
  });
});

describe('the type guards', () => {
  it('recognize an error of another copy of the package', async () => {
    const copy = await import(`../../../sdk/src/errors/votary-error.ts?copy=${Date.now()}`);
    const error: unknown = new copy.VotaryError('TIMEOUT', 'late');
    assert.ok(!(error instanceof VotaryError));
    assert.ok(isVotaryError(error));
  });

  for (const value of [new Error('x'), null, undefined, 'RATE_LIMITED', { code: 'TIMEOUT' }]) {
    it(`reject ${value}`, () => assert.ok(!isVotaryError(value) && !isVotaryValidationError(value)));
  }
});
