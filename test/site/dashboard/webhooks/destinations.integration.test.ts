import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { type Api, onSqlite } from '../../../support/api.ts';
import { CHANNEL_ID, CHANNEL_TOKEN } from '../../../webhooks/discord/discord-channel.ts';
import { answerWith, startReceiver } from '../../../webhooks/receiver.ts';
import { startVotifierServer } from '../../../webhooks/votifier/votifier-server.ts';
import { logRows, openWebhooksTab } from './open-webhooks.ts';

const CHANNEL_URL = `https://discord.com/api/webhooks/${CHANNEL_ID}/${CHANNEL_TOKEN}`;
const TOKEN = 'a-votifier-token';

/** A server that was added through the form. */
async function openServer(t: TestContext, api: Api) {
  const server = await startVotifierServer({ token: TOKEN });
  const tab = await openWebhooksTab(t, api);
  const fields = { kind: 'votifier', url: server.address, token: TOKEN, service_name: 'Site' };
  const answer = await tab.press('', fields);
  assert.equal(answer.location, tab.path('/webhooks?done=destination-added'));
  const [endpoint] = await tab.store.webhooks.listEndpoints(tab.guildId);
  assert.ok(endpoint);
  return { ...tab, server, endpointId: endpoint.endpointId };
}

async function castAs({ store, clock, guildId }: Api, externalId: string | null): Promise<void> {
  const userId = String(340_000_000_000_000_000n + BigInt(clock() % HOUR_MS));
  const vote = { guildId, userId, castAt: clock(), externalId, isDoubled: false };
  assert.equal((await store.votes.cast(vote)).kind, 'accepted');
}

onSqlite('the form for endpoints', (open) => {
  test('offers each kind as a link, so that it works without scripts', async (t) => {
    const { alex, path } = await openWebhooksTab(t, await open());
    for (const [kind, label] of [
      ['https', 'Receiver URL'],
      ['topgg', 'Secret (optional)'],
      ['discord', 'Channel webhook URL'],
      ['votifier', 'Server address'],
    ] as const) {
      const { text } = await alex.get(path(`/webhooks?kind=${kind}`));
      assert.match(text, new RegExp(`<a href="[^"]*kind=${kind}#add" aria-current="true">`));
      assert.match(text, new RegExp(`name="kind" value="${kind}"`));
      assert.ok(text.includes(label));
    }
    const { text } = await alex.get(path('/webhooks?kind=votifier'));
    assert.match(text, /3 to 16 letters, digits or underscores/);
    assert.match((await alex.get(path('/webhooks?kind=nothing'))).text, /name="kind" value="https"/);
  });

  test('recognizes the URL of a channel, and then needs only one click', async (t) => {
    const { add, alex, path, store, guildId } = await openWebhooksTab(t, await open());
    const offered = await add(CHANNEL_URL, 'vote_received');
    assert.equal(offered.status, 400);
    assert.match(offered.text, /This is the webhook of a Discord channel/);
    assert.match(offered.text, /name="kind" value="discord"/);
    assert.ok(offered.text.includes(`name="url" value="${CHANNEL_URL}"`));
    // The button of the form, with the values of its fields.
    const fields = { kind: 'discord', url: CHANNEL_URL, language: 'en', vote_received: 'on' };
    const added = await alex.submit(offered, path('/webhooks'), fields);
    assert.equal(added.location, path('/webhooks?done=destination-added'));
    // It has no secret to reveal.
    assert.doesNotMatch((await alex.get(added.location ?? '')).text, /[Rr]eveal/);
    const [endpoint] = await store.webhooks.listEndpoints(guildId);
    assert.equal(endpoint?.destination.kind, 'discord');
  });

  for (const [what, fields, words] of [
    ['channel', { kind: 'discord', url: 'https://example.org/', vote_received: 'on' }, /not the webhook URL/],
    [
      'field of a text',
      { kind: 'discord', url: CHANNEL_URL, vote_received: 'on', template_vote_received: 'Hi {nobody}' },
      /a field in braces that its event does not have/,
    ],
    ['secret', { kind: 'topgg', url: 'https://8.8.8.8/', secret: 'é' }, /The secret can have/],
    ['server', { kind: 'votifier', url: 'https://mc.example.org', token: 'x' }, /not a valid server address/],
    ['network', { kind: 'votifier', url: '10.0.0.1', token: 'x' }, /VOTARY_WEBHOOK_ALLOW/],
    ['token', { kind: 'votifier', url: '8.8.8.8', token: '' }, /Enter the token/],
    [
      'service',
      { kind: 'votifier', url: '8.8.8.8', token: 'x', service_name: '<i>' },
      /The service name can/,
    ],
  ] as const) {
    test(`explains an invalid ${what}`, async (t) => {
      const { press, store, guildId } = await openWebhooksTab(t, await open());
      const { status, text } = await press('', fields);
      assert.equal(status, 400);
      assert.match(text, words);
      assert.deepEqual(await store.webhooks.listEndpoints(guildId), []);
    });
  }
});

