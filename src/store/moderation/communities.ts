/** The communities in the operator console: sorted, filtered, searched, and page by page. */
import type { Instant } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { foldName } from '../../domain/text/names.ts';
import { isSearchable } from '../../domain/text/text.ts';
import { monthOf } from '../../domain/votes/period.ts';
import type { Database } from '../database.ts';
import { GUILD_COLUMNS, type GuildRow, toGuild } from '../guilds/guilds.ts';

/**
 * `name`: from A to Z. `votes`: most votes in the UTC month first. `created`: newest first. `premium`: the Premium that
 * ends next first, communities without Premium last.
 */
export const COMMUNITY_SORTS = ['name', 'votes', 'created', 'premium'] as const;

export type CommunitySort = (typeof COMMUNITY_SORTS)[number];

/** `unlisted`: by an operator, or by its admins. */
export const COMMUNITY_STATES = ['sanctioned', 'premium', 'unlisted'] as const;

export type CommunityState = (typeof COMMUNITY_STATES)[number];

/** The last community of a page, with the value that it was sorted by. */
export type CommunityPosition = { value: string; guildId: string };

export type CommunityQuery = {
  /** Searched in names, ignoring case and accents. Empty: all. */
  search: string;
  sort: CommunitySort;
  /** Null: all. */
  state: CommunityState | null;
  after: CommunityPosition | null;
  now: Instant;
  limit: number;
};

/** `value`: what it was sorted by, for the position of the next page. */
export type Community = { guild: Guild; votesThisMonth: number; value: string };

export interface CommunityStore {
  communities(query: CommunityQuery): Promise<Community[]>;
  /** The names of those of these guilds that exist. */
  communityNames(guildIds: readonly string[]): Promise<Map<string, string>>;
}

type CommunityRow = GuildRow & { votes: number | null; value: string | number };

/** Later than every instant, for communities without Premium. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Numbers are sorted ascending too, so that one comparison finds the next page: the largest are negative. */
const VALUES: Record<CommunitySort, string> = {
  // An expression, so that no index is used: see `sorted`.
  name: `(name_folded || '')`,
  votes: '-coalesce(m.votes, 0)',
  created: '-created_at',
  premium: `CASE WHEN premium_until > @now THEN premium_until ELSE ${NEVER} END`,
};

export function createCommunityStore(database: Database): CommunityStore {
  const sql = prepare(database);
  return {
    async communities({ search, sort, state, after, now, limit }) {
      if (!isSearchable(search)) return [];
      const isWholeList = sort === 'name' && search === '' && state === null;
      const rows = await (isWholeList ? sql.whole : sql[sort])({
        ...{ value: startOf(sort, after), guildId: after?.guildId ?? '' },
        ...{ search: foldName(search), state: state ?? 'all', now, month: monthOf(now), limit },
      });
      return rows.map((row) => ({
        guild: toGuild(row),
        votesThisMonth: row.votes ?? 0,
        value: String(row.value),
      }));
    },
    async communityNames(guildIds) {
      const rows = await sql.names({ guildIds });
      return new Map(rows.map(({ guild_id, name }) => [guild_id, name]));
    },
  };
}

/** A position that is not a number starts with the first page. */
function startOf(sort: CommunitySort, after: CommunityPosition | null): string | number {
  if (sort === 'name') return after?.value ?? '';
  const value = Number(after?.value);
  return after !== null && Number.isSafeInteger(value) ? value : -NEVER;
}

const IN_STATE = `removed_at IS NULL AND CASE CAST(@state AS TEXT)
  WHEN 'sanctioned' THEN sanctioned_at IS NOT NULL
  WHEN 'premium' THEN coalesce(premium_until, 0) > @now
  WHEN 'unlisted' THEN unlisted_at IS NOT NULL OR hidden_at IS NOT NULL
  ELSE 1 = 1 END`;

function prepare({ read, dialect: { indexedBy, inList, position } }: Database) {
  const details = (page: string) =>
    read<CommunityRow>(`
      WITH page AS MATERIALIZED (${page})
      SELECT ${GUILD_COLUMNS}, page.value AS value, (
        SELECT votes FROM monthly_votes m WHERE m.guild_id = guilds.guild_id AND m.month = @month
      ) AS votes
      FROM page JOIN guilds ON guilds.guild_id = page.id
      ORDER BY value, guild_id`);
  // Reads every row of guilds, and for the votes one row of monthly_votes each: as many as there are communities,
  // never as many as there are votes. An index by votes would have to be updated with every vote. On SQLite, reading
  // the rows by guilds_by_name takes six times as long as reading all of them in the order of the table.
  const sorted = (sort: CommunitySort) =>
    details(`
      SELECT guilds.guild_id AS id, ${VALUES[sort]} AS value FROM guilds
      ${sort === 'votes' ? 'LEFT JOIN monthly_votes m ON m.guild_id = guilds.guild_id AND m.month = @month' : ''}
      WHERE (${VALUES[sort]}, guilds.guild_id) > (CAST(@value AS ${sort === 'name' ? 'TEXT' : 'BIGINT'}), @guildId)
        AND ${position}(name_folded, @search) > 0 AND ${IN_STATE}
      ORDER BY value, id LIMIT @limit + 0`);
  return {
    // Index guilds_by_name, in its order, up to the end of the page; then the primary keys of guilds and monthly_votes.
    whole: details(`
      SELECT guild_id AS id, name_folded AS value FROM guilds ${indexedBy('guilds_by_name')}
      WHERE (name_folded, guild_id) > (@value, @guildId) AND removed_at IS NULL
      ORDER BY name_folded, guild_id LIMIT @limit + 0`),
    name: sorted('name'),
    votes: sorted('votes'),
    created: sorted('created'),
    premium: sorted('premium'),
    // The primary key.
    names: read<{ guild_id: string; name: string }>(
      `SELECT guild_id, name FROM guilds WHERE guild_id ${inList('@guildIds')} AND removed_at IS NULL`,
    ),
  };
}
