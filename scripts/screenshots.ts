/** Takes screenshots of the pages for the documentation: `npm run screenshots` writes them to docs/images/. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seedDemo } from '../src/demo.ts';
import { DAY_MS, MINUTE_MS } from '../src/domain/clock.ts';
import { NO_PROFILE } from '../src/domain/guild.ts';
import { type StartedSite, startSite, type Visit } from '../test/support/browser/browser.ts';

const FOLDER = join(import.meta.dirname, '../docs/images');
const GUILD = '100000000000000001';

type Picture = { name: string; path: string; visit?: Visit; vote?: boolean };

const VOTE_LINK = `/guild/${GUILD}/vote?external_id=Steve_42&return_to=${encodeURIComponent('https://play.example.org/shop')}`;

const COMMUNITIES = [
  {
    name: 'Les Chevaliers',
    description: 'Serveur médiéval francophone : guildes, quêtes et tournois chaque week-end.',
    tags: ['roleplay', 'medieval'],
    language: 'fr' as const,
  },
  {
    name: 'Skyblock Legends',
    description: 'Islands, bosses and a player-run economy.',
    tags: ['skyblock', 'economy'],
    language: 'en' as const,
  },
  {
    name: 'Retro Gaming Café',
    description: 'Friday LAN evenings and high-score tables.',
    tags: ['retro'],
    language: 'en' as const,
  },
  { name: 'Pixel & Co', description: '', tags: ['art'], language: 'fr' as const },
  { name: 'Nordlys', description: 'Build together under northern lights.', tags: [], language: null },
];

const PICTURES: Picture[] = [
  { name: 'home', path: '/' },
  { name: 'home-dark', path: '/', visit: { isDark: true, signedInAs: 'Sam' } },
  { name: 'home-phone', path: '/', visit: { width: 360 } },
  { name: 'profile', path: `/guild/${GUILD}` },
  { name: 'profile-phone', path: `/guild/${GUILD}`, visit: { width: 360, isDark: true } },
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
  { name: 'operator', path: '/operator', visit: { signedInAs: 'Alex' } },
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
  for (const [index, { name, ...profile }] of COMMUNITIES.entries()) {
    const guildId = String(100000000000000010n + BigInt(index));
    await store.guilds.add({ guildId, name, createdAt: clock() });
    await store.profiles.set(guildId, { ...NO_PROFILE, ...profile });
    await store.votes.import(votesFor(guildId, 260 - index * 57, clock()), clock());
  }
  // The listing was read when the service started.
  clock.advance(MINUTE_MS);
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
