import assert from 'node:assert/strict';
import { MARK_BITS } from '../../src/domain/votes/marks.ts';
import { createBatchId } from '../../src/domain/votes/voids.ts';
import { assertAccessible, assertSound, VISITS } from '../support/browser/axe.ts';
import { test, useSite } from '../support/browser/browser.ts';

const GUILD = '100000000000000001';
const USER = '200000000000000001';
const site = await useSite();
const castAt = site.clock();

const PAGES = [
  '',
  '/communities',
  `/communities/${GUILD}`,
  '/unusual',
  `/void?guild_id=${GUILD}&at=${castAt}&user_id=${USER}`,
  '/voided',
  '/bans',
  '/ban?user_id=200000000000000009',
  '/ban?user_id=wrong',
  '/log',
];

await seed();

async function seed(): Promise<void> {
  const { store } = site;
  await store.guilds.add({ guildId: GUILD, name: 'A community with a rather long name', createdAt: castAt });
  const vote = { guildId: GUILD, userId: USER, castAt, externalId: 'Steve_42', isDoubled: false };
  await store.votes.cast(vote, { marks: MARK_BITS.young_account | MARK_BITS.busy_network, network: null });
  const other = { ...vote, userId: '200000000000000002' };
  await store.votes.cast(other, { marks: MARK_BITS.shared_name, network: null });
  const period = { from: castAt, to: castAt + 1 };
  const batch = { batch: createBatchId(), reason: 'A farm of scripted accounts', voidedAt: castAt };
  await store.moderation.void({ guildId: GUILD, selection: { userId: other.userId }, period, ...batch });
  await store.moderation.ban({ userId: USER, since: castAt, until: null, reason: 'A test of the list' });
  await store.audit.record({
    at: castAt,
    actor: null,
    action: 'votes_voided',
    guildId: GUILD,
    detail: { votes: 1, ...batch },
  });
}

for (const [name, visit] of Object.entries(VISITS)) {
  test(`the operator console has no accessibility errors and does not overflow: ${name}`, async (t) => {
    const page = await site.open(t, '/operator', { signedInAs: 'Alex', ...visit });
    for (const path of PAGES) {
      await page.goto(`/operator${path}`);
      await assertSound(page);
    }
    await page.goto(`/dashboard/${GUILD}`);
    await page.locator('.unusual-chart').waitFor();
    await assertAccessible(page);
  });
}

test('an operator voids an unusual vote and restores it, without scripts', async (t) => {
  const page = await site.open(t, '/operator/unusual', { signedInAs: 'Alex', hasJavaScript: false });
  await page.locator('a[href^="/operator/void?"]').first().click();
  await page.locator('form[action="/operator/void"] button').click();
  await page.locator('.notice.good').waitFor();
  assert.equal((await site.store.votes.recent(GUILD, null, null, 10)).length, 0);
  await page.locator('form[action$="/restore"] button').first().click();
  await page.locator('.notice.good').waitFor();
  assert.equal((await site.store.votes.recent(GUILD, null, null, 10)).length, 1);
});
