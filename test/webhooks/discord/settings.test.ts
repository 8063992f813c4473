import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  defaultTemplate,
  isTemplate,
  parseDiscordUrl,
  type Templates,
} from '../../../src/domain/webhooks/discord.ts';
import { SUBSCRIBABLE_EVENTS } from '../../../src/domain/webhooks/event.ts';
import { CHANNEL_ID, CHANNEL_TOKEN, openChannel, vote } from './discord-channel.ts';

describe('the URL of a channel', () => {
  const token = CHANNEL_TOKEN;
  const path = `api/webhooks/${CHANNEL_ID}/${token}`;

  test('is accepted in every form that Discord shows', () => {
    for (const host of ['discord.com', 'ptb.discord.com', 'canary.discord.com', 'discordapp.com']) {
      assert.deepEqual(parseDiscordUrl(` https://${host}/${path} `), {
        url: `https://discord.com/api/webhooks/${CHANNEL_ID}`,
        token,
      });
    }
    const inThread = parseDiscordUrl(
      `https://discord.com/api/v10/webhooks/${CHANNEL_ID}/${token}?thread_id=400000000000000009`,
    );
    assert.equal(
      inThread?.url,
      `https://discord.com/api/webhooks/${CHANNEL_ID}?thread_id=400000000000000009`,
    );
  });

  test('is rejected on any other host, over plain HTTP, and if incomplete', () => {
    for (const text of [
      `http://discord.com/${path}`,
      `https://discord.com.evil.example/${path}`,
      `https://evildiscord.com/${path}`,
      `https://discord.com:8443/${path}`,
      `https://user@discord.com/${path}`,
      `https://discord.com/api/webhooks/${CHANNEL_ID}`,
      `https://discord.com/api/webhooks/${CHANNEL_ID}/short`,
      `https://discord.com/api/webhooks/../${CHANNEL_ID}/${token}`,
      'https://discord.com/channels/1/2',
      '',
    ]) {
      assert.equal(parseDiscordUrl(text), undefined, text);
    }
  });

  test('is recognized when it is entered as a plain endpoint', async () => {
    const { fixture, guildId, channel } = await openChannel();
    const added = await fixture.endpoints.addEndpoint(
      guildId,
      { url: channel.url, events: ['vote_received'] },
      null,
    );
    assert.deepEqual(added, { ok: false, fault: 'discord-url' });
  });

  test('is stored without its token, which is encrypted and never shown', async () => {
    const { fixture, guildId, endpointId, endpoint } = await openChannel();
    assert.equal(endpoint.url, `https://discord.com/api/webhooks/${CHANNEL_ID}`);
    assert.doesNotMatch(JSON.stringify(endpoint), new RegExp(CHANNEL_TOKEN));
    const revealed = await fixture.endpoints.revealSecret(guildId, endpointId);
    assert.deepEqual(revealed, { shown: false, reason: 'write-only' });
    assert.equal(await fixture.endpoints.rotateSecret(guildId, endpointId, null), undefined);
  });

  test('can be replaced, and stays if an edit does not contain one', async () => {
    const { fixture, guildId, endpointId, channel } = await openChannel({ events: ['vote_received'] });
    const templates = { vote_received: '{user}!' };
    const renamed = await fixture.endpoints.editEndpoint(
      guildId,
      endpointId,
      { name: 'News', templates },
      null,
    );
    assert.ok(renamed.ok);
    await vote(fixture, guildId, 'Steve');
    await fixture.worker.runDue();
    assert.equal(channel.messages[0]?.description, 'Steve!');
    const other = channel.url.replace(CHANNEL_TOKEN, 'y'.repeat(68));
    assert.ok((await fixture.endpoints.editEndpoint(guildId, endpointId, { url: other }, null)).ok);
    await vote(fixture, guildId, 'Alex');
    await fixture.worker.runDue();
    assert.match(channel.paths.at(-1) ?? '', /y{68}/);
  });
});

describe('a template', () => {
  test('can use only the fields of its event, and has at most 1000 characters', () => {
    assert.equal(isTemplate('vote_received', '{user} {community} {total} {streak} {month} {link}'), true);
    assert.equal(isTemplate('vote_received', 'two\nlines, {} excluded'), false);
    assert.equal(isTemplate('vote_received', '{password}'), false);
    for (const wrong of ['{ user }', '{user name}', '{total-votes}', '{série}', '{user.name}'])
      assert.equal(isTemplate('vote_received', wrong), false, wrong);
    assert.equal(isTemplate('vote_received', 'a } before a { is text'), true);
    assert.equal(isTemplate('vote_available', '{total}'), false);
    assert.equal(isTemplate('vote_received', 'x'.repeat(1000)), true);
    assert.equal(isTemplate('vote_received', '\u{1f600}'.repeat(1000)), true);
    assert.equal(isTemplate('vote_received', 'x'.repeat(1001)), false);
    assert.equal(isTemplate('vote_received', 'bell\u0007'), false);
    for (const event of SUBSCRIBABLE_EVENTS) {
      for (const language of ['en', 'fr'] as const)
        assert.ok(isTemplate(event, defaultTemplate(event, language)));
    }
  });

  test('with an unknown field is not saved', async () => {
    const { fixture, guildId, channel } = await openChannel();
    const templates = { vote_received: 'Hello {name}' };
    const input = { kind: 'discord', url: channel.url, events: ['vote_received'], templates } as const;
    const added = await fixture.endpoints.addEndpoint(guildId, input, null);
    assert.deepEqual(added, { ok: false, fault: 'bad-template' });
  });

  test('of one event can be changed without losing the others', async () => {
    const { fixture, guildId, channel } = await openChannel();
    const templates = { vote_received: 'one', vote_voided: 'two' };
    const input = { kind: 'discord', url: channel.url, events: ['vote_received'], templates } as const;
    const added = await fixture.endpoints.addEndpoint(guildId, input, null);
    assert.ok(added.ok);
    const edit = async (changed: Templates) => {
      const { endpointId } = added.endpoint;
      const edited = await fixture.endpoints.editEndpoint(guildId, endpointId, { templates: changed }, null);
      return edited.ok && edited.endpoint.destination.kind === 'discord'
        ? edited.endpoint.destination.templates
        : undefined;
    };
    assert.deepEqual(await edit({ vote_received: 'three' }), {
      vote_received: 'three',
      vote_voided: 'two',
    });
    assert.deepEqual(await edit({ vote_received: '' }), { vote_voided: 'two' });
  });
});
