import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { discordMessage, escapeMarkdown, TEMPLATE_MAX_LENGTH } from '../../../src/domain/webhooks/discord.ts';
import { sampleEvent, TEST_TYPES } from '../../../src/domain/webhooks/event.ts';
import { activeMarkdown, CHANNEL_ID, CHANNEL_TOKEN, openChannel, SITE, vote } from './discord-channel.ts';

describe('a Discord channel', () => {
  test('gets a message with name, total, streak and link for a vote', async () => {
    const { channel, fixture, guildId } = await openChannel();
    await vote(fixture, guildId, 'Steve');
    await fixture.worker.runDue();
    const [message] = channel.messages;
    const link = `${SITE}/guild/${guildId}/vote`;
    assert.equal(message?.title, 'Northwind');
    assert.equal(message?.url, link);
    assert.equal(message?.description, `**Steve** voted for **Northwind**.\n[Vote now](${link})`);
    assert.deepEqual(
      message?.fields?.map(({ name, value }) => [name, value]),
      [
        ['Total votes', '1'],
        ['Streak', '1 day'],
        ['Votes this month', '1'],
      ],
    );
    assert.equal(channel.paths[0], `/api/v10/webhooks/${CHANNEL_ID}/${CHANNEL_TOKEN}?wait=true`);
    assert.equal((await fixture.log(guildId))[0]?.state, 'delivered');
  });

  test('gets a mention that notifies nobody for a vote without a name', async () => {
    const { channel, fixture, guildId } = await openChannel({ language: 'fr' });
    const userId = await vote(fixture, guildId, null);
    await fixture.worker.runDue();
    assert.match(channel.messages[0]?.description ?? '', new RegExp(`^\\*\\*<@${userId}>\\*\\* a voté pour`));
  });

  test('gets the text of its admins, without other figures', async () => {
    const templates = { vote_received: '{user} voted {total} times, {streak} days in a row: {link}' };
    const { channel, fixture, guildId } = await openChannel({ templates });
    await vote(fixture, guildId, 'Steve');
    await fixture.worker.runDue();
    const link = `${SITE}/guild/${guildId}/vote`;
    assert.equal(channel.messages[0]?.description, `Steve voted 1 times, 1 days in a row: ${link}`);
    assert.equal(channel.messages[0]?.fields, undefined);
  });

  test('gets a message for every type of event, and tests are marked', async () => {
    const { channel, fixture, guildId, endpointId } = await openChannel();
    for (const type of TEST_TYPES) {
      const sent = await fixture.endpoints.sendTest(guildId, endpointId, type);
      assert.ok(sent.sent && sent.result.isDelivered, type);
    }
    assert.equal(new Set(channel.messages.map(({ description }) => description)).size, TEST_TYPES.length);
    assert.equal(
      channel.messages.filter(({ footer }) => footer?.text === 'Test').length,
      TEST_TYPES.length - 1,
    );
  });

  test('gets a message for a goal, in its language or with the text of its admins', async () => {
    const { body } = sampleEvent('goal_reached', '100000000000000001', 0, 'nonce');
    const context = { community: 'Northwind', link: null, language: 'en', templates: {} } as const;
    const text = (given: object = {}) =>
      JSON.parse(discordMessage('goal_reached', body, { ...context, ...given })).embeds[0].description;
    assert.equal(text(), '**Northwind** reached its vote goal today: **100**. Thank you!');
    assert.equal(
      text({ language: 'fr' }),
      '**Northwind** a atteint son objectif de votes du jour\u00A0: **100**. Merci\u00A0!',
    );
    const templates = { goal_reached: '{community}: {votes} of {goal} {period}' };
    assert.equal(text({ templates }), 'Northwind: 100 of 100 today');
  });

  test('that was unreachable for an hour gets every message once', async () => {
    const { channel, fixture, guildId } = await openChannel({ events: ['vote_received'] });
    channel.status = 503;
    for (const name of ['Steve', 'Alex', 'Zoe']) await vote(fixture, guildId, name);
    for (let minute = 0; minute < 60; minute += 1) {
      await fixture.worker.runDue();
      fixture.clock.advance(MINUTE_MS);
    }
    channel.status = null;
    await fixture.endpoints.replay(guildId, { since: fixture.clock() - 2 * HOUR_MS });
    await fixture.worker.runDue();
    assert.equal(channel.messages.length, 3);
    // A message that was delivered is not repeated by a replay.
    const again = await fixture.endpoints.replay(guildId, { since: fixture.clock() - 2 * HOUR_MS });
    assert.equal(again.queued, 0);
  });
});

