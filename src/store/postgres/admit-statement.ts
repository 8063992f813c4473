/** The statement that `admit` of the store runs for many lookups at once. */
import type { Instant } from '../../domain/clock.ts';
import { foldExternalId } from '../../domain/votes/vote.ts';
import { ADMITTED_COLUMNS, type AdmittedRow, toAdmitted } from '../guilds/guilds.ts';
import type { Admission, RequestLookup } from '../store.ts';
import { arrayOf } from './columns.ts';
import type { Connections } from './connection/connection.ts';
import { nextWindow } from './rates.ts';

/**
 * Counts requests by rate key. One that occurs twice is counted once, by two, at the time of the later lookup, because a
 * row cannot be changed twice in one statement. Rows are locked in one order, so statements can wait for each other but
 * never deadlock. The primary key of rate_windows.
 */
const COUNT = `
    INSERT INTO rate_windows AS kept (caller, hits, resets_at)
    SELECT counted_key, count(*), max(window_end) FROM found GROUP BY counted_key ORDER BY counted_key
    ON CONFLICT (caller) DO UPDATE SET ${nextWindow('excluded.resets_at - $8::bigint')}
    RETURNING caller, hits, resets_at`;

/** For a database that can only be read: the caller counts the requests. */
const COUNT_NOTHING = 'SELECT DISTINCT counted_key AS caller, 0 AS hits, $8::bigint AS resets_at FROM found';

/** Votes by user id: index votes_by_user. */
const BY_USER = {
  values: '',
  arrays: '',
  columns: '',
  joins: latest('of_user', 'votes.user_id = found.queried_user_id'),
  castAt: 'of_user.cast_at',
  isDoubled: 'of_user.is_doubled',
};

/** And by name: index votes_by_external_id. */
const BY_USER_OR_NAME: typeof BY_USER = {
  values: ', $9::text[] AS names, $10::text[] AS name_keys',
  arrays: ', names, name_keys',
  columns: ', queried_external_id, queried_name_key',
  joins: `${BY_USER.joins} ${latest('of_name', 'votes.name_key = found.queried_name_key AND votes.external_id = found.queried_external_id')}`,
  castAt: 'coalesce(of_user.cast_at, of_name.cast_at)',
  isDoubled: 'coalesce(of_user.is_doubled, of_name.is_doubled)',
};

/** The latest vote of each lookup, from the end of an index. */
function latest(alias: string, condition: string): string {
  return `
  LEFT JOIN LATERAL (
    SELECT cast_at, is_doubled FROM votes
    WHERE votes.guild_id = found.guild_id AND ${condition}
      AND cast_at > found.queried_after AND cast_at <= found.queried_until
    ORDER BY cast_at DESC, votes.user_id DESC LIMIT 1
  ) AS ${alias} ON true`;
}

/**
 * Many lookups at once, one row for each, in order. Every part reads an index once per lookup, which LIMIT 1 ensures;
 * guilds are found by guilds_by_key_hash.
 *
 * OFFSET 0 hides the length of the arrays from the planner. If it knew it, a plan for one lookup would seem cheaper than
 * the prepared one, and each statement would be planned again, which takes longer than running it.
 */
function admitSql(counted: string, votes: typeof BY_USER): string {
  return `
  WITH found AS (
    SELECT lookup.*, guild.*,
      CASE WHEN guild.guild_id IS NOT NULL AND guild.sanctioned_at IS NULL THEN rate_key ELSE fallback_rate_key END
        COLLATE "C" AS counted_key
    FROM (
      SELECT $1::text[] AS hashes, $2::text[] AS rate_keys, $3::text[] AS fallbacks, $4::bigint[] AS ends,
        $5::text[] AS users, $6::bigint[] AS afters, $7::bigint[] AS untils${votes.values}
      OFFSET 0
    ) AS given
    CROSS JOIN unnest(hashes, rate_keys, fallbacks, ends, users, afters, untils${votes.arrays}) WITH ORDINALITY AS lookup
      (key_hash, rate_key, fallback_rate_key, window_end, queried_user_id, queried_after, queried_until${votes.columns}, position)
    LEFT JOIN LATERAL (
      SELECT ${ADMITTED_COLUMNS.join(', ')} FROM guilds WHERE guilds.key_hash = lookup.key_hash LIMIT 1
    ) AS guild ON true
  ),
  counted AS (${counted})
  SELECT counted.hits, counted.resets_at, ${votes.castAt}, ${votes.isDoubled},
    ${ADMITTED_COLUMNS.join(', ')}
  FROM found JOIN counted ON counted.caller = found.counted_key ${votes.joins}
  ORDER BY found.position`;
}

