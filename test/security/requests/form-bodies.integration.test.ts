import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { makeHome } from '../../cli/votary.ts';
import { newHttpsVisitor } from '../../support/https-visitor.ts';
import { serveHere } from '../../support/serve.ts';
import { addressOf, isForm, rowsOf } from '../access/access-table.ts';
import { changedParts, stateOf } from '../access/state.ts';
import { type Community, type Fixture, openFixture, ownToken } from '../fixture.ts';

const FORMS = rowsOf('demo').filter(({ route }) => isForm(route));
const TOO_MUCH = { padding: 'x'.repeat(64 * 1024) };

describe('a form of more than 16 kB', { concurrency: false }, () => {
  let fixture: Fixture;
  let community: Community;
  before(async () => {
    fixture = await openFixture();
    community = await fixture.newCommunity();
  });
  after(() => fixture.close());

  for (const row of FORMS) {
    it(`is rejected with a message at ${row.route}`, async () => {
      const state = await stateOf(fixture, community);
      const form = { ...row.form?.(community), _csrf: await ownToken(fixture.visitors.admin), ...TOO_MUCH };
      const answer = await fixture.send('admin', 'POST', addressOf(row, community), form);
      assert.equal(answer.status, 413);
      assert.match(answer.text, /The form is too large.*Nothing was changed/s);
      assert.deepEqual(changedParts(state, await stateOf(fixture, community)), []);
    });

    it(`is not read from signed-out visitors at ${row.route}, unless it is to sign in`, async () => {
      const { status } = await fixture.send('nobody', 'POST', addressOf(row, community), TOO_MUCH);
      assert.equal(status === 413, row.route === 'POST /sign-in', `status ${status}`);
    });
  }

  it('is rejected in French', async () => {
    const { statusCode, payload } = await fixture.app.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'fr' },
      payload: new URLSearchParams(TOO_MUCH).toString(),
    });
    assert.equal(statusCode, 413);
    assert.match(payload, /Le formulaire est trop volumineux/);
  });

  it('does not affect the longest form that fits', async () => {
    const page = `/dashboard/${community.guildId}/settings`;
    const form = { doubling: 'always', _csrf: await ownToken(fixture.visitors.admin) };
    const padding = 'x'.repeat(64 * 1024 - new URLSearchParams({ ...form, padding: '' }).toString().length);
    assert.equal((await fixture.send('admin', 'POST', page, { ...form, padding })).status, 303);
  });
});

describe('a form of a megabyte, over a real connection', { timeout: 60_000 }, () => {
  it('gets a response, whether it is read or not', async (t) => {
    const served = await serveHere(await makeHome({ VOTARY_PORT: '0' }), { isDemo: true });
    const visitor = newHttpsVisitor(served.url);
    t.after(async () => {
      visitor.close();
      await served.stop();
    });
    const form = { padding: 'x'.repeat(1024 * 1024) };
    const statuses: number[] = [];
    for (const path of ['/sign-in', '/sign-out', '/dashboard/100000000000000001/settings'])
      statuses.push((await visitor.post(path, form)).status);
    assert.deepEqual(statuses, [413, 303, 401]);
  });
});

/** As `curl -X POST -H "content-type: …"` sends it: a type, but neither a body nor its length. */
describe('a type without a body, over a real connection', { timeout: 60_000 }, () => {
  it('gets a response at every kind of route that reads bodies', async (t) => {
    const served = await serveHere(await makeHome({ VOTARY_PORT: '0' }), { isDemo: true });
    t.after(() => served.stop());
    const statusOf = async (method: string, path: string, type: string): Promise<string> => {
      const { hostname, port } = new URL(served.url);
      const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: ${type}\r\n\r\n`);
      const [start] = await once(socket, 'data');
      socket.destroy();
      return String(start).slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3);
    };
    const form = 'application/x-www-form-urlencoded';
    assert.equal(await statusOf('POST', '/sign-in', form), '403');
    assert.equal(
      await statusOf('POST', '/compat/listforge/api/?action=post&object=votes&element=claim', form),
      '200',
    );
    assert.equal(await statusOf('POST', '/manage/v1/guilds', 'application/json'), '401');
    assert.equal(await statusOf('DELETE', '/v7/guild/claims/x', 'application/json'), '401');
  });
});
