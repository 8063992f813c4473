import { HOUR_MS } from '../../../src/domain/clock.ts';
import { issueKey } from '../../../src/store/guilds.ts';
import { assertAccessible, assertSound, VISITS } from '../../support/browser/axe.ts';
import { test, useSite } from '../../support/browser/browser.ts';

const GUILD = '100000000000000001';
const site = await useSite();

const PAGES = [
  '',
  '/key',
  '/key/regenerate',
  '/votes',
  '/votes?user=wrong',
  '/votes?user=1&external_id=Steve_42',
  '/settings',
  '/activity',
];

await seed();

async function seed(): Promise<void> {
  const now = site.clock();
  await site.store.guilds.add({ guildId: GUILD, name: 'Demo Community', createdAt: now });
  await issueKey(site.store, site.secrets, GUILD, now);
  await site.store.activities.record({ guildId: GUILD, at: now, actor: null, action: 'key_generated' });
  await site.store.guilds.setSanction(GUILD, { since: now, reason: 'A test of the notice' });
  const vote = { guildId: GUILD, userId: '200000000000000001', externalId: 'Steve_42', isDoubled: true };
  await site.store.votes.import(
    (async function* () {
      yield Array.from({ length: 60 }, (_, index) => ({ ...vote, castAt: now - (index + 1) * 11 * HOUR_MS }));
    })(),
    now,
  );
  const window = { after: now - 30 * HOUR_MS, until: now };
  const identity = { userId: vote.userId };
  const claim = { guildId: GUILD, identity, window, oneRewardPerName: true, now, idempotency: null };
  await site.store.claims.claim({ ...claim, render: () => '' });
}

for (const [name, visit] of Object.entries(VISITS)) {
  test(`the dashboard has no accessibility errors and does not overflow: ${name}`, async (t) => {
    const page = await site.open(t, '/dashboard', { signedInAs: 'Alex', ...visit });
    for (const path of ['/dashboard', ...PAGES.map((tab) => `/dashboard/${GUILD}${tab}`)]) {
      await page.goto(path);
      if (path === `/dashboard/${GUILD}`) {
        for (const summary of await page.locator('summary').all()) await summary.click();
      }
      await assertSound(page);
    }
    await page.goto(`/dashboard/${GUILD}/key`);
    await page.locator('form[action$="/key/reveal"] button').click();
    await page.locator('#key').waitFor();
    await assertAccessible(page);
  });
}

test('the page of a user without a community is accessible', async (t) => {
  const page = await site.open(t, '/dashboard', { signedInAs: 'Sam' });
  await assertAccessible(page);
});

for (const [name, visit] of Object.entries(VISITS)) {
  test(`the confirmation before releasing a claim is accessible and does not overflow: ${name}`, async (t) => {
    await site.store.guilds.setSanction(GUILD, null);
    const page = await site.open(t, `/dashboard/${GUILD}/votes`, { signedInAs: 'Alex', ...visit });
    await page.locator('a[href*="/votes/release"]').click();
    await page.locator('form[action$="/votes/release"] button').waitFor();
    await assertSound(page);
  });
}
