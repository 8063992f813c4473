import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import { deriveSecrets } from '../../../../src/domain/secrets.ts';
import { onSqlite } from '../../../support/api.ts';
import { testEndpoints } from '../../../support/webhooks.ts';
import { tokenOf } from '../../visitor.ts';
import { replacesIn } from '../open-dashboard.ts';
import { openWebhooksTab, secretIn } from './open-webhooks.ts';

/** No server listens there, and nothing is sent there unless a test does so. */
const URL_A = 'http://127.0.0.1:1029/votes';

const REFUSED: [name: string, url: string, words: RegExp][] = [
  ['is none', 'not an address', /This is not a valid URL/],
  ['is missing', '', /This is not a valid URL/],
  ['is not https', 'http://bot.example.org/votes', /must start with https:\/\//],
  ['runs a script', 'javascript:alert(1)', /must start with https:\/\//],
  ['contains a password', 'https://me:secret@bot.example.org/', /contains a user name or a password/],
  ['leads into a private network', 'https://192.168.0.7/votes', /private or reserved network/],
  ['leads there in another notation', 'https://0x0a000001/votes', /private or reserved network/],
  [
    'leads to the metadata service of a cloud',
    'https://169.254.169.254/latest',
    /private or reserved network/,
  ],
  ['uses the port of another service', 'https://bot.example.org:25/', /port 443 or a port above 1023/],
  ['is too long', `https://bot.example.org/${'x'.repeat(2100)}`, /at most 2048 characters/],
];

onSqlite('the webhooks tab', (open) => {
  test('explains webhooks and offers the first endpoint, with vote_received chosen', async (t) => {
    const { text } = await (await openWebhooksTab(t, await open())).tab();
    assert.match(text, /Get notified instead of polling/);
    assert.match(text, /name="vote_received" checked/);
    assert.match(text, /name="vote_available">/);
    assert.match(text, /One hour after a vote, when the user can vote again/);
    assert.doesNotMatch(text, /Deliveries/);
  });

  test('adds an endpoint, confirms it, and records who did it', async (t) => {
    const { add, alex, path, store, guildId, activities } = await openWebhooksTab(t, await open());
    const answer = await add(URL_A, 'vote_received', 'vote_available');
    assert.deepEqual([answer.status, answer.location], [303, path('/webhooks?done=webhook-added')]);
    const [endpoint] = await store.webhooks.listEndpoints(guildId);
    assert.deepEqual([endpoint?.url, endpoint?.events], [URL_A, ['vote_received', 'vote_available']]);
    assert.deepEqual(await activities(), [['Alex', 'webhook_changed']]);
    const { text } = await alex.get(answer.location ?? '');
    assert.match(text, /Endpoint added/);
    assert.ok(text.includes(`<bdi>${URL_A}</bdi>`));
    assert.match(text, /badge good">Active/);
  });

  for (const [name, url, words] of REFUSED) {
    test(`explains why a URL is rejected that ${name}`, async (t) => {
      const { add, store, guildId, activities } = await openWebhooksTab(t, await open());
      const { status, text } = await add(url, 'vote_available');
      assert.equal(status, 400);
      assert.match(text, words);
      assert.match(text, /name="vote_available" checked/);
      assert.deepEqual(await store.webhooks.listEndpoints(guildId), []);
      assert.deepEqual(await activities(), []);
    });
  }

  test('rejects an endpoint without events, and one with unknown events', async (t) => {
    const { add, store, guildId } = await openWebhooksTab(t, await open());
    for (const events of [[], ['vote_counted'], ['webhook_test']]) {
      const { status, text } = await add(URL_A, ...events);
      assert.equal(status, 400);
      assert.match(text, /Choose at least one event/);
    }
    assert.deepEqual(await store.webhooks.listEndpoints(guildId), []);
  });

  test('shows a rejected URL as text', async (t) => {
    const { add } = await openWebhooksTab(t, await open());
    const { text } = await add('"><script>alert(1)</script>', 'vote_received');
    assert.ok(text.includes('value="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"'));
    assert.doesNotMatch(text, /<script>/);
  });

  test('accepts five endpoints but not a sixth', async (t) => {
    const { add, addEndpoint, tab, store, guildId } = await openWebhooksTab(t, await open());
    for (let index = 0; index < 5; index += 1) await addEndpoint(`${URL_A}/${index}`);
    const { text } = await tab();
    assert.match(text, /can have up to 5 endpoints/);
    assert.doesNotMatch(text, /id="url"/);
    const answer = await add(`${URL_A}/6`, 'vote_received');
    assert.equal(answer.status, 400);
    assert.match(answer.text, /notice bad">A community can have up to 5 endpoints/);
    assert.equal((await store.webhooks.listEndpoints(guildId)).length, 5);
  });

  test('masks the secret until it is revealed, and revealing it is recorded', async (t) => {
    const { addEndpoint, press, tab, activities } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(URL_A);
    assert.equal(secretIn(await tab()), undefined);
    const revealed = await press(`/${endpointId}/reveal`);
    const secret = secretIn(revealed);
    assert.ok(secret);
    assert.match(revealed.text, /recorded in the activity log/);
    assert.deepEqual((await activities())[0], ['Alex', 'webhook_secret_shown']);
    const masked = await tab();
    assert.ok(masked.text.includes(`whsec_${'•'.repeat(20)}${secret.slice(-4)}`));
    assert.equal(secretIn(masked), undefined);
    assert.equal((await activities()).length, 2);
  });

  test('prevents caching of a page that shows a secret', async (t) => {
    const { addEndpoint, alex, app, tab, path } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(URL_A);
    const answer = await app.inject({
      method: 'POST',
      url: path(`/webhooks/${endpointId}/reveal`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      cookies: Object.fromEntries(alex.cookies),
      payload: new URLSearchParams({ _csrf: tokenOf(await tab()) }).toString(),
    });
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.match(answer.payload, /whsec_[0-9A-Za-z+/]{43}=/);
    assert.doesNotMatch(answer.payload, /(?:href|action|value)="[^"]*whsec_/);
  });

  test('says what to do about a secret that was encrypted with a different master secret', async (t) => {
    const { store, clock, guildId, press, tab, activities } = await openWebhooksTab(t, await open());
    const lost = testEndpoints(store, clock, deriveSecrets('a lost master secret'));
    const added = await lost.addEndpoint(guildId, { url: URL_A, events: ['vote_received'] }, null);
    assert.ok(added.ok);
    assert.match((await tab()).text, /Nothing can be sent, .* Rotate it, or ask the operator/);
    const answer = await press(`/${added.endpoint.endpointId}/reveal`);
    assert.equal(answer.status, 200);
    assert.equal(secretIn(answer), undefined);
    assert.deepEqual(await activities(), [[null, 'webhook_changed']]);
  });

  test('rotates a secret after confirmation, and shows until when both are valid', async (t) => {
    const { addEndpoint, alex, press, path, tab, clock, activities } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(URL_A);
    const old = secretIn(await press(`/${endpointId}/reveal`));
    const question = await alex.get(path(`/webhooks/${endpointId}/rotate`));
    assert.match(question.text, /In 24 hours: both secrets are valid until then/);
    assert.doesNotMatch(question.text, /The last rotation is still in progress/);
    assert.equal(secretIn(await press(`/${endpointId}/reveal`)), old);
    const answer = await alex.submit(question, path(`/webhooks/${endpointId}/rotate`), {
      replaces: replacesIn(question),
    });
    assert.deepEqual([answer.status, answer.location], [303, path('/webhooks?done=webhook-rotated')]);
    assert.deepEqual((await activities())[0], ['Alex', 'webhook_changed']);
    const fresh = secretIn(await press(`/${endpointId}/reveal`));
    assert.ok(fresh && fresh !== old);
    assert.match(
      (await tab()).text,
      /also signed with the previous secret until <time[^>]*>Nov 16, 2026, 12:00 PM UTC/,
    );
    const again = await alex.get(path(`/webhooks/${endpointId}/rotate`));
    assert.match(again.text, /The last rotation is still in progress/);
    clock.advance(DAY_MS);
    assert.doesNotMatch((await tab()).text, /also signed with the previous secret/);
  });

  test('does not rotate twice if a button is pressed twice', async (t) => {
    const { addEndpoint, alex, path, press } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(URL_A);
    const address = path(`/webhooks/${endpointId}/rotate`);
    const question = await alex.get(address);
    await alex.submit(question, address, { replaces: replacesIn(question) });
    const secret = secretIn(await press(`/${endpointId}/reveal`));
    for (const fields of [{ replaces: replacesIn(question) }, {}]) {
      const answer = await alex.submit(question, address, fields);
      assert.deepEqual([answer.status, answer.location], [303, path('/webhooks?done=webhook-kept')]);
    }
    assert.equal(secretIn(await press(`/${endpointId}/reveal`)), secret);
    assert.match(
      (await alex.get(path('/webhooks?done=webhook-kept'))).text,
      /notice warn.*Nothing was changed/,
    );
  });

  test('removes an endpoint after confirmation', async (t) => {
    const { addEndpoint, alex, path, store, guildId, activities } = await openWebhooksTab(t, await open());
    const address = path(`/webhooks/${await addEndpoint(URL_A)}/remove`);
    const question = await alex.get(address);
    assert.match(question.text, /This cannot be undone/);
    assert.equal((await store.webhooks.listEndpoints(guildId)).length, 1);
    const answer = await alex.submit(question, address);
    assert.deepEqual([answer.status, answer.location], [303, path('/webhooks?done=webhook-removed')]);
    assert.deepEqual(await store.webhooks.listEndpoints(guildId), []);
    assert.equal((await activities()).length, 2);
  });

  test('shows since when an endpoint has been failing', async (t) => {
    const { addEndpoint, castVote, deliver, tab } = await openWebhooksTab(t, await open());
    await addEndpoint(URL_A);
    await castVote();
    await deliver();
    const { text } = await tab();
    assert.match(text, /badge warn">Failing/);
    assert.match(text, /Nothing has been delivered since <time[^>]*>Nov 15, 2026, 12:00 PM UTC/);
  });

  for (const [reason, words] of [
    ['gone', /The receiver responded with 410 Gone/],
    ['failing', /Nothing was delivered for five days/],
  ] as const) {
    test(`shows why an endpoint was disabled (${reason}), and enables it again`, async (t) => {
      const tab = await openWebhooksTab(t, await open());
      const { store, guildId, clock, press, path, activities } = tab;
      const endpointId = await tab.addEndpoint(URL_A);
      await store.webhooks.disableEndpoint(guildId, endpointId, clock() - HOUR_MS, reason);
      const { text } = await tab.tab();
      assert.match(text, /badge bad">Disabled/);
      assert.match(text, /Disabled on <time[^>]*>Nov 15, 2026, 11:00 AM UTC/);
      assert.match(text, words);
      const answer = await press(`/${endpointId}/enable`);
      assert.deepEqual([answer.status, answer.location], [303, path('/webhooks?done=webhook-enabled')]);
      assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.disabled, null);
      assert.match((await tab.tab()).text, /badge good">Active/);
      assert.deepEqual((await activities())[0], ['Alex', 'webhook_changed']);
    });
  }

  test('does not change endpoints of another guild, and reports one that no longer exists', async (t) => {
    const { store, press, alex, path, clock, secrets, activities } = await openWebhooksTab(t, await open());
    const other = await open();
    const input = { url: URL_A, events: ['vote_received' as const] };
    const added = await testEndpoints(store, clock, secrets).addEndpoint(other.guildId, input, null);
    assert.ok(added.ok);
    const before = await store.webhooks.listEndpoints(other.guildId);
    for (const endpointId of [added.endpoint.endpointId, 'ep_0000000000000000', 'ep_', '%00']) {
      for (const action of ['reveal', 'test', 'enable', 'rotate', 'remove', 'edit', 'pause', 'resume']) {
        const answer = await press(`/${endpointId}/${action}`);
        assert.deepEqual([answer.status, answer.location], [303, path('/webhooks?done=webhook-missing')]);
      }
      for (const action of ['rotate', 'remove', 'edit']) {
        const answer = await alex.get(path(`/webhooks/${endpointId}/${action}`));
        assert.equal(answer.location, path('/webhooks?done=webhook-missing'));
      }
    }
    assert.deepEqual(await store.webhooks.listEndpoints(other.guildId), before);
    assert.deepEqual(await store.webhooks.deliveries(other.guildId, clock(), 10), []);
    assert.deepEqual(await activities(), []);
    assert.match((await alex.get(path('/webhooks?done=webhook-missing'))).text, /no longer exists/);
  });

  test('is available in French', async (t) => {
    const { addEndpoint, alex, path } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(URL_A);
    const headers = { 'accept-language': 'fr' };
    assert.match((await alex.get(path('/webhooks'), headers)).text, /Ajouter un autre endpoint/);
    const question = await alex.get(path(`/webhooks/${endpointId}/rotate`), headers);
    assert.match(question.text, /Dans 24 heures\u00A0: les deux secrets sont valables d’ici là/);
  });
});
