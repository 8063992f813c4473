import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import { type Guild, isActive } from '../../domain/guild.ts';
import { foldExternalId } from '../../domain/votes/vote.ts';
import { GUILD_COLUMNS, type GuildRow, type GuildStore, toGuild } from '../guilds/guilds.ts';
import { type RateLimit, rateLimitOf } from '../rates.ts';
import { type Admission, type RequestLookup, StoreUnavailableError } from '../store.ts';
import type { VoteStore } from '../votes/votes.ts';
import type { Connections, Queryable } from './connection/connection.ts';
import { nextWindow, type PostgresRateStore } from './rates.ts';

function latest(condition: string): string {
  return `
    SELECT cast_at, is_doubled FROM votes
    WHERE votes.guild_id = found.guild_id AND ${condition}
      AND cast_at > found.queried_after AND cast_at <= found.queried_until
    ORDER BY cast_at DESC, votes.user_id DESC LIMIT 1`;
}

/**
 * Many lookups at once, one row for each, in order. Every part reads an index once per lookup, which LIMIT 1 ensures:
 * guilds_by_key_hash; the primary key of rate_windows; votes_by_user and votes_by_external_id, from their end.
 *
 * A rate key that occurs twice is counted once, by two, at the time of the later lookup, because a row cannot be
 * changed twice in one statement. Rows are locked in one order, so statements can wait for each other but never
 * deadlock.
 */
export const ADMIT = admitSql(`
  counted AS (
    INSERT INTO rate_windows AS kept (caller, hits, resets_at)
    SELECT counted_key, count(*), max(window_end) FROM found GROUP BY counted_key ORDER BY counted_key
    ON CONFLICT (caller) DO UPDATE SET ${nextWindow('excluded.resets_at - $9::bigint')}
    RETURNING caller, hits, resets_at
  )`);

/** The same without writing, for a database that can only be read. The caller counts the requests. */
const FIND = admitSql(`
  counted AS (
    SELECT DISTINCT counted_key AS caller, 0 AS hits, $9::bigint AS resets_at FROM found
  )`);

function admitSql(counted: string): string {
  return `
  WITH lookups AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $10::text[])
      WITH ORDINALITY AS lookup
        (key_hash, rate_key, fallback_rate_key, window_end, queried_user_id, queried_external_id, queried_after, queried_until, queried_name_key, position)
  ),
  found AS (
    SELECT lookups.*, guild.*,
      CASE WHEN guild.guild_id IS NOT NULL AND guild.sanctioned_at IS NULL THEN rate_key ELSE fallback_rate_key END
        COLLATE "C" AS counted_key
    FROM lookups LEFT JOIN LATERAL (
      SELECT ${GUILD_COLUMNS} FROM guilds WHERE guilds.key_hash = lookups.key_hash LIMIT 1
    ) AS guild ON true
  ),
  ${counted}
  SELECT counted.hits, counted.resets_at,
    found.guild_id, name, created_at, doubling, premium_until, sanctioned_at, sanction_reason, one_reward_per_name, player_names, listforge_consumer, unlisted_at, hidden_at, rate_limit, icon_version, has_key,
    coalesce(of_user.cast_at, of_name.cast_at) AS vote_cast_at,
    coalesce(of_user.is_doubled, of_name.is_doubled) AS vote_is_doubled
  FROM found
  JOIN counted ON counted.caller = found.counted_key
  LEFT JOIN LATERAL (${latest('votes.user_id = found.queried_user_id')}) AS of_user ON true
  LEFT JOIN LATERAL (${latest('votes.name_key = found.queried_name_key AND votes.external_id = found.queried_external_id')}) AS of_name ON true
  ORDER BY found.position`;
}

/** Larger batches are split, so statements stay short and each part gets its own connection. */
const MAX_BATCH = 100;

/** How long to count without the database after it refused to store counters. */
const RETRY_COUNTING_MS = 5 * SECOND_MS;

type Waiting = {
  lookup: RequestLookup;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
};

type AdmissionRow = { [Column in keyof GuildRow]: GuildRow[Column] | null } & {
  hits: number;
  resets_at: number;
  vote_cast_at: number | null;
  vote_is_doubled: boolean | null;
};

type Stores = { guilds: GuildStore; votes: VoteStore; rates: PostgresRateStore };

/**
 * `admit` of the store. Lookups of one tick become one statement: on a busy server, a round trip costs the server and
 * the database more than the lookup itself.
 */
