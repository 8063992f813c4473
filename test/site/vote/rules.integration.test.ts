import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { DAY_MS, type Instant } from '../../../src/domain/clock.ts';
import { NO_PROFILE } from '../../../src/domain/guild.ts';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { NO_RULES } from '../../../src/store/moderation/integrity.ts';
import { revokePreviousLinkSecret, rotateLinkSecret } from '../../../src/store/moderation/link-secrets.ts';
import { openVoting } from './voters.ts';

/** The id of an account that was created then. */
function accountFrom(createdAt: Instant): string {
  return String(BigInt(createdAt - 1_420_070_400_000) << 22n);
}

test('an account can vote from its seventh day on, and sees when before that', async (t) => {
  const scene = await openVoting(t);
  const userId = accountFrom(scene.clock() - 7 * DAY_MS + 1000);
  const voter = await scene.voter({ userId });
  const page = await voter.open();
  assert.equal(page.status, 200);
  assert.match(page.text, /too new to vote.*You can vote <time[^>]*>in 1 min \(12:00\sPM UTC\)</s);
  assert.match(page.text, /href="\/sign-in\?back=[^"]+"[^>]*>Use another Discord account/);
  assert.doesNotMatch(page.text, /class="vote-form"/);
  const refused = await voter.vote();
  assert.deepEqual([refused.status, /too new to vote/.test(refused.text)], [403, true]);
  const french = await scene.voter({ userId, headers: { 'accept-language': 'fr' } });
  assert.match(
    (await french.vote()).text,
    /trop récent pour voter.*Vous pourrez voter <time[^>]*>dans 1\smin \(12:00\sUTC\)</s,
  );
  scene.clock.advance(1000);
  assert.equal((await voter.vote()).status, 303);
  assert.match(await scene.metrics.text(), /votary_vote_refusals_total\{reason="young_account"\} 2/);
});

test('the minimum age is the larger of those of the site and the guild; 0 requires none', async (t) => {
  const scene = await openVoting(t, { minAccountAgeDays: 0 });
  let accounts = 0;
  const tenDays = () => {
    accounts += 1;
    return scene.voter({ userId: accountFrom(scene.clock() - 10 * DAY_MS + accounts) });
  };
  const newcomer = await scene.voter({ userId: accountFrom(scene.clock()) });
  assert.equal((await newcomer.vote()).status, 303);
  await scene.store.integrity.setRules(scene.guildId, { ...NO_RULES, minAccountAgeDays: 30 });
  assert.equal((await (await tenDays()).vote()).status, 403);
  await scene.store.integrity.setRules(scene.guildId, { ...NO_RULES, minAccountAgeDays: 9 });
  assert.equal((await (await tenDays()).vote()).status, 303);
});

test('an account that is days too young sees the date', async (t) => {
  const scene = await openVoting(t);
  const voter = await scene.voter({ userId: accountFrom(scene.clock() - 2 * DAY_MS) });
  assert.match((await voter.open()).text, /You can vote <time[^>]*>on Nov 20, 2026, 12:00\sPM UTC</);
});

test('if only members can vote, others are asked to join, and can check again', async (t) => {
  const scene = await openVoting(t);
  await scene.store.integrity.setRules(scene.guildId, { ...NO_RULES, membersOnly: true });
  const voter = await scene.voter();
  const path = `/guild/${scene.guildId}/vote`;
  const closed = (await voter.open()).text;
  assert.match(closed, /Only members of this community can vote/);
  assert.ok(
    closed.includes(`<a class="button large" href="${path}" rel="noopener">I’ve joined, check again</a>`),
  );
  const invite = 'https://discord.gg/abc';
  await scene.store.profiles.set(scene.guildId, { ...NO_PROFILE, invite });
  const { text } = await voter.open();
  assert.match(text, /class="button large" href="https:\/\/discord\.gg\/abc"[^>]*>Join on Discord</);
  assert.match(
    text,
    /class="button large secondary"[^>]*>I’ve joined, check again<.*>Use another Discord account</s,
  );
  assert.equal((await voter.vote()).status, 403);
  const demoGuild = '100000000000000001';
  await scene.store.guilds.add({ guildId: demoGuild, name: 'Demo', createdAt: scene.clock() });
  await scene.store.integrity.setRules(demoGuild, { ...NO_RULES, membersOnly: true });
  const sam = await scene.voter({ userId: '200000000000000102', guildId: demoGuild });
  assert.equal((await sam.vote()).status, 303);
});

