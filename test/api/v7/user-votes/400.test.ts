import { test } from 'node:test';
import { assertError, assertInvalid, onAnyDatabase, USER } from '../../../support/api.ts';

const PATH = '/v7/guild/votes/users';

onAnyDatabase('GET /v7/guild/votes/users/{user_id} answers 400', (open) => {
  test('a user id that is not 15 to 20 digits is INVALID_USER_ID, never a validation error', async () => {
    const api = await open();
    await api.grantPremium();
    for (const id of [
      'abc',
      '12345678901234',
      '1'.repeat(21),
      '%zz',
      '%00',
      '%2F',
      '1'.repeat(2000),
      `${USER}%20`,
      '%F0%9F%97%B3',
      '..%2f',
    ]) {
      assertError(await api.get(`${PATH}/${id}`), 400, 'INVALID_USER_ID');
    }
  });

  test('parameters are validated before the user id, and the user id before dates and cursor', async () => {
    const api = await open();
    await api.grantPremium();
    assertInvalid(await api.get(`${PATH}/abc?limit=0`), [{ field: 'limit', rule: 'min' }]);
    assertError(await api.get(`${PATH}/abc?from=never&cursor=x`), 400, 'INVALID_USER_ID');
  });

  test('dates and cursors have the same errors as in the list of the guild', async () => {
    const api = await open();
    await api.grantPremium();
    assertError(await api.get(`${PATH}/${USER}?from=never`), 400, 'INVALID_DATE');
    assertError(await api.get(`${PATH}/${USER}?from=2026-11-03&to=2026-11-02`), 400, 'INVALID_DATE_RANGE');
    assertError(await api.get(`${PATH}/${USER}?from=2026-01-01`), 400, 'DATE_RANGE_TOO_LARGE');
    assertError(await api.get(`${PATH}/${USER}?cursor=x`), 400, 'INVALID_CURSOR');
  });
});
