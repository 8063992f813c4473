/**
 * Seeds a demo guild, so that `npm start` has data to show on an empty database.
 *
 *   const demo = await seedDemo(store, secrets, clock);
 */
import type { Config } from './config.ts';
import { isLoopbackHost } from './domain/address.ts';
import { type Clock, DAY_MS, HOUR_MS, type Instant } from './domain/clock.ts';
import type { GuildProfile } from './domain/guild.ts';
import type { Secrets } from './domain/secrets.ts';
import { isDoubledAt, recentWindow, type Vote } from './domain/votes/vote.ts';
import { issueKey, revealKey } from './store/guilds/guilds.ts';
import type { Store } from './store/store.ts';

/** What a caller needs to use the API as the demo guild. */
export type DemoGuild = { guildId: string; name: string; key: string; userId: string; externalId: string };

const GUILD_ID = '100000000000000001';
const GUILD_NAME = 'Demo Community';
const DOUBLING = 'weekends';
const PROFILE: GuildProfile = {
  description:
    'A friendly place to try Votary: vote once an hour, collect rewards and climb the leaderboard.',
  tags: ['demo', 'minecraft', 'community'],
  language: 'en',
  invite: null,
  about:
    'This community shows what Votary can do. Nothing here is real: vote as often as the rules allow, and reset the demo by deleting its folder.\n\nEvery vote counts for the ranking of the month.',
  links: ['https://example.org/'],
};
const USER_ID = sampleUserId(0);
const EXTERNAL_ID = 'Steve_42';

const PREMIUM_DAYS = 365;
const SAMPLE_DAYS = 45;
const SAMPLE_USERS = 40;
/** The names of every seventh user. These vote more often than the others and appear by name on the leaderboard. */
const NAMED_USERS = ['Steve', 'Camille', 'Noor', 'Robin', 'Jules', 'Mika'];

/** A proxy or a public URL makes the service reachable for others, even if it listens on loopback only. */
export function isOwnMachine({ host, trustedProxies, publicUrl }: Config): boolean {
  const isPublished = publicUrl !== null && !isLoopbackHost(new URL(publicUrl).hostname);
  return isLoopbackHost(host) && trustedProxies === null && !isPublished;
}

/**
 * Whether this is the guild of a demo that runs on this machine. Its webhooks may be sent to this machine, by
 * `serve --demo` and by commands.
 */
export function isDemoGuild(guildId: string, config: Config): boolean {
  return guildId === GUILD_ID && config.discord === null && isOwnMachine(config);
}

/**
 * Creates the demo guild if the database has no guilds, and makes sure that its first user has voted within the last
 * hour. Returns `undefined`, without changes, if the database belongs to other guilds.
 */
export async function seedDemo(store: Store, secrets: Secrets, clock: Clock): Promise<DemoGuild | undefined> {
  const now = clock();
  const guilds = await store.guilds.list();
  if (guilds.length === 0) await createDemoGuild(store, now);
  else if (!guilds.some((guild) => guild.guildId === GUILD_ID)) return undefined;
  const key = await showableKey(store, secrets, now);
  if (key === undefined) return undefined;
  await castRecentVote(store, now);
  return { guildId: GUILD_ID, name: GUILD_NAME, key, userId: USER_ID, externalId: EXTERNAL_ID };
}

async function createDemoGuild(store: Store, now: Instant): Promise<void> {
  await store.guilds.add({ guildId: GUILD_ID, name: GUILD_NAME, createdAt: now });
  await store.guilds.setPremiumUntil(GUILD_ID, now + PREMIUM_DAYS * DAY_MS);
  await store.guilds.setDoubling(GUILD_ID, DOUBLING);
  await store.profiles.set(GUILD_ID, PROFILE);
  await store.votes.import(sampleBatches(now), now);
  for (const [index, name] of NAMED_USERS.entries()) {
    const userId = sampleUserId(index * 7);
    await store.users.remember({ userId, name, avatar: null }, now);
    await store.users.setShowName(userId, true);
  }
}

/** The demo needs a key it can show: a revoked one, or one encrypted with a lost secret, is replaced. */
async function showableKey(store: Store, secrets: Secrets, now: Instant): Promise<string | undefined> {
  const revealed = await revealKey(store, secrets, GUILD_ID);
  if (revealed.shown) return revealed.key;
  await store.activities.record({ guildId: GUILD_ID, at: now, actor: null, action: 'key_generated' });
  return issueKey(store, secrets, GUILD_ID, now);
}

async function castRecentVote(store: Store, now: Instant): Promise<void> {
  const latest = await store.votes.latestOfExternalId(GUILD_ID, EXTERNAL_ID, recentWindow(now));
  if (latest?.userId === USER_ID) return;
  await store.votes.cast(sampleVote(0, now));
}

async function* sampleBatches(now: Instant): AsyncGenerator<Vote[]> {
  yield sampleVotes(now);
}

/**
 * Deterministic for a given `now`: each user votes on some days, at most once a day, and never in the last two hours,
 * so the vote cast at startup is always accepted.
 */
export function sampleVotes(now: Instant): Vote[] {
  const votes: Vote[] = [];
  for (let user = 0; user < SAMPLE_USERS; user += 1) {
    for (let day = 1; day <= SAMPLE_DAYS; day += 1) {
      const hash = scramble(user * SAMPLE_DAYS + day);
      // Users vote every 2nd to every 8th day.
      if (hash % (2 + (user % 7)) !== 0) continue;
      votes.push(sampleVote(user, now - day * DAY_MS + (hash % (22 * HOUR_MS))));
    }
  }
  return votes;
}

function sampleVote(user: number, castAt: Instant): Vote {
  return {
    guildId: GUILD_ID,
    userId: sampleUserId(user),
    castAt,
    externalId: user === 0 ? EXTERNAL_ID : sampleExternalId(user),
    isDoubled: isDoubledAt(DOUBLING, castAt),
  };
}

/** Two of three users voted through a link with their game name. */
function sampleExternalId(user: number): string | null {
  const names = ['Alex', 'Camille', 'Noor', 'Robin', 'Sam'];
  return user % 3 === 2 ? null : `${names[user % names.length]}_${user}`;
}

function sampleUserId(user: number): string {
  return String(200_000_000_000_000_001n + BigInt(user));
}

/** Hashes small numbers to 32 bits, deterministically. */
function scramble(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  return (bits ^ (bits >>> 16)) >>> 0;
}
