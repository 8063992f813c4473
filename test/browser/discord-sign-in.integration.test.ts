import assert from 'node:assert/strict';
import { after, describe } from 'node:test';
import { SESSION_COOKIE } from '../../src/site/session.ts';
import { test, useSite } from '../support/browser/browser.ts';
import { startFakeDiscord } from '../support/discord/fake-discord.ts';

const GUILD = '100000000000000077';

const discord = await startFakeDiscord();
after(() => discord.close());
const site = await useSite(discord.env);

describe('in a real browser', () => {
  test('users sign in through Discord, and sign out', async (t) => {
    const page = await site.open(t, '/');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('banner').getByText('Mona').waitFor();
    const cookies = await page.context().cookies();
    assert.ok(cookies.some(({ name, secure, httpOnly }) => name === SESSION_COOKIE && secure && httpOnly));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await page.context().cookies(), []);
  });

  test('a vote link survives the sign-in, even if the session ends while the page is open', async (t) => {
    await site.store.guilds.add({ guildId: GUILD, name: 'Voters', createdAt: site.clock() });
    const path = `/guild/${GUILD}/vote?external_id=Steve_42`;
    const page = await site.open(t, `/sign-in?back=${encodeURIComponent(path)}`);
    assert.equal(page.url(), site.url + path);
    await page.context().clearCookies();
    const signedInAgain = page.waitForResponse((response) => response.url().includes('/sign-in/callback?'));
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await signedInAgain;
    await page.getByRole('banner').getByText('Mona').waitFor();
    assert.equal(page.url(), site.url + path);
    assert.ok((await page.context().cookies()).some(({ name }) => name === SESSION_COOKIE));
  });
});
