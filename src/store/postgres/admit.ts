import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import { type AdmittedGuild, isActive } from '../../domain/guild.ts';
import type { GuildStore } from '../guilds/guilds.ts';
import { type RateLimit, rateLimitOf } from '../rates.ts';
import { type Admission, type RequestLookup, StoreUnavailableError } from '../store.ts';
import type { VoteStore } from '../votes/votes.ts';
import { createAdmitStatements } from './admit-statement.ts';
import { Batches } from './batches.ts';
import type { Connections } from './connection/connection.ts';
import type { PostgresRateStore } from './rates.ts';

/** How long to count without the database after it refused to store counters. */
const RETRY_COUNTING_MS = 5 * SECOND_MS;

type Stores = { guilds: GuildStore; votes: VoteStore; rates: PostgresRateStore };

/**
 * `admit` of the store. Lookups that arrive together become one statement: on a busy server, a round trip costs the
 * server and the database more than the lookup itself.
 */
export function createAdmit(
  database: Pick<Connections, 'queryArrays' | 'leaveShared' | 'dropIdle' | 'track'>,
  { guilds, votes, rates }: Stores,
): (lookup: RequestLookup) => Promise<Admission> {
  const statements = createAdmitStatements(database);
  /** Since the counters could not be written: they are tried again after this instant. */
  let uncountedUntil: Instant = Number.NEGATIVE_INFINITY;

  /** Requests are not refused because they cannot be counted: then this process counts on its own. */
  async function findAll(lookups: readonly RequestLookup[], cause: unknown): Promise<Admission[]> {
    const admissions = await statements.find(lookups);
    for (const [i, admission] of admissions.entries()) {
      const lookup = lookups[i];
      if (!lookup) continue;
      const rateKey = rateKeyOf(lookup, admission.guild);
      admission.window = rates.countAlone(rateKey, lookup.limit, lookup.now, cause);
    }
    return admissions;
  }

  async function countAll(lookups: readonly RequestLookup[]): Promise<Admission[]> {
    const admissions = await statements.count(lookups);
    giveEachItsCount(lookups, admissions);
    for (const [i, { guild, window }] of admissions.entries()) {
      const lookup = lookups[i];
      if (lookup) rates.noteWindow(rateKeyOf(lookup, guild), window, limitOf(lookup, guild), lookup.now);
    }
    return admissions;
  }

  async function admitAll(lookups: readonly RequestLookup[]): Promise<Admission[]> {
    const now = lookups[0]?.now ?? 0;
    if (now < uncountedUntil) return findAll(lookups, undefined);
    try {
      return await countAll(lookups).catch((error: unknown) => countElsewhere(lookups, error));
    } catch (error) {
      if (!isWriteRefused(error)) throw error;
      uncountedUntil = now + RETRY_COUNTING_MS;
      return findAll(lookups, error);
    }
  }

  /** The connections may lead to a server that has become a standby, while another one accepts writes. */
  async function countElsewhere(lookups: readonly RequestLookup[], error: unknown): Promise<Admission[]> {
    if (!(error instanceof StoreUnavailableError && error.kind === 'read-only')) throw error;
    await database.dropIdle();
    return countAll(lookups);
  }

  const batches = new Batches({
    run: admitAll,
    // The statement takes one window length for all lookups.
    fits: (first, { limit }: RequestLookup) => first.limit.windowMs === limit.windowMs,
    onSlow: () => database.leaveShared(),
    track: (work) => database.track(work),
  });

  /** One at a time, without the query for callers that are blocked. */
  async function admitAlone(lookup: RequestLookup): Promise<Admission> {
    const guild = await guilds.findByKeyHash(lookup.keyHash);
    const rateKey = rateKeyOf(lookup, guild);
    const limit = limitOf(lookup, guild);
    const isBlocked = rates.isBlocked(rateKey, lookup.now, limit);
    const vote = guild && !isBlocked ? await findVote(votes, guild.guildId, lookup.voteQuery) : undefined;
    return { guild, vote, window: await rates.hit(rateKey, limit, lookup.now) };
  }

  return (lookup) => {
    const { rateKey, fallbackRateKey, now } = lookup;
    // Skip batching for blocked callers: `hit` leaves their counters alone.
    if (rates.isBlocked(rateKey, now) || rates.isBlocked(fallbackRateKey, now)) return admitAlone(lookup);
    return batches.add(lookup);
  };
}

/** Whether the database can be read but not written. */
function isWriteRefused(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.kind !== 'unreachable';
}

async function findVote(
  votes: VoteStore,
  guildId: string,
  query: RequestLookup['voteQuery'],
): Promise<Admission['vote']> {
  if (!query) return undefined;
  if ('userId' in query) return votes.latestOfUser(guildId, query.userId, query.window);
  return votes.latestOfExternalId(guildId, query.externalId, query.window);
}

/** The statement counts all requests of a rate key at once: assign each its own position in that count. */
function giveEachItsCount(lookups: readonly RequestLookup[], admissions: readonly Admission[]): void {
  const countedLater = new Map<string, number>();
  for (let i = lookups.length - 1; i >= 0; i -= 1) {
    const [lookup, admission] = [lookups[i], admissions[i]];
    if (!lookup || !admission) continue;
    const rateKey = rateKeyOf(lookup, admission.guild);
    const later = countedLater.get(rateKey) ?? 0;
    admission.window.hits -= later;
    countedLater.set(rateKey, later + 1);
  }
}

function rateKeyOf({ rateKey, fallbackRateKey }: RequestLookup, guild: AdmittedGuild | undefined): string {
  return guild && isActive(guild) ? rateKey : fallbackRateKey;
}

/** A guild that is not active is counted under the fallback key, and its limit does not apply. */
function limitOf({ limit }: RequestLookup, guild: AdmittedGuild | undefined): RateLimit {
  return guild && isActive(guild) ? rateLimitOf(guild, limit) : limit;
}