export const ADMIT = admitSql(COUNT, BY_USER);
export const ADMIT_BY_NAME = admitSql(COUNT, BY_USER_OR_NAME);
const FIND = admitSql(COUNT_NOTHING, BY_USER_OR_NAME);

type Counted = [hits: number, resetsAt: Instant, castAt: Instant | null, isDoubled: boolean | null];
type GuildOf<Columns extends readonly (keyof AdmittedRow)[]> = {
  -readonly [Place in keyof Columns]: AdmittedRow[Columns[Place]];
};
type NullsOf<Columns extends readonly unknown[]> = { -readonly [Place in keyof Columns]: null };
/** As an array: reading so many columns into objects takes longer. */
type AdmissionRow = [...Counted, ...(GuildOf<typeof ADMITTED_COLUMNS> | NullsOf<typeof ADMITTED_COLUMNS>)];

export type AdmitStatements = {
  /** Counts the lookups. All requests of a rate key have the count after the last of them. */
  count(lookups: readonly RequestLookup[]): Promise<Admission[]>;
  /** Counts nothing. */
  find(lookups: readonly RequestLookup[]): Promise<Admission[]>;
};

export function createAdmitStatements(database: Pick<Connections, 'queryArrays'>): AdmitStatements {
  /** Rows and lookups are matched by position, so all of them must be present. */
  async function send(
    name: string,
    text: string,
    lookups: readonly RequestLookup[],
    values: unknown[],
  ): Promise<Admission[]> {
    const rows = await database.queryArrays<AdmissionRow>({ name, text, values });
    if (rows.length !== lookups.length) throw new Error('the database did not answer every lookup');
    return rows.map(toAdmission);
  }

  return {
    count: (lookups) => {
      const values = valuesOf(lookups);
      // A statement that looks for names takes longer even if there are none.
      return lookups.some(hasName)
        ? send('admit-by-name', ADMIT_BY_NAME, lookups, [...values, ...namesOf(lookups)])
        : send('admit', ADMIT, lookups, values);
    },
    find: (lookups) => send('find-uncounted', FIND, lookups, [...valuesOf(lookups), ...namesOf(lookups)]),
  };
}

/** Transposed into columns for the statement. */
function valuesOf(lookups: readonly RequestLookup[]): unknown[] {
  const columns = [
    lookups.map(({ keyHash }) => keyHash),
    lookups.map(({ rateKey }) => rateKey),
    lookups.map(({ fallbackRateKey }) => fallbackRateKey),
    lookups.map(({ now, limit }) => now + limit.windowMs),
    lookups.map(({ voteQuery }) => (voteQuery && 'userId' in voteQuery ? voteQuery.userId : null)),
    lookups.map(({ voteQuery }) => voteQuery?.window.after ?? null),
    lookups.map(({ voteQuery }) => voteQuery?.window.until ?? null),
  ];
  return [...columns.map(arrayOf), lookups[0]?.limit.windowMs];
}

/** The names and their folded form. */
function namesOf(lookups: readonly RequestLookup[]): unknown[] {
  const names = lookups.map(({ voteQuery }) =>
    voteQuery && 'externalId' in voteQuery ? voteQuery.externalId : null,
  );
  return [arrayOf(names), arrayOf(names.map((name) => (name === null ? null : foldExternalId(name))))];
}

function hasName({ voteQuery }: RequestLookup): boolean {
  return voteQuery !== null && 'externalId' in voteQuery;
}

function toAdmission(row: AdmissionRow): Admission {
  const [
    hits,
    resetsAt,
    castAt,
    isDoubled,
    guild_id,
    name,
    doubling,
    premium_until,
    sanctioned_at,
    sanction_reason,
    one_reward_per_name,
    player_names,
    listforge_consumer,
    rate_limit,
  ] = row;
  return {
    guild:
      guild_id === null
        ? undefined
        : toAdmitted({
            guild_id,
            name,
            doubling,
            premium_until,
            sanctioned_at,
            sanction_reason,
            one_reward_per_name,
            player_names,
            listforge_consumer,
            rate_limit,
          }),
    window: { hits, resetsAt },
    vote: castAt === null ? undefined : { castAt, isDoubled: isDoubled === true },
  };
}
