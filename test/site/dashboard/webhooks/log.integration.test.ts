import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatInstant, HOUR_MS, MINUTE_MS } from '../../../../src/domain/clock.ts';
import { onSqlite } from '../../../support/api.ts';
import { answerWith, startReceiver } from '../../../webhooks/receiver.ts';
import { logRows, openWebhooksTab } from './open-webhooks.ts';

/** No server listens there. */
const DEAD = 'http://127.0.0.1:1029/votes';
const TIME = 'Nov 15, 2026, 12:00:00 UTC';

onSqlite('a test event', (open) => {
  test('is sent immediately, and the response is shown and logged', async (t) => {
    const receiver = await startReceiver();
    const { addEndpoint, sendTest, tab } = await openWebhooksTab(t, await open());
    const { status, text } = await sendTest(await addEndpoint(receiver.url));
    assert.equal(status, 200);
    assert.equal(JSON.parse(receiver.received[0]?.body ?? '').type, 'webhook_test');
    assert.match(text, /Test delivered:<\/strong> status 200, 0 ms/);
    // Focusable, because a longer response scrolls.
    assert.match(text, /<pre class="wrap answer" dir="auto" tabindex="0"[^>]*>thank you<\/pre>/);
    assert.ok(text.includes(receiver.received[0]?.headers['webhook-id'] ?? '-'));
    const [row, ...others] = logRows(await tab());
    assert.deepEqual(others, []);
    assert.match(
      row ?? '',
      /webhook_test evt_\w+ http.*\/hook Delivered attempt 1, status 200, 0 ms thank you$/,
    );
  });

  test('that is rejected shows the status and the first bytes of the response, as text', async (t) => {
    const receiver = await startReceiver();
    receiver.answer = (_request, response) =>
      response.writeHead(500).end(`</pre><script>alert(1)</script>${'x'.repeat(2000)}`);
    const { addEndpoint, sendTest, tab } = await openWebhooksTab(t, await open());
    const { text } = await sendTest(await addEndpoint(receiver.url));
    assert.match(text, /Test not delivered:<\/strong> status 500/);
    assert.ok(text.includes('&#60;/pre&#62;&#60;script&#62;alert(1)&#60;/script&#62;xxx'));
    for (const page of [text, (await tab()).text]) assert.doesNotMatch(page, /<script>|x{257}/);
  });

  test('without a response shows the reason, in the language of the page', async (t) => {
    const { addEndpoint, sendTest, alex } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(DEAD);
    const english = await sendTest(endpointId);
    assert.match(english.text, /not delivered:<\/strong> no response, 0 ms: the connection was refused/);
    alex.cookies.set('votary_locale', 'fr');
    const french = await sendTest(endpointId);
    assert.match(french.text, /pas de réponse, 0 ms\u00A0: la connexion a été refusée/);
  });

  test('can be sent to a disabled endpoint, and is never retried', async (t) => {
    const receiver = await startReceiver();
    const { addEndpoint, press, sendTest, store, guildId, clock, path } = await openWebhooksTab(
      t,
      await open(),
    );
    const endpointId = await addEndpoint(receiver.url);
    await store.webhooks.disableEndpoint(guildId, endpointId, clock(), 'gone');
    const { text } = await sendTest(endpointId);
    assert.match(text, /Test delivered/);
    assert.doesNotMatch(text, /name="event"/);
    const event = receiver.received[0]?.headers['webhook-id'] ?? '';
    assert.equal((await press('/replay', { event })).location, path('/webhooks?replayed=0'));
  });

  test('is rejected with a message while another one is running, and while the guild is sanctioned', async (t) => {
    const receiver = await startReceiver();
    const tab = await openWebhooksTab(t, await open());
    const { press, path, alex, store, guildId, clock } = tab;
    const endpointId = await tab.addEndpoint(receiver.url);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    receiver.answer = (_request, response) => void released.then(() => response.end());
    const first = tab.sendTest(endpointId);
    await receiver.untilReceived(1);
    const second = await press(`/${endpointId}/test`);
    assert.deepEqual([second.status, second.location], [303, path('/webhooks?done=webhook-test-under-way')]);
    assert.match(
      (await alex.get(second.location ?? '')).text,
      /Another test of this endpoint is still running/,
    );
    release();
    assert.match((await first).text, /Test delivered/);
    await store.guilds.setSanction(guildId, { since: clock(), reason: null });
    const third = await press(`/${endpointId}/test`);
    assert.equal(third.status, 403);
    assert.match(third.text, /This community is sanctioned/);
    assert.equal(receiver.received.length, 1);
  });
});

