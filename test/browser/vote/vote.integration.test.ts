import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { ALL_TIME } from '../../../src/domain/votes/period.ts';
import { test, textOf, useSite } from '../../support/browser/browser.ts';

const site = await useSite();
let guilds = 0;

/** A separate community for each test, so that no user has voted for it yet. */
async function newGuild(name = 'Demo Community'): Promise<string> {
  guilds += 1;
  const guildId = String(300000000000000000n + BigInt(guilds));
  await site.store.guilds.add({ guildId, name, createdAt: site.clock() });
  return guildId;
}

const voteButton = (page: Page) => page.getByRole('button', { name: 'Vote', exact: true });
const thanks = (page: Page) => page.getByText('Your vote has been counted. Thank you!');

async function votesOf(guildId: string): Promise<number> {
  const period = { from: 0, to: site.clock() + MINUTE_MS };
  return site.store.votes.count({ guildId, userId: null, period });
}

/** The server renders minutes; the script counts seconds as soon as it is loaded. */
const untilRunning = (timer: Locator) => timer.filter({ hasText: /^\d\d:\d\d$/ }).waitFor();

test('the countdown runs, and the page offers the next vote when it ends', async (t) => {
  const guildId = await newGuild();
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(`/guild/${guildId}/vote`);
  await voteButton(page).click();
  const timer = page.getByRole('timer', { name: 'Next vote in' });
  await untilRunning(timer);
  assert.match(await textOf(timer), /^(60:00|59:\d\d)$/);
  assert.equal(await voteButton(page).count(), 0);
  await page.clock.fastForward('59:00');
  assert.match(await textOf(timer), /^0[01]:\d\d$/);
  await page.clock.fastForward('01:00');
  await page.getByText('You can vote again now.').waitFor();
  site.clock.advance(60 * MINUTE_MS);
  await voteButton(page).click();
  await thanks(page).waitFor();
  assert.equal(await votesOf(guildId), 2);
});

