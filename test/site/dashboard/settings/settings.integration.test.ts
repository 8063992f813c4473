import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../src/domain/clock.ts';
import { DASHBOARD_LIMITS } from '../../../../src/site/dashboard/access.ts';
import { onSqlite } from '../../../support/api.ts';
import { openDashboard } from '../open-dashboard.ts';

onSqlite('the settings', (open) => {
  for (const rule of ['weekends', 'always'] as const) {
    test(`can double votes: ${rule}`, async (t) => {
      const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
      const page = await alex.get(path('/settings'));
      assert.match(page.text, /value="never" required checked/);
      const answer = await alex.submit(page, path('/settings'), { doubling: rule });
      assert.deepEqual([answer.status, answer.location], [303, path('/settings?done=saved')]);
      assert.equal((await store.guilds.find(guildId))?.doubling, rule);
      assert.deepEqual(await activities(), [['Alex', 'doubling_changed']]);
      const saved = (await alex.get(path('/settings?done=saved'))).text;
      assert.match(saved, new RegExp(`value="${rule}" required checked`));
      assert.match(saved, /Settings saved/);
    });
  }

  test('are one form: all of them are saved together, and an invalid one saves none', async (t) => {
    const { alex, path, store, guildId } = await openDashboard(t, await open());
    const settings = path('/settings');
    const page = await alex.get(settings);
    const [, form = ''] = /<form class="settings-form"[^>]*>(.*?)<\/form>/s.exec(page.text) ?? [];
    assert.equal(form.match(/<button/g)?.length, 1);
    const forms = Array.from(page.text.matchAll(/<form[^>]*>.*?<\/form>/gs), ([text]) => text);
    const filledIn = forms.filter((text) => /<(?:select|textarea|input(?! type="hidden"))/.test(text));
    assert.equal(filledIn.length, 1, 'no second form whose input would be lost');
    assert.match(page.text, /data-unsaved="Unsaved changes"/);
    const wanted = {
      ...{ doubling: 'always', one_reward_per_name: 'off' },
      ...{ min_account_age_days: '14', members_only: 'on' },
      ...{ role_rule: 'recent', role_id: '500000000000000001', role_amount: '12' },
    };
    for (const invalid of [{ min_account_age_days: 'x' }, { role_amount: '0' }])
      assert.equal((await alex.submit(page, settings, { ...wanted, ...invalid })).status, 400);
    assert.equal((await store.guilds.find(guildId))?.doubling, 'never');
    assert.equal((await alex.submit(page, settings, wanted)).location, `${settings}?done=saved`);
    const guild = await store.guilds.find(guildId);
    assert.deepEqual([guild?.doubling, guild?.oneRewardPerName], ['always', false]);
    assert.deepEqual(await store.integrity.rules(guildId), {
      ...{ minAccountAgeDays: 14, membersOnly: true, signedLinksOnly: false },
    });
    assert.equal((await store.voterRoles.find(guildId))?.amount, 12);
  });

  test('say how names are compared, and as which consumer ListForge plugins claim', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    const settings = path('/settings');
    const page = await alex.get(settings);
    assert.match(page.text, /Player name/);
    assert.match(page.text, /name="player_names" value="exact" required checked/);
    const wanted = { doubling: 'never', player_names: 'minecraft', listforge_consumer: 'survival' };
    for (const wrong of [{ player_names: 'fuzzy' }, { listforge_consumer: 'Not a name' }])
      assert.equal((await alex.submit(page, settings, { ...wanted, ...wrong })).status, 400);
    assert.deepEqual(await activities(), []);
    await alex.submit(page, settings, wanted);
    const guild = await store.guilds.find(guildId);
    assert.deepEqual([guild?.playerNames, guild?.listforgeConsumer], ['minecraft', 'survival']);
    const actions = (await activities()).map(([, action]) => action).sort();
    assert.deepEqual(actions, ['listforge_consumer_changed', 'player_names_changed']);
    assert.match((await alex.get(settings)).text, /name="player_names" value="minecraft" required checked/);
  });

  test('list the consumers, and remove one without its claims', async (t) => {
    const { alex, path, store, guildId, activities, clock } = await openDashboard(t, await open());
    await store.consumers.use(guildId, 'bot', clock());
    const page = await alex.get(path('/settings'));
    assert.match(page.text, /<span class="mono">bot<\/span>/);
    assert.match(page.text, /Its claims stay/);
    const form = path('/settings/consumers/remove');
    const answer = await alex.submit(page, form, { consumer: 'bot' });
    assert.equal(answer.location, path('/settings?done=consumer-removed#consumers'));
    await alex.submit(page, form, { consumer: 'bot' });
    assert.deepEqual(await store.consumers.list(guildId), []);
    assert.deepEqual(await activities(), [['Alex', 'consumer_removed']]);
  });

  test('record nothing if they are saved unchanged', async (t) => {
    const { alex, path, activities } = await openDashboard(t, await open());
    await alex.submit(await alex.get(path('/settings')), path('/settings'), { doubling: 'never' });
    assert.deepEqual(await activities(), []);
  });

  for (const [method, fields, action] of [
    ['setDoubling', { doubling: 'always' }, 'doubling_changed'],
    ['setOneRewardPerName', { doubling: 'never', one_reward_per_name: 'off' }, 'name_rule_changed'],
  ] as const) {
    test(`record ${action} before the change`, async (t) => {
      const { alex, path, store, activities } = await openDashboard(t, await open());
      t.mock.method(store.guilds, method, async () => {
        throw new Error('the database is closed');
      });
      const { status } = await alex.submit(await alex.get(path('/settings')), path('/settings'), fields);
      assert.equal(status, 500);
      assert.deepEqual(await activities(), [['Alex', action]]);
    });
  }

  for (const [form, fields] of [
    ['/settings', { doubling: 'always' }],
    ['/settings/rules', { min_account_age_days: '30' }],
  ] as const) {
    test(`can be changed 60 times per hour: ${form}`, async (t) => {
      const { alex, path, activities } = await openDashboard(t, await open());
      const page = await alex.get(path('/settings'));
      const { requests } = DASHBOARD_LIMITS.TOO_MANY_CHANGES;
      for (let count = 0; count < requests; count += 1)
        assert.equal((await alex.submit(page, path(form), fields)).status, 303);
      const before = await activities();
      assert.equal((await alex.submit(page, path(form), fields)).status, 429);
      assert.deepEqual(await activities(), before);
    });
  }

  test('can allow one reward per vote instead of one per name, and back', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    const rule = async () => (await store.guilds.find(guildId))?.oneRewardPerName;
    const page = await alex.get(path('/settings'));
    assert.match(page.text, /name="one_reward_per_name" value="on" required checked/);
    for (const [value, isOn] of [
      ['off', false],
      ['off', false],
      ['on', true],
    ] as const) {
      const answer = await alex.submit(page, path('/settings'), {
        doubling: 'never',
        one_reward_per_name: value,
      });
      assert.deepEqual([answer.status, await rule()], [303, isOn]);
    }
    const changed = ['Alex', 'name_rule_changed'];
    assert.deepEqual(await activities(), [changed, changed]);
    const { text } = await alex.get(path('/activity'));
    assert.match(text, /One reward per name per hour → One reward per vote/);
    // A form without the field keeps the rule.
    await alex.submit(page, path('/settings'), { doubling: 'always' });
    assert.equal(await rule(), true);
  });

  for (const fields of [
    {},
    { doubling: 'sometimes' },
    { doubling: '' },
    { doubling: 'never', one_reward_per_name: 'maybe' },
  ]) {
    test(`reject the form ${JSON.stringify(fields)}`, async (t) => {
      const { alex, path, store, guildId } = await openDashboard(t, await open());
      const answer = await alex.submit(await alex.get(path('/settings')), path('/settings'), fields);
      assert.equal(answer.status, 400);
      assert.equal((await store.guilds.find(guildId))?.doubling, 'never');
    });
  }

  test('show how to get Premium, how long it lasts, and when it ended', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    assert.match((await alex.get(path('/settings'))).text, /Inactive.*contact the operator/s);
    await store.guilds.setPremiumUntil(guildId, clock() + DAY_MS);
    assert.match((await alex.get(path('/settings'))).text, /Until <time [^>]+>Nov 16, 2026, 12:00\sPM UTC</);
    clock.advance(DAY_MS);
    assert.match((await alex.get(path('/settings'))).text, /Inactive.*Ended on <time [^>]+>Nov 16, 2026/s);
  });
});
