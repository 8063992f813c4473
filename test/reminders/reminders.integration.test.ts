import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReminderSender } from '../../src/discord/direct-message.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import type { ReminderResult } from '../../src/domain/reminders.ts';
import { ReminderWorker } from '../../src/reminders/worker.ts';
import { NO_RULES } from '../../src/store/moderation/integrity.ts';
import { type App, openApp, SITE, USER_AGENT, VOTER } from '../discord/fixture.ts';
import { buttonsOf } from '../support/discord/discord-rest.ts';

const QUIET = { info: () => undefined, error: () => undefined };

function workerOf({ store, clock, rest }: App, results: ReminderResult[] = []): ReminderWorker {
  const onResult = (result: ReminderResult) => void results.push(result);
  const send = createReminderSender(rest, SITE);
  return new ReminderWorker({ store, clock, send, logger: QUIET, onResult });
}

/** An app whose voter turned on reminders and voted; the reminder is due now. */
async function openDue(locale = 'en-US'): Promise<{ app: App; worker: ReminderWorker }> {
  const app = await openApp();
  await app.command('remind on', { locale });
  await app.command('vote');
  app.clock.advance(HOUR_MS);
  return { app, worker: workerOf(app) };
}

const POST_MESSAGE = /^POST \/channels/;

describe('reminders', () => {
  it('send one direct message when the cooldown ends, with buttons to vote again and to stop', async () => {
    const { app, worker } = await openDue();
    app.clock.advance(-1);
    await worker.runDue();
    assert.equal(app.discord.messages.length, 0);
    app.clock.advance(1);
    await worker.runDue();
    await worker.runDue();
    const [message, ...others] = app.discord.messages;
    assert.deepEqual(others, []);
    assert.equal(message?.userId, VOTER);
    assert.equal(message?.content, 'You can vote for **Cats** again.');
    const [vote, page, stop] = buttonsOf(message?.body ?? {});
    assert.equal(page?.url, `${SITE}/guild/${app.guildId}/vote`);
    assert.match((await app.press(String(vote?.custom_id))).content, /has been counted/);
    app.clock.advance(HOUR_MS);
    await worker.runDue();
    assert.equal(app.discord.messages.length, 2);
    assert.match((await app.press(String(stop?.custom_id))).content, /no longer get reminders/);
    await app.press(String(vote?.custom_id));
    app.clock.advance(HOUR_MS);
    await worker.runDue();
    assert.equal(app.discord.messages.length, 2);
  });

  it('are not sent to users who did not turn them on', async () => {
    const app = await openApp();
    await app.command('vote');
    app.clock.advance(HOUR_MS);
    await workerOf(app).runDue();
    assert.deepEqual(app.discord.requests, []);
  });

  it('use the language in which they were turned on', async () => {
    const { app, worker } = await openDue('fr');
    await worker.runDue();
    assert.equal(app.discord.messages[0]?.content, 'Vous pouvez de nouveau voter pour **Cats**.');
  });

  it('are dropped when they are more than two hours late', async () => {
    const { app, worker } = await openDue();
    app.clock.advance(2 * HOUR_MS + 1);
    await worker.runDue();
    assert.deepEqual(app.discord.requests, []);
    assert.deepEqual(await app.store.reminders.find(app.guildId, VOTER), { locale: 'en', dueAt: null });
  });

  it('are sent when they are exactly two hours late', async () => {
    const { app, worker } = await openDue();
    app.clock.advance(2 * HOUR_MS);
    await worker.runDue();
    assert.equal(app.discord.messages.length, 1);
  });

  it('are dropped for a sanctioned guild, and when the user has voted again', async () => {
    const { app, worker } = await openDue();
    await app.command('vote');
    await worker.runDue();
    app.clock.advance(HOUR_MS);
    await app.store.guilds.setSanction(app.guildId, { since: 0, reason: null });
    await worker.runDue();
    assert.deepEqual(app.discord.requests, []);
  });

  it('omit the vote button if only the page can accept the vote', async () => {
    const { app, worker } = await openDue();
    await app.store.integrity.setRules(app.guildId, { ...NO_RULES, membersOnly: true });
    await worker.runDue();
    assert.deepEqual(
      buttonsOf(app.discord.messages[0]?.body ?? {}).map(({ label }) => label),
      ['Open the voting page', 'Stop reminders'],
    );
    await app.command('vote');
    app.clock.advance(HOUR_MS);
    await app.store.integrity.setRules(app.guildId, { ...NO_RULES, signedLinksOnly: true });
    await worker.runDue();
    assert.match(app.discord.messages[1]?.content ?? '', /through its own links/);
  });

  it('cannot mention, link or format through the name of the guild', async () => {
    const { app, worker } = await openDue();
    await app.store.guilds.rename(app.guildId, '@everyone **x** https://evil.example');
    await worker.runDue();
    const [message] = app.discord.messages;
    assert.ok(message?.content.includes(String.raw`\@everyone \*\*x\*\* https\:\/\/evil\.example`));
    assert.deepEqual(message?.body.allowed_mentions, { parse: [] });
  });

  it('are turned off in all guilds for a user who does not accept direct messages', async () => {
    const { app, worker } = await openDue();
    const other = '300000000000000002';
    await app.store.guilds.add({ guildId: other, name: 'Dogs', createdAt: 0 });
    await app.command('remind on', { guildId: other });
    app.discord.closed.add(VOTER);
    await worker.runDue();
    for (const guildId of [app.guildId, other])
      assert.equal(await app.store.reminders.find(guildId, VOTER), undefined);
  });

  for (const isGlobal of [false, true])
    it(`wait as long as Discord asks, and are then sent once (${isGlobal ? 'global' : 'one route'})`, () =>
      waitForLimit(isGlobal));

  async function waitForLimit(isGlobal: boolean): Promise<void> {
    const { app, worker } = await openDue();
    app.discord.isGlobalLimit = isGlobal;
    app.discord.retryAfterSeconds = 4;
    app.discord.fault = (request) => (POST_MESSAGE.test(request) ? 'limited' : undefined);
    await worker.runDue();
    const asked = app.discord.requests.length;
    await worker.runDue();
    app.clock.advance(4 * SECOND_MS - 1);
    await worker.runDue();
    assert.equal(app.discord.requests.length, asked);
    app.discord.fault = () => undefined;
    app.clock.advance(1);
    await worker.runDue();
    assert.equal(app.discord.messages.length, 1);
    // After a rate limit the message was certainly not sent, so nothing is searched.
    assert.ok(!app.discord.requests.some((request) => request.startsWith('GET')));
  }

  it('are retried if Discord fails or is unreachable', async () => {
    const { app, worker } = await openDue();
    const faults = ['error', 'down', 'forbidden-by-proxy'] as const;
    for (const fault of faults) {
      app.discord.fault = () => fault;
      await worker.runDue();
      app.clock.advance(30 * SECOND_MS);
    }
    app.discord.fault = () => undefined;
    await worker.runDue();
    assert.equal(app.discord.messages.length, 1);
  });

  it('are not repeated if the response to a sent message is lost, right away or much later', async () => {
    for (const waitMs of [30 * SECOND_MS, 90 * MINUTE_MS]) {
      const { app, worker } = await openDue();
      app.discord.fault = (request) => (POST_MESSAGE.test(request) ? 'lost' : undefined);
      await worker.runDue();
      app.discord.fault = () => undefined;
      app.clock.advance(waitMs);
      await worker.runDue();
      assert.equal(app.discord.messages.length, 1);
      assert.deepEqual(await app.store.reminders.find(app.guildId, VOTER), { locale: 'en', dueAt: null });
    }
  });

  it('are counted by result', async () => {
    const { app } = await openDue();
    const results: ReminderResult[] = [];
    const worker = workerOf(app, results);
    app.discord.fault = () => 'down';
    await worker.runDue();
    app.discord.fault = () => undefined;
    app.clock.advance(30 * SECOND_MS);
    await worker.runDue();
    for (const lateMs of [3 * HOUR_MS, 0]) {
      await app.command('vote');
      app.clock.advance(HOUR_MS + lateMs);
      if (lateMs === 0) app.discord.closed.add(VOTER);
      await worker.runDue();
    }
    assert.deepEqual(results, ['retried', 'sent', 'dropped', 'refused']);
  });

  it('keep waiting while the bot token is rejected', async () => {
    const { app } = await openDue();
    const { url: api } = app.discord;
    const wrong = { api, botToken: 'a.wrong.token', userAgent: USER_AGENT, clock: app.clock };
    const rest = createDiscordRest(wrong);
    const errors: string[] = [];
    const logger = {
      ...QUIET,
      error: (_details: object, message?: string) => void errors.push(String(message)),
    };
    const { store, clock } = app;
    const send = createReminderSender(rest, SITE);
    await new ReminderWorker({ store, clock, send, logger }).runDue();
    assert.match(errors.join(), /VOTARY_DISCORD_BOT_TOKEN/);
    app.clock.advance(5 * MINUTE_MS);
    await workerOf(app).runDue();
    assert.equal(app.discord.messages.length, 1);
  });
});
