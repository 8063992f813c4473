import assert from 'node:assert/strict';
import { issueKey } from '../../../src/store/guilds/guilds.ts';
import { test, useSite } from '../../support/browser/browser.ts';

const GUILD = '100000000000000001';
const DASHBOARD = `/dashboard/${GUILD}`;
const site = await useSite();

await site.store.guilds.add({ guildId: GUILD, name: 'Forms', createdAt: site.clock() });
await issueKey(site.store, site.secrets, GUILD, site.clock());

test('going back from a revealed key does not resubmit the form, and shows the key masked', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/key`, { signedInAs: 'Alex' });
  await page.getByRole('button', { name: 'Reveal' }).click();
  await page.locator('#key').waitFor();
  await page.waitForURL(`${site.url}${DASHBOARD}/key`);
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Reveal' }).waitFor();
  assert.equal(await page.locator('#key').count(), 0);
  await page.reload();
  await page.getByRole('button', { name: 'Reveal' }).waitFor();
});

test('an error is scrolled into view and focused, with and without scripts', async (t) => {
  for (const hasJavaScript of [true, false]) {
    const page = await site.open(t, `${DASHBOARD}/votes.csv?from=2026-01-01&to=2026-06-01`, {
      signedInAs: 'Alex',
      hasJavaScript,
      width: 360,
    });
    const error = page.getByRole('alert');
    await error.waitFor();
    const { y = -1 } = (await error.boundingBox()) ?? {};
    assert.ok(y >= 0 && y < 740, `the error is at ${y}`);
    if (hasJavaScript) assert.equal(await page.evaluate('document.activeElement.role'), 'alert');
  }
});

test('an invalid filter is focused, with and without scripts', async (t) => {
  for (const hasJavaScript of [true, false]) {
    const visit = { signedInAs: 'Alex', hasJavaScript, width: 360 };
    const page = await site.open(t, `${DASHBOARD}/votes?user=abc`, visit);
    await page.locator('#user[aria-invalid]:focus').waitFor();
    const { y = -1 } = (await page.locator('#filter-error').boundingBox()) ?? {};
    assert.ok(y >= 0 && y < 740, `the error is at ${y}`);
  }
});

test('a rejected webhook is explained in view, and going back does not resubmit the form', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/webhooks`, { signedInAs: 'Alex' });
  await page.getByLabel('URL').first().fill('https://10.0.0.1/hook');
  await page.locator('#add button, .add-form button').last().click();
  await page.getByRole('alert').waitFor();
  assert.equal(await page.evaluate('document.activeElement.role'), 'alert');
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.goBack();
  await page.getByRole('heading', { name: 'Webhooks' }).first().waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

test('a form that is being submitted is not submitted again', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/settings`, { signedInAs: 'Alex' });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  const busy = await page.evaluate(`(() => {
    const button = document.querySelector('form[action="${DASHBOARD}/settings"] button');
    button.click();
    button.click();
    return button.getAttribute('aria-busy');
  })()`);
  await page.getByText('Settings saved.').waitFor();
  assert.equal(busy, 'true');
  assert.equal(sent.length, 1);
});

test('on a phone no field leaves its card, and no word of the navigation is broken', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/settings`, { signedInAs: 'Alex', width: 360, locale: 'fr' });
  const outside =
    await page.evaluate(`[...document.querySelectorAll('.card :is(input, label, button, fieldset)')]
    .filter((part) => part.getBoundingClientRect().right > part.closest('.card').getBoundingClientRect().right)
    .map((part) => part.outerHTML)`);
  assert.deepEqual(outside, []);
  const broken = await page.evaluate(`[...document.querySelectorAll('.site-nav a')]
    .filter((link) => { const range = document.createRange(); range.selectNodeContents(link); return range.getClientRects().length > 1; })
    .map((link) => link.textContent)`);
  assert.deepEqual(broken, []);
});

test('an admin previews the profile, saves it with Enter, and goes back to the form', async (t) => {
  const page = await site.open(t, `${DASHBOARD}/settings`, { signedInAs: 'Alex' });
  await page.getByRole('link', { name: 'Edit profile' }).click();
  await page.getByLabel('Description').fill('See https://example.org');
  await page.getByLabel('Tags').fill('Minecraft, Role Play');
  await page.getByLabel('Language').selectOption('fr');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('Links are not allowed in the description').waitFor();
  // The fields are not in the URL, which would limit their length.
  assert.ok(page.url().endsWith(`${DASHBOARD}/settings/profile`));
  assert.equal(await page.getByLabel('Tags').inputValue(), 'Minecraft, Role Play');

  await page.getByLabel('Description').fill('A quiet place for builders');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('Nothing has been saved yet').waitFor();
  await page.locator('.profile').getByText('role-play').waitFor();
  await page.getByLabel('Discord invite').fill('https://discord.gg/cafe');
  await page.getByLabel('Discord invite').press('Enter');
  await page.getByText('Profile saved').waitFor();
  assert.equal((await site.store.profiles.find(GUILD)).invite, 'https://discord.gg/cafe');
  await page.goBack();
  await page.getByText('This is how your public page begins').waitFor();
  assert.equal(await page.getByLabel('Description').inputValue(), 'A quiet place for builders');
});

// After the others: with an endpoint, the form is in a closed `<details>`.
test('a webhook that was added leads to the top of the page, without the anchor of an error', async (t) => {
  for (const [port, hasJavaScript] of [
    [1029, true],
    [1030, false],
  ] as const) {
    const page = await site.open(t, `${DASHBOARD}/webhooks`, { signedInAs: 'Alex', hasJavaScript });
    await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true');
    await page.locator('#url').fill(`http://127.0.0.1:${port}/votes`);
    await page.locator('.add-form button').last().click();
    await page.getByRole('status').filter({ hasText: 'Endpoint added' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    assert.equal(await page.evaluate('scrollY'), 0);
  }
});
