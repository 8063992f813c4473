/** The pictures in README.md, of the demo with a few more communities. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seedDemo } from '../../src/demo.ts';
import { DAY_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { NO_PROFILE } from '../../src/domain/guild.ts';
import { type StartedSite, startSite, type Visit } from '../../test/support/browser/browser.ts';
import { capture } from './capture.ts';

const GUILD = '100000000000000001';
const VOTE_LINK = `/guild/${GUILD}/vote?external_id=Steve_42&return_to=${encodeURIComponent('https://play.example.org/shop')}`;
const QUALITY = 80;

type Image = { name: string; path: string; visit?: Visit; vote?: boolean };

const IMAGES: Image[] = [
  { name: 'home', path: '/' },
  { name: 'profile', path: `/guild/${GUILD}` },
  { name: 'voted', path: VOTE_LINK, visit: { signedInAs: 'Charlie' }, vote: true },
  { name: 'dashboard', path: `/dashboard/${GUILD}`, visit: { signedInAs: 'Alex' } },
];

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

export async function takeDocsImages(folder: string): Promise<void> {
  const site = await startSite();
  try {
    await mkdir(folder, { recursive: true });
    // The browser has the real time, and says how long it is until the next vote.
    site.clock.set(Date.now());
    await seed(site);
    for (const image of IMAGES) await take(site, folder, image);
  } finally {
    await site.stop();
  }
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

async function take(site: StartedSite, folder: string, { name, path, visit, vote = false }: Image) {
  const context = await site.newContext({ ...visit, width: 1280 });
  const page = await context.newPage();
  await page.goto(path);
  if (vote) {
    await page.locator('.vote-form button').click();
    await page.locator('[data-countdown]').waitFor();
  }
  await capture(page, await context.newCDPSession(page), join(folder, `${name}.webp`), QUALITY);
  await context.close();
}