test('the time of the next vote does not depend on the clock of the device', async (t) => {
  for (const wrongBy of [-3 * HOUR_MS, 3 * HOUR_MS]) {
    const guildId = await newGuild();
    const context = await site.visitor(t, { signedInAs: 'Alex' });
    const page = await context.newPage();
    await page.clock.install({ time: site.clock() + wrongBy });
    await page.goto(`/guild/${guildId}/vote`);
    await voteButton(page).click();
    const next = page.locator('time[data-until]');
    await untilRunning(page.getByRole('timer'));
    assert.match(await textOf(next), /^in (1 hr|60 min|59 min) \(/);
    await page.clock.fastForward('18:00');
    assert.match(await textOf(next), /^in 4[12] min \(/);
  }
});

test('the tab title counts down, and at the end the page looks as if it had just been opened', async (t) => {
  const guildId = await newGuild('Quiet Corner');
  await site.store.guilds.setDoubling(guildId, 'always');
  const context = await site.visitor(t, { signedInAs: 'Sam' });
  const page = await context.newPage();
  await page.clock.install();
  const back = `return_to=${encodeURIComponent('https://play.example.org/')}`;
  await page.goto(`/guild/${guildId}/vote?external_id=Steve&${back}`);
  await voteButton(page).click();
  await untilRunning(page.getByRole('timer'));
  assert.match(await page.title(), /^(60:00|59:\d\d) · Quiet Corner$/);
  assert.match(
    (await page.getByRole('link', { name: 'Back to' }).getAttribute('class')) ?? '',
    /^button large$/,
  );
  await page.clock.fastForward('30:00');
  assert.match(await page.title(), /^(30:00|29:\d\d) · /);
  await page.clock.fastForward('30:00');
  await page.getByText('You can vote again now.').waitFor();
  assert.equal(await page.title(), 'Vote now · Quiet Corner');
  assert.equal(await page.getByText('Voted as').isVisible(), false);
  assert.equal(await page.getByText('has been counted').isVisible(), false);
  assert.equal(await page.getByText('Voting as Steve').isVisible(), true);
  assert.equal(await page.getByText('Votes are worth double rewards right now').isVisible(), true);
  assert.match((await page.getByRole('link', { name: 'Back to' }).getAttribute('class')) ?? '', /secondary/);
});

/** Headless browsers have no notifications: replaces them with a list of their titles. */
const FAKE_NOTIFICATIONS = `
  window.shown = [];
  window.asked = 0;
  window.Notification = class extends EventTarget {
    static permission = 'default';
    static async requestPermission() {
      window.asked += 1;
      this.permission = window.answer;
      return window.answer;
    }
    // Without permission, browsers show nothing.
    constructor(title) { super(); if (window.Notification.permission === 'granted') window.shown.push(title); }
    close() {}
  };`;

test('a notification announces the end of the cooldown if the visitor asked for one', async (t) => {
  const guildId = await newGuild('Quiet Corner');
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  const page = await context.newPage();
  await page.clock.install();
  await page.addInitScript(`${FAKE_NOTIFICATIONS} window.answer = 'denied';`);
  await page.goto(`/guild/${guildId}/vote`);
  await voteButton(page).click();
  const button = page.getByRole('button', { name: 'Notify me when I can vote again' });
  await button.waitFor();
  assert.equal(await page.evaluate('window.asked'), 0);
  await button.click();
  await page.getByText('Your browser blocks notifications').waitFor();
  await page.evaluate("window.answer = 'granted'");
  await button.click();
  await page.getByText('Keep this tab open to be notified.').waitFor();
  await page.clock.fastForward('01:00:00');
  await page.getByText('You can vote again now.').waitFor();
  assert.deepEqual(await page.evaluate('window.shown'), ['You can vote for Quiet Corner again']);
});

test('a voided vote is not shown as counted, and the page counts down to the next one', async (t) => {
  const guildId = await newGuild();
  const page = await site.open(t, `/guild/${guildId}/vote`, { signedInAs: 'Sam' });
  await voteButton(page).click();
  await thanks(page).waitFor();
  const batch = { batch: 'void_1', reason: null, voidedAt: site.clock() };
  const [vote] = await site.store.votes.recent(guildId, null, null, 1);
  const selection = { userId: vote?.userId ?? '' };
  await site.store.moderation.void({ guildId, selection, period: ALL_TIME, ...batch });
  await page.clock.install();
  await page.reload();
  await page.getByText('Your last vote no longer counts.').waitFor();
  await page.getByRole('timer').waitFor();
  assert.deepEqual([await thanks(page).count(), await voteButton(page).isVisible()], [0, false]);
  await page.clock.fastForward('01:00:00');
  site.clock.advance(60 * MINUTE_MS);
  assert.equal(await page.getByText('Your last vote no longer counts.').isVisible(), false);
  await voteButton(page).click();
  await thanks(page).waitFor();
});

test('no notification is shown to a visitor who turned them off again', async (t) => {
  const guildId = await newGuild();
  const context = await site.visitor(t, { signedInAs: 'Charlie' });
  const page = await context.newPage();
  await page.clock.install();
  await page.addInitScript(`${FAKE_NOTIFICATIONS} window.answer = 'granted';`);
  await page.goto(`/guild/${guildId}/vote`);
  await voteButton(page).click();
  await page.getByRole('button', { name: 'Notify me' }).click();
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.clock.fastForward('01:00:00');
  await page.getByText('You can vote again now.').waitFor();
  assert.deepEqual(await page.evaluate('window.shown'), []);
});

test('a voter copies the share link and chooses to appear by name', async (t) => {
  const guildId = await newGuild();
  const context = await site.visitor(t, { signedInAs: 'Sam' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  await page.addInitScript('delete Navigator.prototype.share;');
  await page.goto(`/guild/${guildId}/vote`);
  await voteButton(page).click();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${site.url}/guild/${guildId}`);
  await page.getByRole('button', { name: 'Show my name' }).click();
  await page.getByText('You appear as Sam on leaderboards.').waitFor();
  await page.getByRole('button', { name: 'Hide my name' }).click();
  await page.getByText('You are anonymous on leaderboards.').waitFor();
});

test('a double click on the busy button, a refresh and the back button result in one vote', async (t) => {
  const guildId = await newGuild();
  const page = await site.open(t, `/guild/${guildId}/vote`, { signedInAs: 'Alex' });
  const busy = await page.evaluate(`(() => {
    const button = document.querySelector('.vote-form button');
    button.click();
    button.click();
    return button.getAttribute('aria-busy');
  })()`);
  assert.equal(busy, 'true');
  await thanks(page).waitFor();
  await page.reload();
  await thanks(page).waitFor();
  await page.goto('/');
  await page.goBack();
  await thanks(page).waitFor();
  assert.equal(await votesOf(guildId), 1);
});

test('a signed-out visitor signs in and votes with the keyboard alone, without scripts', async (t) => {
  const guildId = await newGuild();
  const page = await site.open(t, `/guild/${guildId}/vote?external_id=NoScript`, { hasJavaScript: false });
  await page.getByRole('link', { name: 'Sign in with Discord to vote' }).press('Enter');
  await page.getByRole('button', { name: 'Sam' }).press('Enter');
  await page.getByText('Voting as NoScript').waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await textOf(page.locator(':focus')), 'Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await textOf(page.locator(':focus')), 'Demo Community');
  await page.keyboard.press('Tab');
  assert.equal(await textOf(page.locator(':focus')), 'Vote');
  await page.keyboard.press('Enter');
  await thanks(page).waitFor();
  // Only the script can count down: without it, the page says when to come back.
  assert.match(
    await textOf(page.locator('main')),
    /60 minutes.*You can vote again in 1 hr \(\d+:\d\d [AP]M UTC\)\. Reload this page at that time\./,
  );
  assert.equal(await votesOf(guildId), 1);
});