onSqlite('a channel', (open) => {
  test('is shown without its token, has no signing secret, and keeps its URL when it is edited', async (t) => {
    const { press, tab, alex, path, store, guildId, activities } = await openWebhooksTab(t, await open());
    const fields = { kind: 'discord', url: CHANNEL_URL, language: 'fr', vote_received: 'on' };
    await press('', { ...fields, template_vote_received: '{user} a voté' });
    const [endpoint] = await store.webhooks.listEndpoints(guildId);
    const id = endpoint?.endpointId ?? '';
    const { text } = await tab();
    assert.ok(
      text.includes(`https://discord.com/api/webhooks/${CHANNEL_ID}`) && !text.includes(CHANNEL_TOKEN),
    );
    assert.match(text, /<span class="badge">Discord channel<\/span>/);
    assert.doesNotMatch(text, /Signing secret|Reveal secret|Rotate secret/);
    const address = path(`/webhooks/${id}/edit`);
    for (const rotate of [await alex.get(path(`/webhooks/${id}/rotate`)), await press(`/${id}/rotate`)]) {
      assert.deepEqual([rotate.status, rotate.location], [303, address]);
    }
    assert.ok(!(await press(`/${id}/reveal`)).text.includes(CHANNEL_TOKEN));
    const form = await alex.get(address);
    assert.ok(!form.text.includes(CHANNEL_TOKEN) && form.text.includes('{user} a voté</textarea>'));
    const saved = await alex.submit(form, address, {
      url: '',
      language: 'en',
      name: 'News',
      vote_received: 'on',
    });
    assert.equal(saved.location, path(`/webhooks?done=webhook-edited#${id}`));
    const [edited] = await store.webhooks.listEndpoints(guildId);
    assert.deepEqual(edited?.destination, { kind: 'discord', language: 'en', templates: {} });
    assert.deepEqual(edited?.secrets, endpoint?.secrets);
    assert.deepEqual((await activities())[0], ['Alex', 'webhook_changed']);
    assert.match((await alex.get(path('/activity'))).text, /Messages, language or service name changed/);
  });
});

