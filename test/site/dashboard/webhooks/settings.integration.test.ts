import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { onSqlite } from '../../../support/api.ts';
import { startReceiver } from '../../../webhooks/receiver.ts';
import { replacesIn } from '../open-dashboard.ts';
import { logRows, openWebhooksTab, secretIn } from './open-webhooks.ts';

/** No server listens there. */
const URL_A = 'http://127.0.0.1:1029/votes';
const URL_B = 'http://127.0.0.1:1029/moved';

onSqlite('the settings of an endpoint', (open) => {
  test('contain a name, which is shown above the URL everywhere', async (t) => {
    const { press, tab, store, guildId, path } = await openWebhooksTab(t, await open());
    const answer = await press('', { url: URL_A, name: '  <i>Bot "1"  ', vote_received: 'on' });
    assert.equal(answer.location, path('/webhooks?done=webhook-added'));
    assert.equal((await store.webhooks.listEndpoints(guildId))[0]?.name, '<i>Bot "1"');
    const { text } = await tab();
    assert.match(text, /<h3[^>]*><bdi>&#60;i&#62;Bot &#34;1&#34;<\/bdi><\/h3>/);
    assert.match(text, /<option value="ep_\w+">&#60;i&#62;Bot &#34;1&#34; \(127\.0\.0\.1:1029\)<\/option>/);
    assert.ok(text.includes(`<bdi>${URL_A}</bdi>`));
  });

  test('are shown in a form and saved', async (t) => {
    const { addEndpoint, alex, path, press, tab, store, guildId } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(URL_A);
    const secret = secretIn(await press(`/${endpointId}/reveal`));
    assert.match((await tab()).text, new RegExp(`href="[^"]*/${endpointId}/edit">Edit…</a>`));
    const address = path(`/webhooks/${endpointId}/edit`);
    const form = await alex.get(address);
    assert.ok(form.text.includes(`name="url" value="${URL_A}"`));
    assert.match(form.text, /name="vote_received" checked/);
    assert.doesNotMatch(form.text, /name="vote_available" checked/);
    const saved = await alex.submit(form, address, { url: URL_B, name: 'Bot', vote_available: 'on' });
    assert.deepEqual(
      [saved.status, saved.location],
      [303, path(`/webhooks?done=webhook-edited#${endpointId}`)],
    );
    const [endpoint] = await store.webhooks.listEndpoints(guildId);
    assert.deepEqual([endpoint?.url, endpoint?.name, endpoint?.events], [URL_B, 'Bot', ['vote_available']]);
    assert.equal(secretIn(await press(`/${endpointId}/reveal`)), secret);
    assert.match((await alex.get(path('/webhooks?done=webhook-edited'))).text, /Changes saved/);
    assert.ok((await alex.get(address)).text.includes('name="name" value="Bot"'));
  });

  for (const [what, fields, words] of [
    ['address', { url: 'https://10.0.0.1/', vote_received: 'on' }, /private or reserved network/],
    ['name', { url: URL_A, name: 'x'.repeat(61), vote_received: 'on' }, /at most 60 characters/],
    ['choice of no event', { url: URL_A }, /Choose at least one event/],
  ] as const) {
    test(`are rejected with a message for an invalid ${what}, and keep the input`, async (t) => {
      const { addEndpoint, alex, path, store, guildId } = await openWebhooksTab(t, await open());
      const endpointId = await addEndpoint(URL_B);
      const before = await store.webhooks.listEndpoints(guildId);
      const address = path(`/webhooks/${endpointId}/edit`);
      const { status, text } = await alex.submit(await alex.get(address), address, fields);
      assert.equal(status, 400);
      assert.match(text, words);
      assert.ok(text.includes(`name="url" value="${fields.url}"`));
      assert.deepEqual(await store.webhooks.listEndpoints(guildId), before);
    });
  }
});

onSqlite('a paused endpoint', (open) => {
  test('says so, queues events, and sends them when it is resumed', async (t) => {
    const receiver = await startReceiver();
    const { addEndpoint, press, castVote, deliver, tab, path, alex } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(receiver.url);
    const paused = await press(`/${endpointId}/pause`);
    assert.deepEqual(
      [paused.status, paused.location],
      [303, path(`/webhooks?done=webhook-paused#${endpointId}`)],
    );
    await castVote();
    await deliver();
    assert.equal(receiver.received.length, 0);
    const page = await tab();
    assert.match(page.text, /badge warn">Paused/);
    assert.match(page.text, /Paused since <time[^>]*>Nov 15, 2026, 12:00 PM UTC/);
    assert.match(logRows(page)[0] ?? '', /Pending On hold: the endpoint is paused –$/);
    const resumed = await press(`/${endpointId}/resume`);
    assert.equal(resumed.location, path(`/webhooks?done=webhook-resumed#${endpointId}`));
    assert.match(
      (await alex.get(path('/webhooks?done=webhook-resumed'))).text,
      /Pending events are being sent/,
    );
    await deliver();
    assert.equal(receiver.received.length, 1);
    assert.match((await tab()).text, /badge good">Active/);
  });
});

onSqlite('a secret', (open) => {
  test('is replaced immediately on request, and says so', async (t) => {
    const { addEndpoint, alex, path, press, tab, store, guildId } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(URL_A);
    const old = secretIn(await press(`/${endpointId}/reveal`));
    const address = path(`/webhooks/${endpointId}/rotate`);
    const question = await alex.get(address);
    assert.match(question.text, /name="when" value="later" checked/);
    assert.match(question.text, /name="when" value="now">/);
    assert.match(question.text, /Now: the old secret stops working immediately/);
    const fields = { replaces: replacesIn(question), when: 'now' };
    const answer = await alex.submit(question, address, fields);
    assert.deepEqual([answer.status, answer.location], [303, path('/webhooks?done=webhook-replaced')]);
    assert.match((await alex.get(answer.location ?? '')).text, /The old one has stopped working/);
    assert.equal((await store.webhooks.listEndpoints(guildId))[0]?.secrets.previous, null);
    assert.notEqual(secretIn(await press(`/${endpointId}/reveal`)), old);
    assert.doesNotMatch((await tab()).text, /also signed with the previous secret/);
  });

  test('that is still valid from the last rotation is mentioned before it is dropped', async (t) => {
    const { addEndpoint, alex, path } = await openWebhooksTab(t, await open());
    const address = path(`/webhooks/${await addEndpoint(URL_A)}/rotate`);
    const first = await alex.get(address);
    await alex.submit(first, address, { replaces: replacesIn(first), when: 'later' });
    assert.match(
      (await alex.get(address)).text,
      /the previous secret stops working immediately.*until <time[^>]*>Nov 16, 2026, 12:00 PM UTC/s,
    );
  });
});

onSqlite('a sample', (open) => {
  for (const type of ['vote_received', 'vote_available', 'webhook_test']) {
    test(`of ${type} can be sent by an admin, and its URL keeps the result`, async (t) => {
      const receiver = await startReceiver();
      const { addEndpoint, press, sendTest, tab, path, alex } = await openWebhooksTab(t, await open());
      const endpointId = await addEndpoint(receiver.url);
      assert.match((await tab()).text, new RegExp(`<option value="${type}"`));
      const answer = await press(`/${endpointId}/test`, { type });
      const event = receiver.received[0]?.headers['webhook-id'];
      assert.deepEqual(
        [answer.status, answer.location],
        [303, path(`/webhooks?tested=${event}#${endpointId}`)],
      );
      const body = JSON.parse(receiver.received[0]?.body ?? '');
      assert.deepEqual([body.type, body.data.test], [type, type === 'webhook_test' ? undefined : true]);
      const shown = await alex.get(path(`/webhooks?tested=${event}`));
      assert.match(shown.text, /Test delivered:<\/strong> status 200/);
      assert.doesNotMatch((await tab()).text, /Test delivered/);
      assert.match((await sendTest(endpointId, type)).text, /Test delivered/);
    });
  }

  test('of an unknown type is rejected', async (t) => {
    const { addEndpoint, press } = await openWebhooksTab(t, await open());
    const { status } = await press(`/${await addEndpoint(URL_A)}/test`, { type: 'vote_stolen' });
    assert.equal(status, 400);
  });

  test('cannot show another event: the id of a real one shows nothing', async (t) => {
    const receiver = await startReceiver();
    const { addEndpoint, castVote, deliver, alex, path, clock } = await openWebhooksTab(t, await open());
    await addEndpoint(receiver.url);
    await castVote();
    await deliver();
    clock.advance(HOUR_MS);
    const event = receiver.received[0]?.headers['webhook-id'] ?? '';
    for (const tested of [event, 'evt_0', '<script>'])
      assert.doesNotMatch((await alex.get(path(`/webhooks?tested=${tested}`))).text, /The test was/);
  });

  test('is marked as a test in the log', async (t) => {
    const receiver = await startReceiver();
    const { addEndpoint, sendTest, tab } = await openWebhooksTab(t, await open());
    await sendTest(await addEndpoint(receiver.url), 'vote_received');
    assert.match(logRows(await tab())[0] ?? '', /vote_received test evt_/);
  });
});