function sign(secret: string, guildId: string, expires: number, externalId = ''): string {
  const signature = createHmac('sha256', secret).update(`v1.${guildId}.${expires}.${externalId}`);
  const name = externalId ? `external_id=${encodeURIComponent(externalId)}&` : '';
  return `?${name}expires=${expires}&signature=${signature.digest('base64url')}`;
}

test('if links must be signed, a link works with its signature until it expires', async (t) => {
  const scene = await openVoting(t);
  const { store, guildId, clock } = scene;
  const secrets = deriveSecrets('a master secret for tests');
  const secret = await rotateLinkSecret(store, secrets, guildId, clock());
  assert.match(secret, /^vls_[\w-]{43}$/);
  await store.integrity.setRules(guildId, { ...NO_RULES, signedLinksOnly: true });
  const expires = clock() / 1000 + 60;
  const good = sign(secret, guildId, expires, 'Stéve & Co');
  const voter = await scene.voter();
  for (const [query, reason] of [
    ['', /only accepts votes through its own links/],
    [`?expires=${expires}`, /only accepts votes through its own links/],
    [good.replace('Co', 'Ca'), /does not work/],
    [good.replace(String(expires), String(expires + 1)), /does not work/],
    [sign('vls_wrong', guildId, expires), /does not work/],
    [sign(secret, '300000000000000009', expires), /does not work/],
    [sign(secret, guildId, clock() / 1000), /has expired/],
  ] as const) {
    for (const { status, text } of [await voter.open(query), await voter.vote({}, query)]) {
      assert.deepEqual([status, reason.test(text)], [400, true], query);
    }
    assert.match((await voter.open(query)).text, /href="\/guild\/\d+">See the community</);
  }
  assert.match((await voter.open(good)).text, /signature=/);
  const answer = await voter.vote({}, good);
  assert.equal(answer.status, 303);
  assert.ok(String(answer.headers.location).endsWith(good.slice(good.indexOf('expires'))));
  clock.advance(60_000);
  assert.match((await voter.open(good)).text, /Your vote has been counted/);
  assert.match(await scene.metrics.text(), /votary_vote_refusals_total\{reason="bad_link"\} 7/);
});

test('the previous secret stays valid for a week, or until it is revoked', async (t) => {
  const { store, guildId, clock, voter } = await openVoting(t);
  const secrets = deriveSecrets('a master secret for tests');
  await store.integrity.setRules(guildId, { ...NO_RULES, signedLinksOnly: true });
  const old = await rotateLinkSecret(store, secrets, guildId, clock());
  const current = await rotateLinkSecret(store, secrets, guildId, clock());
  const statusOf = async (secret: string) =>
    (await (await voter()).open(sign(secret, guildId, clock() / 1000 + 60))).status;
  assert.deepEqual([await statusOf(old), await statusOf(current)], [200, 200]);
  clock.advance(7 * DAY_MS);
  assert.deepEqual([await statusOf(old), await statusOf(current)], [400, 200]);
  const newest = await rotateLinkSecret(store, secrets, guildId, clock());
  assert.deepEqual([await statusOf(current), await statusOf(newest)], [200, 200]);
  await revokePreviousLinkSecret(store, guildId);
  assert.deepEqual([await statusOf(current), await statusOf(newest)], [400, 200]);
});
