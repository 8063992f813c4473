import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { NO_RULES } from '../../src/store/moderation/integrity.ts';
import { DEFAULT_VOTING } from '../../src/voting/settings.ts';
import { addEndpoint } from '../store/webhook-fixtures.ts';
import { openApp, SITE, VOTER } from './fixture.ts';

const EPHEMERAL = 64;
/** The id of an account that was created at this time. */
const accountOf = (createdAt: number) => String(BigInt(createdAt - 1_420_070_400_000) << 22n);

describe('/vote', () => {
  it('casts a vote without an external id that the API, the feed and webhooks have immediately', async () => {
    const { command, get, store, guildId, clock } = await openApp();
    const start = await get('/v7/guild/feed');
    await addEndpoint(store, guildId);
    const { content, flags, type, buttons } = await command('vote');
    assert.equal(type, 4);
    assert.equal(flags & EPHEMERAL, EPHEMERAL);
    const again = Math.ceil((clock() + HOUR_MS) / 1000);
    assert.match(content, /Your vote for \*\*Cats\*\* has been counted/);
    assert.ok(content.includes(`<t:${again}:R>`));
    assert.match(content, /Your votes: 1\. Days in a row: 1\./);
    assert.deepEqual(buttons, {
      'Open the voting page': `${SITE}/guild/${guildId}/vote`,
      'Remind me': `remind-on:${guildId}`,
    });
    const check = await get(`/v7/vote-check?discord_id=${VOTER}`);
    assert.equal(check.has_voted, true);
    const { votes } = await get(`/v7/guild/feed?cursor=${start.next_cursor}`);
    assert.ok(Array.isArray(votes));
    assert.deepEqual(
      votes.map(({ user_id, external_id }) => ({ user_id, external_id })),
      [{ user_id: VOTER, external_id: null }],
    );
    const [delivery] = await store.webhooks.deliveries(guildId, clock(), 10);
    assert.equal(delivery?.type, 'vote_received');
  });

  it('shares the cooldown with votes on the page', async () => {
    const { command, store, guildId, clock, refusals } = await openApp();
    const vote = { guildId, userId: VOTER, castAt: clock(), externalId: 'Steve', isDoubled: false };
    await store.votes.cast(vote);
    clock.advance(HOUR_MS - 1);
    assert.match((await command('vote')).content, /already voted for \*\*Cats\*\*/);
    assert.deepEqual(refusals, ['cooldown']);
    clock.advance(1);
    assert.match((await command('vote')).content, /has been counted/);
  });

  it('says so if votes count double', async () => {
    const { command, store, guildId } = await openApp();
    await store.guilds.setDoubling(guildId, 'always');
    assert.match((await command('vote')).content, /double rewards/);
  });

  it('rejects young accounts and banned users, as the voting page does', async () => {
    const { command, store, clock, refusals } = await openApp();
    const days = DEFAULT_VOTING.minAccountAgeDays;
    const young = accountOf(clock() - days * 24 * HOUR_MS + MINUTE_MS);
    assert.match((await command('vote', { userId: young })).content, /too new to vote.*<t:\d+:f>/);
    clock.advance(2 * MINUTE_MS);
    assert.match((await command('vote', { userId: young })).content, /has been counted/);
    await store.moderation.ban({
      userId: VOTER,
      since: 0,
      until: clock() + HOUR_MS,
      reason: 'secret',
      publicReason: null,
    });
    const { content } = await command('vote');
    assert.match(content, /cannot vote on this site until <t:\d+:f>/);
    assert.ok(!content.includes('secret'));
    await store.moderation.ban({ userId: VOTER, since: 0, until: null, reason: null, publicReason: null });
    assert.equal((await command('vote')).content, 'You cannot vote on this site.');
    assert.deepEqual(refusals, ['young_account', 'banned', 'banned']);
  });

  it('applies the rules of the guild', async () => {
    const { command, press, store, guildId, refusals } = await openApp();
    await store.integrity.setRules(guildId, { ...NO_RULES, minAccountAgeDays: 10_000 });
    assert.match((await command('vote')).content, /too new/);
    await store.integrity.setRules(guildId, { ...NO_RULES, signedLinksOnly: true });
    const signed = await command('vote');
    assert.match(signed.content, /only accepts votes through its own links/);
    assert.deepEqual(signed.buttons, {});
    await store.integrity.setRules(guildId, { ...NO_RULES, membersOnly: true });
    const outside = await press(`vote:${guildId}`);
    assert.match(outside.content, /Only members of \*\*Cats\*\*/);
    assert.deepEqual(Object.keys(outside.buttons), ['Open the voting page']);
    assert.match((await press(`vote:${guildId}`, { guildId: '300000000000000009' })).content, /Only members/);
    // A user of a command in the guild is always a member.
    assert.match((await command('vote')).content, /has been counted/);
    assert.deepEqual(refusals, ['young_account', 'bad_link', 'membership_unknown', 'membership_unknown']);
  });

  it('refuses votes during maintenance with the message of the operator, in both languages', async () => {
    const { command, store, clock, refusals } = await openApp();
    await store.maintenance.begin({ since: clock(), message: null });
    assert.match((await command('vote')).content, /Votes are not accepted right now/);
    await store.maintenance.begin({ since: clock(), message: 'Back at 18:00 UTC' });
    clock.advance(SECOND_MS + 1);
    const english = await command('vote');
    assert.match(english.content, /^Back at 18:00 UTC/);
    assert.equal(english.flags & EPHEMERAL, EPHEMERAL);
    const french = await command('vote', { locale: 'fr' });
    assert.match(french.content, /Back at 18:00 UTC.*maintenance/s);
    assert.deepEqual(refusals, ['maintenance', 'maintenance', 'maintenance']);
    await store.maintenance.end();
    clock.advance(SECOND_MS + 1);
    assert.match((await command('vote')).content, /has been counted/);
  });

  it('works for an unlisted guild, and explains why it fails for a sanctioned or unknown one and in direct messages', async () => {
    const { command, store, guildId, clock } = await openApp();
    await store.guilds.setUnlisted(guildId, clock());
    assert.match((await command('vote')).content, /has been counted/);
    await store.guilds.setSanction(guildId, { since: clock(), reason: 'secret' });
    for (const name of ['vote', 'vote-status', 'top', 'remind on']) {
      const { content } = await command(name);
      assert.match(content, /Voting for \*\*Cats\*\* is suspended/);
      assert.ok(!content.includes('secret'));
    }
    const unknown = await command('vote', { guildId: '300000000000000099' });
    assert.match(unknown.content, /not listed on Votary/);
    assert.deepEqual(unknown.buttons, { 'Open the site': SITE });
    assert.match(
      (await command('vote', { guildId: null })).content,
      /in the server that you want to vote for/,
    );
  });

  it('uses the language of the user', async () => {
    const { command } = await openApp();
    const { content, buttons } = await command('vote', { locale: 'fr' });
    assert.match(content, /Votre vote pour \*\*Cats\*\* est enregistré/);
    assert.deepEqual(Object.keys(buttons), ['Ouvrir la page de vote', 'Activer les rappels']);
    assert.match((await command('vote', { locale: 'de' })).content, /already voted/);
  });

  it('shows hostile guild names as plain text', async () => {
    const { command, store, guildId } = await openApp();
    const name = '@everyone <@1> [x](https://evil.example) **b** `c` discord.gg/abc \u202e\n# big <:e:1>';
    await store.guilds.rename(guildId, name);
    const { content } = await command('vote');
    const shown = /for \*\*(.*?)\*\* has been counted/.exec(content)?.[1] ?? '';
    assert.doesNotMatch(shown.replaceAll(/\\[!-/:-@[-`{-~]/g, ''), /[!-/:-@[-`{-~]/);
    assert.ok(!/\p{Bidi_Control}|\n/u.test(shown));
    assert.ok(shown.includes(String.raw`https\:\/\/evil\.example`));
  });
});

describe('/vote-status', () => {
  it('says when the next vote is possible, and shows the statistics of the user', async () => {
    const { command, clock } = await openApp();
    assert.equal((await command('vote-status')).content, 'You can vote for **Cats** now.');
    await command('vote');
    clock.advance(30 * MINUTE_MS);
    const { content } = await command('vote-status');
    assert.match(content, /already voted for \*\*Cats\*\*.*<t:\d+:R>/);
    assert.match(content, /Your votes: 1\. Days in a row: 1\.\nYour rank this month: 1\./);
  });
});

describe('/vote-status for a user who cannot vote', () => {
  it('includes the cooldown of a voided vote, as /vote does', async () => {
    const { command, clock, store, guildId } = await openApp();
    await command('vote');
    const period = { from: clock() - HOUR_MS, to: clock() + HOUR_MS };
    const batch = { batch: 'void_1', reason: null, voidedAt: clock() };
    assert.equal(await store.moderation.void({ guildId, selection: { userId: VOTER }, period, ...batch }), 1);
    clock.advance(30 * MINUTE_MS);
    const refused = (await command('vote')).content;
    assert.match(refused, /You can vote again <t:\d+:R>/);
    assert.equal((await command('vote-status')).content, refused);
    clock.advance(30 * MINUTE_MS);
    assert.equal((await command('vote-status')).content, 'You can vote for **Cats** now.');
  });

  it('says that an account is too new or banned', async () => {
    const { command, clock, store } = await openApp();
    const userId = accountOf(clock() - HOUR_MS);
    assert.match((await command('vote-status', { userId })).content, /too new to vote.*<t:\d+:f>/);
    await store.moderation.ban({
      userId: VOTER,
      since: 0,
      until: null,
      reason: 'secret',
      publicReason: null,
    });
    assert.equal((await command('vote-status')).content, 'You cannot vote on this site.');
  });
});

describe('/top', () => {
  it('lists the voters of the month without notifying them', async () => {
    const { command, clock } = await openApp();
    assert.match((await command('top')).content, /Nobody has voted/);
    clock.advance(MINUTE_MS);
    for (const userId of [VOTER, '200000000000000002']) await command('vote', { userId });
    clock.advance(HOUR_MS);
    await command('vote');
    const { content } = await command('top');
    assert.deepEqual(content.split('\n'), [
      'Top voters of **Cats** this month',
      `1. <@${VOTER}>: 2 votes`,
      '2. <@200000000000000002>: 1 vote',
      'All votes this month: 3',
    ]);
    assert.match((await command('top', { locale: 'fr' })).content, /2 votes/);
  });
});

describe('/remind and the buttons', () => {
  it('turns reminders on and off, by command and by button', async () => {
    const { command, press, store, guildId, clock } = await openApp();
    const on = await command('remind on', { locale: 'fr' });
    assert.match(on.content, /message privé/);
    assert.deepEqual(await store.reminders.find(guildId, VOTER), { locale: 'fr', dueAt: null });
    assert.equal(on.buttons['Désactiver les rappels'], `remind-off:${guildId}`);
    assert.match((await command('remind off')).content, /no longer get reminders for \*\*Cats\*\*/);
    assert.match((await command('remind off')).content, /are off/);
    const { buttons } = await command('vote');
    const pressed = await press(String(buttons['Remind me']), { guildId });
    assert.ok(pressed.content.includes(`<t:${(clock() + HOUR_MS) / 1000}:R>`), pressed.content);
    assert.equal((await command('vote-status')).buttons['Remind me'], undefined);
    // From a direct message, although voting is suspended.
    await store.guilds.setSanction(guildId, { since: clock(), reason: null });
    assert.match((await press(`remind-off:${guildId}:123`)).content, /no longer get reminders/);
    assert.equal(await store.reminders.find(guildId, VOTER), undefined);
  });

  it('casts a vote with the button of a reminder', async () => {
    const { press, store, guildId } = await openApp();
    assert.match((await press(`vote:${guildId}`)).content, /has been counted/);
    assert.equal((await store.votes.recent(guildId, null, null, 10)).length, 1);
  });

  it('offers no reminders if none can be sent', async () => {
    const { command, store, guildId } = await openApp({ endpoint: { hasReminders: false } });
    assert.match((await command('remind on')).content, /does not send reminders/);
    assert.equal(await store.reminders.find(guildId, VOTER), undefined);
    assert.deepEqual(Object.keys((await command('vote')).buttons), ['Open the voting page']);
  });

  it('says that unknown commands and buttons are no longer available', async () => {
    const { command, press } = await openApp();
    for (const name of ['dance', 'remind', 'remind maybe', 'vote now', 'constructor'])
      assert.match((await command(name)).content, /no longer available/);
    for (const id of ['', 'vote', 'vote:x', 'dance:300000000000000001', 'remind-on:1; drop'])
      assert.match((await press(id)).content, /no longer available/);
  });
});
