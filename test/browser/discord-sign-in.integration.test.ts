import assert from 'node:assert/strict';
import { after } from 'node:test';
import { SESSION_COOKIE } from '../../src/site/session.ts';
import { test, useSite } from '../support/browser/browser.ts';
import { startFakeDiscord } from '../support/discord/fake-discord.ts';

const GUILD = '100000000000000077';

const discord = await startFakeDiscord();
after(() => discord.close());
const site = await useSite(discord.env);

test('a vote link survives the sign-in through Discord, even if the session ends while the page is open', async (t) => {
  await site.store.guilds.add({ guildId: GUILD, name: 'Voters', createdAt: site.clock() });
  const path = `/guild/${GUILD}/vote?external_id=Steve_42`;
  const page = await site.open(t, path);
  await page.getByRole('link', { name: 'Sign in with Discord to vote' }).click();
  await page.getByRole('banner').getByText('Mona').waitFor();
  assert.equal(page.url(), site.url + path);
  await page.context().clearCookies();
  // The policy of the page has to allow a form to be redirected to Discord.
  const signedInAgain = page.waitForResponse((response) => response.url().includes('/sign-in/callback?'));
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await signedInAgain;
  await page.getByRole('banner').getByText('Mona').waitFor();
  assert.equal(page.url(), site.url + path);
  const cookies = await page.context().cookies();
  assert.ok(cookies.some(({ name, secure, httpOnly }) => name === SESSION_COOKIE && secure && httpOnly));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  assert.deepEqual(await page.context().cookies(), []);
});