onSqlite('a receiver in a top.gg format', (open) => {
  test('is added with a new secret, which can be revealed, or with the one that is entered', async (t) => {
    const { press, tab, store, guildId, path } = await openWebhooksTab(t, await open());
    const url = 'https://8.8.8.8/dblwebhook';
    const generated = await press('', { kind: 'topgg', url, format: 'topgg-v1', secret: '' });
    assert.equal(generated.location, path('/webhooks?done=webhook-added'));
    const given = await press('', { kind: 'topgg', url, format: 'topgg-v0', secret: 'short secret' });
    assert.equal(given.location, path('/webhooks?done=destination-added'));
    // Both were added at the same time, so their order is random.
    const added = await store.webhooks.listEndpoints(guildId);
    const first = added.find(
      ({ destination }) => destination.kind === 'topgg' && destination.format === 'topgg-v1',
    );
    const second = added.find((endpoint) => endpoint !== first);
    assert.ok(first && second);
    assert.deepEqual(
      [second.destination, second.events],
      [{ kind: 'topgg', format: 'topgg-v0' }, ['vote_received']],
    );
    const { text } = await tab();
    assert.match(text, /<span class="badge">top\.gg format v0<\/span>/);
    assert.match(text, /<span class="badge">top\.gg format v1<\/span>/);
    assert.match(text, />whs_•+\w{4}<\/code>/);
    // Four characters of a short secret would reveal too much of it.
    assert.match(text, />•+<\/code><span class="visually-hidden">hidden</);
    assert.ok(!text.includes('cret</code>'));
    assert.match((await press(`/${first.endpointId}/reveal`)).text, />whs_[0-9a-f]{64}<\/code>/);
  });

  test('shows a test, and in the log why a vote is not sent again', async (t) => {
    const api = await openWebhooksTab(t, await open());
    const { press, tab, store, guildId, sendTest, castVote, deliver } = api;
    const receiver = await startReceiver();
    await press('', { kind: 'topgg', url: receiver.url, format: 'topgg-v0', secret: 'a secret' });
    const [endpoint] = await store.webhooks.listEndpoints(guildId);
    assert.ok(endpoint);
    assert.match((await tab()).text, /The receiver gets a test/);
    assert.match((await sendTest(endpoint.endpointId)).text, /Test delivered:<\/strong> status 200, /);
    assert.equal(JSON.parse(receiver.received[0]?.body ?? '').type, 'test');
    receiver.answer = answerWith(403);
    await castVote();
    await deliver();
    // The test and the vote happened at the same time, so their order is random.
    assert.match(
      logRows(await tab()).find((row) => !row.includes(' test ')) ?? '',
      /top\.gg format Failed attempt 1, status 403, .*rejected the secret.*Resend/,
    );
  });

  test('loses its old secret with a rotation, which the page says', async (t) => {
    const { press, alex, path, store, guildId } = await openWebhooksTab(t, await open());
    await press('', { kind: 'topgg', url: 'https://8.8.8.8/', format: 'topgg-v1', secret: 'whs_old' });
    const [before] = await store.webhooks.listEndpoints(guildId);
    assert.ok(before);
    const address = path(`/webhooks/${before.endpointId}/rotate`);
    const form = await alex.get(address);
    assert.match(form.text, /not retried: pause the endpoint before/);
    assert.doesNotMatch(form.text, /In 24 hours/);
    const [, replaces = ''] = /name="replaces" value="(\w+)"/.exec(form.text) ?? [];
    const rotated = await alex.submit(form, address, { replaces, when: 'now' });
    assert.equal(rotated.location, path('/webhooks?done=webhook-replaced'));
    const [after] = await store.webhooks.listEndpoints(guildId);
    assert.notEqual(after?.secrets.current, before.secrets.current);
    assert.equal(after?.secrets.previous, null);
  });

  test('keeps its secret and version when it is edited', async (t) => {
    const { press, alex, path, store, guildId } = await openWebhooksTab(t, await open());
    await press('', { kind: 'topgg', url: 'https://8.8.8.8/', format: 'topgg-v0', secret: 'a secret' });
    const [before] = await store.webhooks.listEndpoints(guildId);
    assert.ok(before);
    const address = path(`/webhooks/${before.endpointId}/edit`);
    const form = await alex.get(address);
    assert.ok(!form.text.includes('a secret') && !form.text.includes('name="format"'));
    await alex.submit(form, address, { url: 'https://8.8.4.4/', name: 'Bot', secret: '' });
    const [after] = await store.webhooks.listEndpoints(guildId);
    assert.deepEqual(
      [after?.url, after?.destination, after?.secrets],
      ['https://8.8.4.4/', before.destination, before.secrets],
    );
  });
});

onSqlite('a Minecraft server', (open) => {
  test('shows a test vote, and why one was not accepted', async (t) => {
    const { sendTest, tab, server, endpointId } = await openServer(t, await open());
    const { text } = await tab();
    assert.ok(text.includes(server.address) && !text.includes(TOKEN) && !text.includes('votifier://'));
    assert.match(text, /The server receives a vote by the player Votary_Test/);
    assert.match((await sendTest(endpointId)).text, /Test delivered:<\/strong> accepted, /);
    server.behave = 'version-1';
    assert.match((await sendTest(endpointId)).text, /only speaks version 1 of Votifier/);
    await server.stop();
    assert.match((await sendTest(endpointId)).text, /the connection was refused/);
    await server.start();
  });

  test('has skipped and uncertain votes in its log, and resends uncertain ones on request', async (t) => {
    const api = await openServer(t, await open());
    const { tab, deliver, press, server, clock, endpointId, store, guildId } = api;
    await castAs(api, null);
    await deliver();
    clock.advance(1000);
    server.behave = 'drop-answer';
    await castAs(api, 'Steve');
    await deliver();
    const page = await tab();
    const [uncertain = '', skipped = ''] = logRows(page);
    assert.match(uncertain, /Minecraft server Uncertain .*no answer arrived.*Resend/);
    assert.match(skipped, /Skipped .*no player name/);
    assert.doesNotMatch(skipped, /Resend/);
    server.behave = 'answer';
    const [record] = await store.webhooks.deliveries(guildId, clock(), 1);
    await press('/replay', { event: record?.eventId ?? '', endpoint: endpointId });
    await deliver();
    assert.match(logRows(await tab())[0] ?? '', /Delivered attempt 2, accepted/);
  });
});
