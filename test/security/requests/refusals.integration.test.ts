import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildServer } from '../../../src/server.ts';
import { testServerDeps } from '../../support/api.ts';
import { type Fixture, openFixture } from '../fixture.ts';

const PAGES = [
  '/',
  '/dashboard',
  '/sign-in',
  '/guild/100000000000000001/vote',
  '/assets/base.css',
  '/docs',
  '/nothing',
];

describe('regressions found by hostile requests', { concurrency: false }, () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await openFixture();
  });
  after(() => fixture.close());

  for (const path of PAGES) {
    it(`${path} requested over plain HTTP behind a proxy is rejected with a message`, async (t) => {
      const app = buildServer({
        ...testServerDeps(fixture.store, fixture.clock, fixture.secrets),
        transport: { kind: 'proxy', trusted: ['127.0.0.1'] },
      });
      t.after(() => app.close());
      const refused = await app.inject({ url: path, headers: { accept: 'text/html' } });
      assert.deepEqual([refused.statusCode, refused.json().error], [403, 'HTTPS_REQUIRED']);
      const letIn = await app.inject({ url: path, headers: { 'x-forwarded-proto': 'https' } });
      assert.doesNotMatch(letIn.payload, /"error":"HTTPS_REQUIRED"/);
    });
  }

  it('an unknown guide or file of the reference is a 404, for browsers too', async () => {
    for (const path of ['/docs/guides/nothing', '/docs/files/nothing']) {
      const answer = await fixture.app.inject({ url: path, headers: { accept: 'text/html' } });
      assert.equal(answer.statusCode, 404);
    }
  });

  it('the key page is shown only for a Host header that can be a host', async () => {
    const { guildId } = await fixture.newCommunity();
    const cookies = Object.fromEntries(fixture.visitors.admin.cookies);
    const statusFor = async (host: string) =>
      (await fixture.app.inject({ url: `/dashboard/${guildId}/key`, headers: { host }, cookies })).statusCode;
    for (const host of ['%', 'a b', "' OR 1=1 --", 'a$`b', 'a/b'])
      assert.equal(await statusFor(host), 400, host);
    for (const host of ['a.example', 'a:8443', '[::1]:8443']) assert.equal(await statusFor(host), 200, host);
  });
});