export function createAdmit(
  database: Pick<Connections, 'query' | 'dropIdle'>,
  { guilds, votes, rates }: Stores,
): (lookup: RequestLookup) => Promise<Admission> {
  let waiting: Waiting[] = [];
  /** Since the counters could not be written: they are tried again after this instant. */
  let uncountedUntil: Instant = Number.NEGATIVE_INFINITY;

  /** Requests are not refused because they cannot be counted: then this process counts on its own. */
  async function findAll(lookups: RequestLookup[], cause: unknown): Promise<Admission[]> {
    const rows = await send(database, 'find-uncounted', FIND, lookups);
    return rows.map((row, i) => {
      const admission = toAdmission(row);
      const lookup = lookups[i];
      if (!lookup) return admission;
      const rateKey = rateKeyOf(lookup, admission.guild);
      return { ...admission, window: rates.countAlone(rateKey, lookup.limit, lookup.now, cause) };
    });
  }

  async function countAll(lookups: RequestLookup[]): Promise<Admission[]> {
    const admissions = toAdmissions(lookups, await send(database, 'admit', ADMIT, lookups));
    for (const [i, { guild, window }] of admissions.entries()) {
      const lookup = lookups[i];
      if (lookup) rates.noteWindow(rateKeyOf(lookup, guild), window, limitOf(lookup, guild), lookup.now);
    }
    return admissions;
  }

  async function admitAll(lookups: RequestLookup[]): Promise<Admission[]> {
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
  async function countElsewhere(lookups: RequestLookup[], error: unknown): Promise<Admission[]> {
    if (!(error instanceof StoreUnavailableError && error.kind === 'read-only')) throw error;
    await database.dropIdle();
    return countAll(lookups);
  }

  async function sendBatch(): Promise<void> {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      const admissions = await admitAll(batch.map(({ lookup }) => lookup));
      for (const [i, { resolve }] of batch.entries()) {
        const admission = admissions[i];
        if (admission) resolve(admission);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

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
    if (waiting.length === MAX_BATCH || !fitsBatch(waiting[0], lookup)) void sendBatch();
    const { promise, resolve, reject } = Promise.withResolvers<Admission>();
    if (waiting.push({ lookup, resolve, reject }) === 1) queueMicrotask(sendBatch);
    return promise;
  };
}

/** Rows and lookups are matched by position, so all of them must be present. */
async function send(
  database: Queryable,
  name: string,
  text: string,
  lookups: RequestLookup[],
): Promise<AdmissionRow[]> {
  const { rows } = await database.query<AdmissionRow>({ name, text, values: valuesOf(lookups) });
  if (rows.length !== lookups.length) throw new Error('the database did not answer every lookup');
  return rows;
}

/** Whether the database can be read but not written. */
function isWriteRefused(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.kind !== 'unreachable';
}

/** The statement takes one window length for all lookups. */
function fitsBatch(first: Waiting | undefined, { limit }: RequestLookup): boolean {
  return first === undefined || first.lookup.limit.windowMs === limit.windowMs;
}

/** Transposed into columns for the statement. */
function valuesOf(lookups: RequestLookup[]): unknown[] {
  return [
    lookups.map(({ keyHash }) => keyHash),
    lookups.map(({ rateKey }) => rateKey),
    lookups.map(({ fallbackRateKey }) => fallbackRateKey),
    lookups.map(({ now, limit }) => now + limit.windowMs),
    lookups.map(({ voteQuery }) => (voteQuery && 'userId' in voteQuery ? voteQuery.userId : null)),
    lookups.map(({ voteQuery }) => (voteQuery && 'externalId' in voteQuery ? voteQuery.externalId : null)),
    lookups.map(({ voteQuery }) => voteQuery?.window.after ?? null),
    lookups.map(({ voteQuery }) => voteQuery?.window.until ?? null),
    lookups[0]?.limit.windowMs,
    lookups.map(({ voteQuery }) =>
      voteQuery && 'externalId' in voteQuery ? foldExternalId(voteQuery.externalId) : null,
    ),
  ];
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
function toAdmissions(lookups: RequestLookup[], rows: AdmissionRow[]): Admission[] {
  const admissions = rows.map(toAdmission);
  const countedLater = new Map<string, number>();
  for (const [i, admission] of [...admissions.entries()].reverse()) {
    const lookup = lookups[i];
    if (!lookup) continue;
    const rateKey = rateKeyOf(lookup, admission.guild);
    const later = countedLater.get(rateKey) ?? 0;
    admission.window.hits -= later;
    countedLater.set(rateKey, later + 1);
  }
  return admissions;
}

function rateKeyOf({ rateKey, fallbackRateKey }: RequestLookup, guild: Guild | undefined): string {
  return guild && isActive(guild) ? rateKey : fallbackRateKey;
}

/** A guild that is not active is counted under the fallback key, and its limit does not apply. */
function limitOf({ limit }: RequestLookup, guild: Guild | undefined): RateLimit {
  return guild && isActive(guild) ? rateLimitOf(guild, limit) : limit;
}

function toAdmission(row: AdmissionRow): Admission {
  return {
    guild: isGuildRow(row) ? toGuild(row) : undefined,
    window: { hits: row.hits, resetsAt: row.resets_at },
    vote:
      row.vote_cast_at === null
        ? undefined
        : { castAt: row.vote_cast_at, isDoubled: row.vote_is_doubled === true },
  };
}

function isGuildRow(row: object): row is GuildRow {
  return 'guild_id' in row && row.guild_id !== null;
}
