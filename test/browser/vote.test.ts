import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { issueKey } from '../../src/store/keys.ts';
import { test, textOf, useSite } from '../support/browser.ts';

const site = await useSite();
let guilds = 0;

/** A community of its own for each test, so that nobody has voted for it yet. */
async function newGuild(name = 'Demo Community'): Promise<{ guildId: string; key: string }> {
  guilds += 1;
  const guildId = String(300000000000000000n + BigInt(guilds));
  await site.store.guilds.add({ guildId, name, createdAt: site.clock() });
  const key = await issueKey(site.store, site.secrets, guildId, site.clock());
  assert.ok(key);
  return { guildId, key };
}

const voteButton = (page: Page) => page.getByRole('button', { name: 'Vote', exact: true });
const thanks = (page: Page) => page.getByText('Your vote has been counted. Thank you!');

async function votesOf(guildId: string): Promise<number> {
  const period = { from: 0, to: site.clock() + MINUTE_MS };
  return site.store.votes.count({ guildId, userId: null, period });
}

test('a visitor signs in on the way, votes by a custom link, and the API says so at once', async (t) => {
  const { guildId, key } = await newGuild();
  const returnTo = encodeURIComponent('https://play.example.org/shop');
  const page = await site.open(t, `/guild/${guildId}/vote?external_id=Steve_42&return_to=${returnTo}`);
  await page.getByText('Voting as Steve_42').waitFor();
  await page.getByRole('link', { name: 'Sign in to vote' }).click();
  await page.getByRole('button', { name: 'Sam' }).click();
  await page.getByText('Voting as Steve_42').waitFor();
  await voteButton(page).click();
  await thanks(page).waitFor();
  await page.getByText('Voted as Steve_42').waitFor();

  const { body } = await site.api('/v7/vote-check?external_id=Steve_42', key);
  assert.equal(body.has_voted, true);
  assert.equal(body.last_vote_at, '2026-11-18T12:00:00.000Z');
  const back = page.getByRole('link', { name: 'Back to play.example.org' });
  assert.equal(await back.getAttribute('href'), 'https://play.example.org/shop');
});

/** The server writes minutes; the script of the page counts seconds as soon as it is loaded. */
const untilRunning = (timer: Locator) => timer.filter({ hasText: /^\d\d:\d\d$/ }).waitFor();

test('the countdown runs, and offers the vote again when it ends', async (t) => {
  const { guildId } = await newGuild();
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

test('a second vote from another tab is refused with the countdown, not with an error', async (t) => {
  const { guildId } = await newGuild();
  const context = await site.visitor(t, { signedInAs: 'Alex' });
  const [first, second] = [await context.newPage(), await context.newPage()];
  await Promise.all([first, second].map((page) => page.goto(`/guild/${guildId}/vote`)));
  await voteButton(first).click();
  await thanks(first).waitFor();
  site.clock.advance(18 * MINUTE_MS);
  await voteButton(second).click();
  await thanks(second).waitFor();
  const timer = second.getByRole('timer');
  await untilRunning(timer);
  assert.match(await textOf(timer), /^4[12]:\d\d$/);
  assert.equal(await votesOf(guildId), 1);
});

test('a double click, a refresh and the back button give one vote', async (t) => {
  const { guildId } = await newGuild();
  const page = await site.open(t, `/guild/${guildId}/vote`, { signedInAs: 'Alex' });
  await voteButton(page).dblclick();
  await thanks(page).waitFor();
  await page.reload();
  await thanks(page).waitFor();
  await page.goto('/');
  await page.goBack();
  await thanks(page).waitFor();
  assert.equal(await votesOf(guildId), 1);
});

test('everything works without JavaScript', async (t) => {
  const { guildId, key } = await newGuild();
  const page = await site.open(t, `/guild/${guildId}/vote?external_id=NoScript`, {
    signedInAs: 'Alex',
    hasJavaScript: false,
  });
  await voteButton(page).click();
  await thanks(page).waitFor();
  const words = await textOf(page.locator('main'));
  assert.match(words, /60 minutes/);
  assert.match(words, /You can vote again at \d+:\d\d [AP]M UTC\. Reload this page at that time\./);
  assert.equal((await site.api('/v7/vote-check?external_id=NoScript', key)).body.has_voted, true);
});

test('a French visitor reads French, and can switch to English and stay on the link', async (t) => {
  const { guildId } = await newGuild();
  const path = `/guild/${guildId}/vote?external_id=Steve_42`;
  const page = await site.open(t, path, { signedInAs: 'Charlie', locale: 'fr' });
  await page.getByRole('button', { name: 'Voter', exact: true }).click();
  await page.getByText('Votre vote est enregistré. Merci !').waitFor();
  await page.getByText('Prochain vote dans').waitFor();
  await page.getByRole('link', { name: 'English' }).click();
  await thanks(page).waitFor();
  assert.equal(page.url(), site.url + path);
});

test('the keyboard alone is enough to vote', async (t) => {
  const { guildId } = await newGuild();
  const page = await site.open(t, `/guild/${guildId}/vote`, { signedInAs: 'Alex' });
  await page.keyboard.press('Tab');
  assert.equal(await textOf(page.locator(':focus')), 'Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await textOf(page.locator(':focus')), 'Vote');
  await page.keyboard.press('Enter');
  await thanks(page).waitFor();
});
