/** A walk through the whole tab. test/site/dashboard/webhooks tests each of its steps without a browser. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { assertFits, test, textOf, useSite, type Visit } from '../../support/browser/browser.ts';
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts';

/** The guild that the demo user Alex administers. */
const GUILD = '100000000000000001';
const TAB = `/dashboard/${GUILD}/webhooks`;
const site = await useSite();
await site.store.guilds.add({ guildId: GUILD, name: 'Demo Community', createdAt: site.clock() });

/** The tab of a guild without endpoints, after all cooldowns have ended. */
async function openTab(t: TestContext, visit: Visit = {}): Promise<Page> {
  site.clock.advance(2 * HOUR_MS);
  for (const { endpointId } of await site.store.webhooks.listEndpoints(GUILD))
    await site.store.webhooks.removeEndpoint(GUILD, endpointId);
  return site.open(t, TAB, { signedInAs: 'Alex', ...visit });
}

async function addEndpoint(page: Page, url: string): Promise<void> {
  await page.getByLabel('Receiver URL').fill(url);
  await page.getByLabel('Vote received').check();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByText('Endpoint added.').waitFor();
}

async function revealSecret(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Reveal secret' }).click();
  const secret = await textOf(page.locator('code[id$="-secret"]'));
  assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/);
  return secret;
}

/** Votes on the voting page, then reloads the log until it shows the result. */
async function voteAndFindInLog(page: Page, receiver: Receiver, state: string): Promise<string> {
  const before = receiver.received.length;
  await page.goto(`/guild/${GUILD}/vote`);
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await page.getByText('Your vote has been counted').waitFor();
  await receiver.untilReceived(before + 1);
  await page.goto(TAB);
  const row = page.getByRole('row').filter({ hasText: 'vote_received' }).first();
  // The receiver gets it a moment before the log is updated.
  while (!(await textOf(row)).includes(state)) {
    await page.getByRole('link', { name: 'Refresh' }).click();
    await page.waitForLoadState();
  }
  return textOf(row);
}

for (const [name, visit] of [
  ['with scripts', {}],
  ['without scripts, on a phone', { hasJavaScript: false, width: 360 }],
] as const) {
  test(`an admin adds an endpoint, tests it, sees a vote arrive, rotates its secret and removes it: ${name}`, async (t) => {
    const receiver = await startReceiver();
    const page = await openTab(t, visit);
    await addEndpoint(page, receiver.url);
    await assertFits(page);

    await page.getByRole('button', { name: 'Send test' }).click();
    const result = page.getByRole('status').filter({ hasText: 'Test delivered:' });
    assert.match(await textOf(result), /status 200, 0 ms Start of the response: ?thank you evt_/);
    assert.equal(JSON.parse(receiver.received[0]?.body ?? '').type, 'webhook_test');
    await assertFits(page);
    // Neither reloading nor going back submits the form again.
    await page.reload();
    await result.waitFor();
    await page.goBack();
    await page.getByText('Endpoint added.').waitFor();
    assert.equal(receiver.received.length, 1);

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name (optional)').fill('Main bot');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Main bot' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused since').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Pending events are being sent').waitFor();
    await page.getByLabel('Test event to send').selectOption('vote_received');
    await page.getByRole('button', { name: 'Send test' }).click();
    await result.waitFor();
    assert.equal(JSON.parse(receiver.received[1]?.body ?? '').data.test, true);
    await assertFits(page);

    const row = await voteAndFindInLog(page, receiver, 'Delivered');
    assert.match(row, /attempt 1, status 200, 0 ms thank you/);
    const voted = receiver.received.at(-1);
    assert.equal(JSON.parse(voted?.body ?? '').data.user_id, '200000000000000101');
    await assertFits(page);

    await page
      .getByRole('button', { name: /^Resend evt_\w+$/ })
      .first()
      .click();
    await page.getByText('1 delivery queued.').waitFor();
    await receiver.untilReceived(4);
    assert.equal(receiver.received[3]?.headers['webhook-id'], voted?.headers['webhook-id']);

    const secret = await revealSecret(page);
    await page.getByRole('link', { name: 'Rotate secret' }).click();
    await page.getByText('In 24 hours: both secrets are valid until then').waitFor();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('A new secret is active').waitFor();
    assert.notEqual(await revealSecret(page), secret);

    await page.getByRole('link', { name: 'Remove' }).click();
    await page.getByText('No more events will be sent to it.').waitFor();
    await page.getByRole('button', { name: 'Remove now' }).click();
    await page.getByText('Endpoint removed.').waitFor();
    await page.getByRole('heading', { name: 'Add an endpoint' }).waitFor();
    assert.deepEqual(await site.store.webhooks.listEndpoints(GUILD), []);
  });
}
