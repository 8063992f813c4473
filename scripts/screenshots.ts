/** Takes pictures of the pages for the documentation: `npm run screenshots` writes them to docs/images/. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seedDemo } from '../src/demo.ts';
import { DAY_MS } from '../src/domain/clock.ts';
import { type StartedSite, startSite, type Visit } from '../test/support/browser.ts';

const FOLDER = join(import.meta.dirname, '../docs/images');
const GUILD = '100000000000000001';

type Picture = { name: string; path: string; visit?: Visit; vote?: boolean };

const VOTE_LINK = `/guild/${GUILD}/vote?external_id=Steve_42&return_to=${encodeURIComponent('https://play.example.org/shop')}`;

const PICTURES: Picture[] = [
  { name: 'home', path: '/' },
  { name: 'home-dark', path: '/', visit: { isDark: true, signedInAs: 'Sam' } },
  { name: 'home-phone', path: '/', visit: { width: 360 } },
  { name: 'vote-signed-out', path: VOTE_LINK },
  { name: 'vote', path: VOTE_LINK, visit: { signedInAs: 'Sam' } },
  { name: 'vote-phone-fr', path: VOTE_LINK, visit: { signedInAs: 'Sam', width: 360, locale: 'fr' } },
  { name: 'voted', path: VOTE_LINK, visit: { signedInAs: 'Charlie' }, vote: true },
  { name: 'voted-dark', path: VOTE_LINK, visit: { signedInAs: 'Charlie', isDark: true } },
  { name: 'voted-phone', path: VOTE_LINK, visit: { signedInAs: 'Charlie', width: 360 } },
  { name: 'sign-in', path: '/sign-in' },
  { name: 'not-found', path: '/guild/1/vote' },
  { name: 'dashboard', path: `/dashboard/${GUILD}`, visit: { signedInAs: 'Alex' } },
  { name: 'dashboard-dark', path: `/dashboard/${GUILD}`, visit: { signedInAs: 'Alex', isDark: true } },
  { name: 'dashboard-phone', path: `/dashboard/${GUILD}`, visit: { signedInAs: 'Alex', width: 360 } },
  { name: 'dashboard-key', path: `/dashboard/${GUILD}/key`, visit: { signedInAs: 'Alex' } },
];

const site = await startSite();
try {
  await mkdir(FOLDER, { recursive: true });
  await seed(site);
  for (const picture of PICTURES) await take(site, picture);
} finally {
  await site.stop();
}

async function seed({ store, clock, secrets }: StartedSite): Promise<void> {
  await seedDemo(store, secrets, clock);
  const names = ['Les Chevaliers', 'Skyblock Legends', 'Retro Gaming Café', 'Pixel & Co', 'Nordlys'];
  for (const [index, name] of names.entries()) {
    const guildId = String(100000000000000010n + BigInt(index));
    await store.guilds.add({ guildId, name, createdAt: clock() });
    await store.votes.import(votesFor(guildId, 260 - index * 57, clock()), clock());
  }
}

async function* votesFor(guildId: string, votes: number, now: number) {
  yield Array.from({ length: votes }, (_, index) => ({
    guildId,
    userId: String(300000000000000000n + BigInt(index)),
    castAt: now - DAY_MS - index,
    externalId: null,
    isDoubled: false,
  }));
}

async function take(site: StartedSite, { name, path, visit, vote = false }: Picture): Promise<void> {
  const context = await site.newContext(visit);
  const page = await context.newPage();
  await page.goto(path);
  if (vote) {
    await page.locator('.vote-form button').click();
    await page.locator('[data-countdown]').waitFor();
  }
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true });
  await context.close();
}
