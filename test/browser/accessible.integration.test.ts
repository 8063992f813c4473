import { before } from 'node:test';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { assertAccessible, assertContrastInDark } from '../support/browser/axe.ts';
import { assertFits, test, useSite, type Visit } from '../support/browser/browser.ts';

const site = await useSite();
const GUILD = '300000000000000001';
const VOTED = '300000000000000002';
const VOTE = `/guild/${GUILD}/vote?external_id=Steve_42`;

type Case = { name: string; path: string; visit?: Visit; until?: string };

const PAGES: Case[] = [
  { name: 'the listing', path: '/', until: 'Castle' },
  { name: 'a search without results', path: '/?q=nothing', until: 'No results' },
  { name: 'the voting page of a signed-out visitor', path: VOTE, until: 'Sign in with Discord to vote' },
  { name: 'the voting page', path: VOTE, visit: { signedInAs: 'Alex' }, until: 'One vote per hour' },
  {
    name: 'the voting page after the vote',
    path: `/guild/${VOTED}/vote?external_id=Other&return_to=https://play.example.org`,
    visit: { signedInAs: 'Alex' },
    until: 'Next vote in',
  },
  { name: 'the sign-in page', path: '/sign-in' },
  { name: 'an unknown community', path: '/guild/1/vote', until: 'Community not found' },
  { name: 'an unknown address', path: '/nothing', until: 'Page not found' },
  {
    name: 'an invalid link',
    path: `/guild/${GUILD}/vote?external_id=`,
    until: 'This vote link is not valid',
  },
];

before(async () => {
  const { store, clock } = site;
  const createdAt = clock();
  await store.guilds.add({ guildId: GUILD, name: 'Castle', createdAt });
  await store.guilds.add({ guildId: VOTED, name: 'Tower', createdAt });
  await store.guilds.setDoubling(GUILD, 'always');
  const userId = '200000000000000101';
  await store.votes.cast({
    guildId: VOTED,
    userId,
    castAt: createdAt,
    externalId: 'Steve_42',
    isDoubled: true,
  });
  // The listing was read when the service started.
  clock.advance(MINUTE_MS);
});

for (const { name, path, visit, until } of PAGES) {
  test(`${name} is accessible in light and dark mode, and fits a phone`, async (t) => {
    const page = await site.open(t, path, { ...visit, width: 360 });
    if (until !== undefined) await page.getByText(until).first().waitFor();
    await assertFits(page);
    await assertAccessible(page);
    await assertContrastInDark(page);
  });
}
