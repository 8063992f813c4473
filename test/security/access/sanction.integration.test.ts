import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  CALLERS,
  type Caller,
  type Community,
  type Fixture,
  openFixture,
  ownToken,
  visitorOf,
} from '../fixture.ts';
import { addressOf, rowsOf } from './access-table.ts';
import type { Row } from './cells.ts';
import { changedParts, stateOf } from './state.ts';

const DASHBOARD = rowsOf('demo').filter(({ route }) => route.includes('/dashboard/:guild_id'));
/** Forms that only show something. */
const REVEALS = DASHBOARD.filter(({ route }) => /^POST .*\/(?:reveal|copy)$/.test(route));
const CHANGES = DASHBOARD.filter((row) => row.route.startsWith('POST ') && !REVEALS.includes(row));
/** Pages that only lead to a change: a confirmation, or a form of its own. */
const QUESTIONS = DASHBOARD.filter(({ route }) =>
  /^GET .*\/(?:regenerate|rotate|remove|edit|release|settings\/(?:profile|banner))$/.test(route),
);
const VISITS = DASHBOARD.filter((row) => row.route.startsWith('GET ') && !QUESTIONS.includes(row));

describe('the dashboard of a sanctioned community', () => {
  let fixture: Fixture;
  let community: Community;
  before(async () => {
    fixture = await openFixture('demo');
    community = await fixture.newCommunity();
    const { guildId } = community;
    await fixture.store.guilds.setSanction(guildId, { since: fixture.clock(), reason: 'Bought votes' });
  });
  after(() => fixture.close());

  const send = async (row: Row, caller: Caller) => {
    const [method = ''] = row.route.split(' ');
    const token = await ownToken(visitorOf(fixture.visitors, caller));
    const form = row.form && { ...row.form(community), _csrf: token };
    return fixture.send(caller, method, addressOf(row, community), form);
  };

  for (const row of [...CHANGES, ...QUESTIONS]) {
    it(`rejects ${row.route}, and says why`, async () => {
      const earlier = await stateOf(fixture, community);
      const { status, text } = await send(row, 'admin');
      assert.equal(status, 403);
      assert.match(text, /This community is sanctioned/);
      assert.match(text, /read-only/);
      assert.deepEqual(changedParts(earlier, await stateOf(fixture, community)), []);
    });

    it(`reveals nothing new to others on ${row.route}`, async () => {
      for (const caller of CALLERS.filter((name) => name !== 'admin')) {
        const { text } = await send(row, caller);
        assert.doesNotMatch(text, /sanctioned|Bought votes/, caller);
      }
    });
  }

  for (const row of VISITS) {
    it(`still serves ${row.route}`, async () => {
      assert.match(String((await send(row, 'admin')).status), /^(?:200|303)$/);
    });
  }

  for (const row of REVEALS) {
    it(`still shows a secret on ${row.route}, and records it`, async () => {
      await row.prepare?.(fixture.store, community);
      const earlier = await stateOf(fixture, community);
      const { status, text } = await send(row, 'admin');
      assert.equal(status, 200);
      assert.match(text, /vty_[0-9A-Za-z]{36}|whsec_[0-9A-Za-z+/=]{20}|vls_[0-9A-Za-z_-]{20}/);
      assert.deepEqual(changedParts(earlier, await stateOf(fixture, community)), ['activities']);
    });
  }

  it('shows no form that would be rejected', async () => {
    const tabs = ['', '/key', '/votes', '/webhooks', '/settings', '/activity'];
    for (const tab of tabs) {
      const path = `/dashboard/${community.guildId}${tab}`;
      const { text } = await fixture.send('admin', 'GET', path);
      assert.match(text, /read-only/);
      const forms = [...text.matchAll(/<form[^>]*method="post"[^>]*action="([^"]*)"/g)].map(([, to]) => to);
      const refused = forms.filter(
        (to) => to?.startsWith('/dashboard/') && !/\/(?:reveal|copy)(?:#|$)/.test(to),
      );
      assert.deepEqual(refused, [], path);
      assert.doesNotMatch(text, /href="[^"]*\/(?:regenerate|rotate|remove|edit|release)(?:\?[^"]*)?"/, path);
    }
  });

  it('can be changed again after the sanction is lifted', async () => {
    await fixture.store.guilds.setSanction(community.guildId, null);
    const settings = CHANGES.find(({ route }) => route.endsWith('/settings'));
    assert.ok(settings);
    assert.equal((await send(settings, 'admin')).status, 303);
  });
});
