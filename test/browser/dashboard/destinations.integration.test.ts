import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { assertSound, VISITS } from '../../support/browser/axe.ts';
import { assertFits, test, useSite, type Visit } from '../../support/browser/browser.ts';
import { CHANNEL_ID, CHANNEL_TOKEN } from '../../webhooks/discord/discord-channel.ts';
import { startVotifierServer } from '../../webhooks/votifier/votifier-server.ts';

/** The guild that the demo user Alex administers. */
const GUILD = '100000000000000001';
const TAB = `/dashboard/${GUILD}/webhooks`;
const CHANNEL_URL = `https://discord.com/api/webhooks/${CHANNEL_ID}/${CHANNEL_TOKEN}`;
const site = await useSite();
await site.store.guilds.add({ guildId: GUILD, name: 'Demo Community', createdAt: site.clock() });

async function openTab(t: TestContext, visit: Visit): Promise<Page> {
  for (const { endpointId } of await site.store.webhooks.listEndpoints(GUILD))
    await site.store.webhooks.removeEndpoint(GUILD, endpointId);
  return site.open(t, TAB, { signedInAs: 'Alex', ...visit });
}

for (const [name, visit] of [
  ['with scripts', {}],
  ['without scripts, on a phone', { hasJavaScript: false, width: 360 }],
] as const) {
  test(`the URL of a channel in the wrong form becomes a channel with one click: ${name}`, async (t) => {
    const page = await openTab(t, visit);
    await page.getByLabel('Receiver URL').fill(CHANNEL_URL);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('alert').filter({ hasText: 'webhook of a Discord channel' }).waitFor();
    await page.getByRole('button', { name: 'Add channel' }).click();
    await page.getByText('Endpoint added.').waitFor();
    await page.getByRole('heading', { name: `https://discord.com/api/webhooks/${CHANNEL_ID}` }).waitFor();
    assert.ok(!(await page.content()).includes(CHANNEL_TOKEN));
    assert.equal(await page.getByRole('button', { name: 'Reveal secret' }).count(), 0);
    await assertFits(page);

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText('Customize messages').click();
    await page.getByLabel('Vote received', { exact: true }).last().fill('{user} voted {nobody}');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('alert').filter({ hasText: 'a field in braces' }).waitFor();
    await page.getByLabel('Vote received', { exact: true }).last().fill('{user} voted');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
    const [endpoint] = await site.store.webhooks.listEndpoints(GUILD);
    const templates = { vote_received: '{user} voted' };
    assert.deepEqual(endpoint?.destination, { kind: 'discord', language: 'en', templates });
  });

  test(`an admin adds a Minecraft server and sends it a test vote: ${name}`, async (t) => {
    const server = await startVotifierServer({ token: 'a-votifier-token' });
    const page = await openTab(t, visit);
    await page.getByRole('link', { name: 'Minecraft server' }).click();
    await page.getByText('A name has 3 to 16 letters').waitFor();
    await page.getByLabel('Server address').fill(server.address);
    await page.getByLabel('Token').fill('a-votifier-token');
    await page.getByRole('button', { name: 'Add server' }).click();
    await page.getByText('Endpoint added.').waitFor();
    await page.getByRole('button', { name: 'Send test vote' }).click();
    await page.getByRole('status').filter({ hasText: 'Test delivered: accepted' }).waitFor();
    assert.equal(server.votes[0]?.username, 'Votary_Test');
    await assertFits(page);
  });
}

for (const [name, visit] of Object.entries(VISITS)) {
  test(`the forms and cards of channels and servers are accessible and do not overflow: ${name}`, async (t) => {
    const page = await openTab(t, visit);
    for (const [kind, fields] of [
      ['discord', { url: CHANNEL_URL }],
      ['votifier', { url: '127.0.0.1:1029', token: 'x' }],
    ] as const) {
      await page.goto(`${TAB}?kind=${kind}`);
      for (const summary of await page.locator('form details summary').all()) await summary.click();
      await assertSound(page);
      for (const [field, value] of Object.entries(fields)) await page.locator(`#${field}`).fill(value);
      await page.locator('.add-form button').click();
      await page.waitForURL(/done=destination-added/);
    }
    await assertSound(page);
    const endpoints = await site.store.webhooks.listEndpoints(GUILD);
    for (const { endpointId, destination } of endpoints) {
      await page.goto(`${TAB}/${endpointId}/edit`);
      await assertSound(page);
      if (destination.kind !== 'votifier') continue;
      await page.goto(TAB);
      await page.locator(`form[action*="/${endpointId}/test"] button`).click();
      await page.locator(`#${endpointId} [role=status]`).waitFor();
      await assertSound(page);
    }
  });
}