describe('the limits of Discord', () => {
  test('postpone a message for as long as Discord requests, without counting as a failure', async () => {
    const { channel, fixture, guildId, endpointId } = await openChannel({ events: ['vote_received'] });
    channel.limited = { times: 1, retryAfter: 64.57 };
    for (const name of ['Steve', 'Alex', 'Zoe']) await vote(fixture, guildId, name);
    await fixture.worker.runDue();
    // No request is sent to the channel after the first 429.
    assert.equal(channel.requests, 1);
    fixture.clock.advance(64 * SECOND_MS);
    await fixture.worker.runDue();
    assert.equal(channel.requests, 1);
    fixture.clock.advance(SECOND_MS);
    await fixture.worker.runDue();
    assert.equal(channel.messages.length, 3);
    const log = await fixture.log(guildId);
    assert.deepEqual(
      log.map(({ state, attempts }) => [state, attempts]),
      Array(3).fill(['delivered', 1]),
    );
    const endpoint = await fixture.store.webhooks.findEndpoint(guildId, endpointId);
    assert.equal(endpoint?.failingSince, null);
  });

  test('are respected before they are exceeded', async () => {
    const { channel, fixture, guildId } = await openChannel({ events: ['vote_received'] });
    channel.headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.5' };
    for (const name of ['Steve', 'Alex']) await vote(fixture, guildId, name);
    await fixture.worker.runDue();
    assert.equal(channel.messages.length, 1);
    fixture.clock.advance(1500);
    await fixture.worker.runDue();
    assert.equal(channel.messages.length, 2);
  });

  test('are the result of a test that exceeds them', async () => {
    const { channel, fixture, guildId, endpointId } = await openChannel();
    channel.limited = { times: 1, retryAfter: 1 };
    const sent = await fixture.endpoints.sendTest(guildId, endpointId);
    assert.ok(sent.sent);
    assert.deepEqual([sent.result.isDelivered, sent.result.error], [false, 'DISCORD_RATE_LIMITED']);
  });

  test('a webhook that was deleted in Discord is disabled, and keeps its messages', async () => {
    const { channel, fixture, guildId, endpointId } = await openChannel({ events: ['vote_received'] });
    channel.status = 404;
    await vote(fixture, guildId, 'Steve');
    await fixture.worker.runDue();
    const endpoint = await fixture.store.webhooks.findEndpoint(guildId, endpointId);
    assert.equal(endpoint?.disabled?.reason, 'gone');
    assert.deepEqual((await fixture.log(guildId))[0]?.lastAttempt?.error, 'DISCORD_NO_WEBHOOK');
    channel.status = null;
    await fixture.endpoints.enableEndpoint(guildId, endpointId, null);
    fixture.clock.advance(MINUTE_MS);
    await fixture.worker.runDue();
    assert.equal(channel.messages.length, 1);
  });
});

const HOSTILE = [
  '@everyone',
  '<@&123456789012345678>',
  '<@200000000000000001>',
  '[free nitro](https://evil.example)',
  'https://evil.example/x',
  '<https://evil.example>',
  '**bold** __x__ ~~y~~ ||z||',
  '`code` ```block```',
  '# big\n> quote\n- list\n1. one',
  '<t:1700000000:R> <:emoji:123> </cmd:1>',
  '\\',
  '\\\\',
  'name\\',
  '\u202Eevil\u202C',
  '\u200b',
  ']({link})',
  '{link} {user}',
  '$& $1 $$',
  'a'.repeat(191),
  '*'.repeat(191),
  '\u{1f600}'.repeat(191),
  'e\u0301'.repeat(95),
];

describe('a hostile name', () => {
  for (const name of HOSTILE) {
    test(`is shown as plain text: ${JSON.stringify(name).slice(0, 40)}`, async () => {
      const templates = { vote_received: 'X{user}Y' };
      const { channel, fixture, guildId } = await openChannel({ templates, events: ['vote_received'] }, name);
      await vote(fixture, guildId, name);
      await fixture.worker.runDue();
      const [message] = channel.messages;
      const shown = /^X(.*)Y$/u.exec(message?.description ?? '')?.[1];
      assert.ok(shown !== undefined);
      if (!shown.startsWith('<@')) assert.deepEqual(activeMarkdown(shown), []);
      assert.deepEqual(activeMarkdown(message?.title ?? ''), []);
      assert.ok((message?.description ?? '').isWellFormed());
    });
  }

  test('cannot make a message too long, or be truncated so that its escaping ends', () => {
    const template = '{user}'.repeat(TEMPLATE_MAX_LENGTH / 6);
    const event = sampleEvent('vote_received', '100000000000000001', 0, 'n');
    const body = event.body.replace('Votary_Test', '*'.repeat(191));
    const context = {
      community: 'C',
      link: null,
      language: 'en',
      templates: { vote_received: template },
    } as const;
    const { description } = JSON.parse(discordMessage('vote_received', body, context)).embeds[0];
    assert.ok(description.length <= 4096);
    assert.deepEqual(activeMarkdown(description), []);
  });

  test('keeps letters of every script', () => {
    assert.equal(escapeMarkdown('Zoé 李雷 🤖'), 'Zoé 李雷 🤖');
  });
});
