import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import { MARK_BITS } from '../../../../src/domain/votes/marks.ts';
import { findBursts } from '../../../../src/site/dashboard/overview/unusual.ts';
import { onSqlite, USER } from '../../../support/api.ts';
import { openDashboard } from '../open-dashboard.ts';

describe('bursts', () => {
  const hours = (count: number, votes: number) =>
    Array.from({ length: count }, (_, i) => ({ hour: i * HOUR_MS, votes }));

  it('are hours with far more votes than usual for the community', () => {
    const steady = hours(200, 30);
    const farm = { hour: 300 * HOUR_MS, votes: 150 };
    assert.deepEqual(findBursts([...steady, farm]), [{ ...farm, busy: 30 }]);
    assert.deepEqual(findBursts([...steady, { ...farm, votes: 149 }]), []);
  });

  it('are detected in a community without earlier votes', () => {
    assert.deepEqual(findBursts([{ hour: 0, votes: 20 }]), [{ hour: 0, votes: 20, busy: 0 }]);
    assert.deepEqual(findBursts([{ hour: 0, votes: 19 }]), []);
    assert.deepEqual(findBursts([]), []);
  });
});

onSqlite('unusual votes on the overview', (open) => {
  test('are shown as text and as a table, in both languages, without networks', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    const cast = (i: number, marks: number, castAt: number) =>
      store.votes.cast(
        {
          guildId,
          userId: String(BigInt(USER) + BigInt(i)),
          castAt,
          externalId: '<b>Shared</b>',
          isDoubled: false,
        },
        { marks, network: { hash: `hash of ${guildId}`, maxAccounts: 99, busyFrom: 3 } },
      );
    const quiet = await alex.get(path());
    assert.doesNotMatch(quiet.text, /Unusual votes/);
    for (let i = 0; i < 25; i += 1) await cast(i, i < 2 ? MARK_BITS.young_account : 0, clock() - 60_000);
    const { text } = await alex.get(path());
    assert.match(text, /Burst: 25 votes in the hour from/);
    assert.match(text, /Shared names: 24 votes.*<bdi>&#60;b&#62;Shared&#60;\/b&#62;<\/bdi> \(24\)/);
    assert.match(text, /Busy networks: 23 votes; networks that many accounts voted from: 1/);
    assert.match(text, /Young accounts: 2 votes/);
    assert.match(text, /<svg class="unusual-chart"/);
    assert.doesNotMatch(text, /hash of/);
    await alex.get('/locale?to=fr&back=/');
    assert.match((await alex.get(path())).text, /Votes inhabituels.*Pic\u00A0: 25 votes/s);
    clock.advance(20 * DAY_MS);
    await alex.signIn('Alex');
    assert.match((await alex.get(path())).text, /Rien d’inhabituel/);
  });
});