onSqlite('the delivery log', (open) => {
  test('shows the progress of a vote from pending to delivered', async (t) => {
    const receiver = await startReceiver();
    const { addEndpoint, castVote, deliver, tab } = await openWebhooksTab(t, await open());
    await addEndpoint(receiver.url);
    assert.match((await tab()).text, /Nothing has been sent yet/);
    await castVote();
    assert.match(logRows(await tab())[0] ?? '', /vote_received .* Pending Sending now –$/);
    await deliver();
    const [row] = logRows(await tab());
    assert.ok(row?.startsWith(`${TIME} vote_received evt_`));
    assert.match(row ?? '', /Delivered attempt 1, status 200, 0 ms thank you Resend$/);
  });

  test('shows the attempts of a failing delivery and the time of the next one', async (t) => {
    const receiver = await startReceiver();
    receiver.answer = answerWith(503);
    const { addEndpoint, castVote, deliver, clock, tab } = await openWebhooksTab(t, await open());
    await addEndpoint(receiver.url);
    await castVote();
    await deliver();
    assert.match(
      logRows(await tab())[0] ?? '',
      /Pending attempt 1, status 503, 0 ms Next attempt: .* 12:00:05 UTC – Resend$/,
    );
    clock.advance(5000);
    await deliver();
    const [row] = logRows(await tab());
    assert.match(row ?? '', /Pending attempt 2, status 503, 0 ms Next attempt: .* 12:05:05 UTC – Resend$/);
  });

  test('lists the newest first, at most fifty, and nothing of another guild', async (t) => {
    const { addEndpoint, castVote, clock, tab } = await openWebhooksTab(t, await open());
    await addEndpoint(DEAD);
    for (let index = 0; index < 51; index += 1) {
      await castVote();
      clock.advance(MINUTE_MS);
    }
    const rows = logRows(await tab());
    assert.equal(rows.length, 50);
    assert.match(rows[0] ?? '', /^Nov 15, 2026, 12:50:00/);
    assert.match(rows[49] ?? '', /^Nov 15, 2026, 12:01:00/);
    const other = await openWebhooksTab(t, await open());
    assert.deepEqual(logRows(await other.tab()), []);
  });

  test('keeps the deliveries of a removed endpoint', async (t) => {
    const receiver = await startReceiver();
    const { addEndpoint, castVote, deliver, press, tab } = await openWebhooksTab(t, await open());
    const endpointId = await addEndpoint(receiver.url);
    await castVote();
    await deliver();
    await press(`/${endpointId}/remove`);
    assert.match(logRows(await tab())[0] ?? '', / removed Delivered attempt 1, status 200, 0 ms thank you$/);
  });
});

