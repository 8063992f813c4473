import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_RULES } from '../../../../src/store/moderation/integrity.ts';
import { onSqlite } from '../../../support/api.ts';
import { openDashboard } from '../open-dashboard.ts';

onSqlite('the rules for voters', (open) => {
  test('are saved, shown and recorded', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings'));
    const answer = await alex.submit(page, path('/settings/rules'), {
      min_account_age_days: '30',
      members_only: 'on',
    });
    assert.deepEqual([answer.status, answer.location], [303, path('/settings?done=saved')]);
    const rules = { minAccountAgeDays: 30, membersOnly: true, signedLinksOnly: false };
    assert.deepEqual(await store.integrity.rules(guildId), rules);
    assert.deepEqual(await activities(), [['Alex', 'rules_changed']]);
    const { text } = await alex.get(path('/settings'));
    assert.match(text, /name="min_account_age_days" min="0" max="3650" value="30"/);
    assert.match(text, /name="members_only" value="on" checked/);
    assert.match(
      (await alex.get(path('/activity'))).text,
      /no rules → accounts at least 30 days old, Members only/,
    );
    await alex.submit(page, path('/settings/rules'), { min_account_age_days: '30', members_only: 'on' });
    assert.equal((await activities()).length, 1);
  });

  test('are rejected if the age is not a number of days', async (t) => {
    const { alex, path, store, guildId } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings'));
    for (const days of ['', '-1', '1.5', 'x', '3651', '99999']) {
      const { status } = await alex.submit(page, path('/settings/rules'), { min_account_age_days: days });
      assert.equal(status, 400, days);
    }
    assert.deepEqual(await store.integrity.rules(guildId), NO_RULES);
  });

  test('create a secret if links must be signed and there is none', async (t) => {
    const { alex, path, store, guildId } = await openDashboard(t, await open());
    const form = { min_account_age_days: '0', signed_links_only: 'on' };
    await alex.submit(await alex.get(path('/settings')), path('/settings/rules'), form);
    const first = await store.integrity.linkSecrets(guildId);
    assert.ok(first);
    await alex.submit(await alex.get(path('/settings')), path('/settings/rules'), form);
    assert.deepEqual(await store.integrity.linkSecrets(guildId), first);
  });
});

onSqlite('the secret of vote links', (open) => {
  test('can be created, revealed, rotated and revoked, and everything is recorded', async (t) => {
    const { alex, path, activities } = await openDashboard(t, await open());
    const tab = () => alex.get(path('/settings'));
    const act = async (name: string) => alex.submit(await tab(), path(`/settings/link-secret/${name}`));
    const secretIn = (text: string) => /id="link-secret">(vls_[^<]+)</.exec(text)?.[1];
    assert.match((await tab()).text, /No secret has been created yet/);
    assert.equal((await act('rotate')).location, path('/settings?done=link-secret-rotated'));
    assert.match((await tab()).text, /vls_•+/);
    const first = secretIn((await act('reveal')).text);
    assert.match(first ?? '', /^vls_[\w-]{43}$/);
    assert.doesNotMatch((await tab()).text, /vls_\w/);
    await act('rotate');
    assert.notEqual(secretIn((await act('reveal')).text), first);
    assert.match((await tab()).text, /previous secret is valid until/);
    assert.equal((await act('revoke')).location, path('/settings?done=link-secret-revoked'));
    assert.doesNotMatch((await tab()).text, /previous secret is valid until/);
    const actions = (await activities()).map(([, action]) => action);
    assert.deepEqual(actions.toSorted(), ['link_secret_revoked', 'link_secret_rotated', 'link_secret_shown']);
  });
});
