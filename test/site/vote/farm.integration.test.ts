import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newUserId, openSessionIssuer, type SessionIssuer } from '../../../torture/lib/sessions.ts';
import { type Api, NOW, onAnyDatabase } from '../../support/api.ts';

let issuer: Promise<SessionIssuer> | undefined;
after(async () => (await issuer)?.close());

/** What a script sends: one form for each of its accounts, without opening the page. */
async function castFrom(api: Api, ip: string, accounts: number): Promise<number[]> {
  // The clocks of all suites are set to the same instant, so one issuer is enough.
  issuer ??= openSessionIssuer(api.secrets, { isDemo: true, clock: () => Date.parse(NOW) });
  const { issue } = await issuer;
  const sessions = await Promise.all(Array.from({ length: accounts }, () => issue(newUserId())));
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

onAnyDatabase('scripted accounts behind one address', (open) => {
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

  test('40 accounts over ten IPv6 /64 of one /48 cast 19 votes without a challenge, and a busy /48 leaves others alone', async () => {
    const api = await open();
    const statuses: number[] = [];
    // Each /64 in its own /56.
    for (let i = 0; i < 10; i += 1)
      statuses.push(...(await castFrom(api, `2001:db8:2:${i.toString(16)}00::1`, 4)));
    assert.equal(statuses.filter((status) => status === 303).length, 19);
    assert.deepEqual([...new Set(statuses)].toSorted(), [303, 403]);
    assert.deepEqual(await castFrom(api, '2001:db8:3::1', 1), [303]);
  });

  test('40 accounts over ten IPv6 /64 of one /56 cast nine votes without a challenge', async () => {
    const api = await open();
    const statuses: number[] = [];
    for (let i = 0; i < 10; i += 1) statuses.push(...(await castFrom(api, `2001:db8:4:${i}::1`, 4)));
    assert.equal(statuses.filter((status) => status === 303).length, 9);
  });

  test('concurrent votes from many networks of one /48 are counted exactly', async () => {
    const api = await open();
    const addresses = Array.from({ length: 40 }, (_, i) => `2001:db8:5:${i.toString(16)}00::1`);
    const statuses = await Promise.all(addresses.map((ip) => castFrom(api, ip, 1)));
    assert.equal(statuses.flat().filter((status) => status === 303).length, 19);
  });

  test('the limits of IPv4 networks are those of single addresses', async () => {
    const api = await open();
    for (let i = 1; i <= 6; i += 1)
      assert.deepEqual(await castFrom(api, `203.0.113.${i}`, 4), [303, 303, 303, 303]);
  });
});