onSqlite('sending again', (open) => {
  test('resends one event with the same id, only to the endpoint of its row', async (t) => {
    const [receiver, other] = [await startReceiver(), await startReceiver()];
    const { addEndpoint, castVote, deliver, press, alex, path } = await openWebhooksTab(t, await open());
    const endpoint = await addEndpoint(receiver.url);
    await addEndpoint(other.url);
    await castVote();
    await deliver();
    const event = receiver.received[0]?.headers['webhook-id'] ?? '';
    const answer = await press('/replay', { event, endpoint });
    assert.deepEqual([answer.status, answer.location], [303, path('/webhooks?replayed=1')]);
    assert.match((await alex.get(answer.location ?? '')).text, /1 delivery queued/);
    await deliver();
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['webhook-id']),
      [event, event],
    );
    assert.equal(other.received.length, 1);
  });

  test('resends everything since a given time, and nothing before it', async (t) => {
    const receiver = await startReceiver();
    const { addEndpoint, castVote, deliver, press, clock, alex, path } = await openWebhooksTab(
      t,
      await open(),
    );
    await addEndpoint(receiver.url);
    const moments: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      await castVote();
      await deliver();
      moments.push(formatInstant(clock()).slice(0, 16));
      clock.advance(HOUR_MS);
    }
    const answer = await press('/replay', { since: moments[1] ?? '', endpoint: '' });
    assert.equal(answer.location, path('/webhooks?replayed=2'));
    assert.match((await alex.get(answer.location ?? '')).text, /2 deliveries queued/);
  });

  test('shows where to continue if the limit of one replay is reached', async (t) => {
    const { addEndpoint, alex, path } = await openWebhooksTab(t, await open());
    await addEndpoint(DEAD);
    const address = path('/webhooks?replayed=100000&rest=2026-11-14T10:00:00.000Z');
    assert.match(
      (await alex.get(address)).text,
      /100,000 deliveries queued.* replay again from <time[^>]*>Nov 14, 2026, 10:00:00 UTC/,
    );
    const french = await alex.get(address, { 'accept-language': 'fr' });
    assert.match(french.text, /recommencez à partir du <time/);
    assert.match((await alex.get(path('/webhooks?replayed=2&rest=<b>'))).text, /2 deliveries queued/);
  });

  test('says so if there is nothing to resend', async (t) => {
    const { addEndpoint, press, path, alex } = await openWebhooksTab(t, await open());
    await addEndpoint(DEAD);
    const answer = await press('/replay', { since: '2026-11-15T00:00' });
    assert.equal(answer.location, path('/webhooks?replayed=0'));
    assert.match((await alex.get(answer.location ?? '')).text, /Nothing to resend/);
    assert.doesNotMatch(
      (await alex.get(path('/webhooks?replayed=lots'))).text,
      /queued|nothing to send again/,
    );
  });

  for (const fields of [{ since: '2026-02-30T00:00' }, { since: 'yesterday' }, {}, { event: 'evt_%' }]) {
    test(`rejects the form ${JSON.stringify(fields)} with a message`, async (t) => {
      const { addEndpoint, press } = await openWebhooksTab(t, await open());
      await addEndpoint(DEAD);
      const { status, text } = await press('/replay', fields);
      assert.equal(status, 400);
      assert.match(text, /This time is not valid/);
    });
  }

  test('never treats an invalid endpoint as all endpoints', async (t) => {
    const receiver = await startReceiver();
    const { addEndpoint, castVote, deliver, press, path } = await openWebhooksTab(t, await open());
    await addEndpoint(receiver.url);
    await castVote();
    await deliver();
    const since = '2026-11-15T00:00';
    assert.equal((await press('/replay', { since, endpoint: 'ep_wrong' })).status, 400);
    const unknown = await press('/replay', { since, endpoint: 'ep_0000000000000000' });
    assert.equal(unknown.location, path('/webhooks?replayed=0'));
  });

  test('sends nothing of another guild', async (t) => {
    const receiver = await startReceiver();
    const theirs = await openWebhooksTab(t, await open());
    await theirs.addEndpoint(receiver.url);
    await theirs.castVote();
    await theirs.deliver();
    const event = receiver.received[0]?.headers['webhook-id'] ?? '';
    const ours = await openWebhooksTab(t, await open());
    await ours.addEndpoint(receiver.url);
    assert.equal((await ours.press('/replay', { event })).location, ours.path('/webhooks?replayed=0'));
  });
});
