import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUserId, openSessionIssuer } from '../../../torture/lib/sessions.ts';
import { type Api, onEachDatabase } from '../../support/api.ts';

/** What a script sends: one form for each of its accounts, without opening the page. */
async function castFrom(api: Api, ip: string, accounts: number): Promise<number[]> {
  const issuer = await openSessionIssuer(api.secrets, { isDemo: true, clock: api.clock });
  const sessions = await Promise.all(Array.from({ length: accounts }, () => issuer.issue(newUserId())));
  await issuer.close();
  const answers = await Promise.all(
    sessions.map(({ cookie, csrfToken }) =>
      api.app.inject({
        method: 'POST',
        url: `/guild/${api.guildId}/vote?external_id=Farmer`,
        remoteAddress: ip,
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ _csrf: csrfToken }).toString(),
      }),
    ),
  );
  return answers.map(({ statusCode }) => statusCode);
}

onEachDatabase('scripted accounts behind one address', (open) => {
  test('150 concurrent accounts cast four votes without solving a challenge', async () => {
    const api = await open();
    const statuses = await castFrom(api, '192.0.2.77', 150);
    assert.equal(statuses.filter((status) => status === 303).length, 4);
    assert.deepEqual([...new Set(statuses)].toSorted(), [303, 403]);
    const period = { from: 0, to: api.clock() + 1 };
    assert.equal(await api.store.votes.count({ guildId: api.guildId, userId: null, period }), 4);
  });

  test('addresses of one IPv6 network are counted as one, other networks separately', async () => {
    const api = await open();
    const passed = async (ip: string, accounts: number) =>
      (await castFrom(api, ip, accounts)).filter((status) => status === 303).length;
    assert.equal(await passed('2001:db8:1:2::1', 3), 3);
    assert.equal(await passed('2001:db8:1:2::2', 3), 1);
    assert.equal(await passed('2001:db8:1:3::1', 3), 3);
  });
});
