/** Votes in order of time: pages of the API, the dashboard and exports. */
import { isSearchable } from '../../domain/text/text.ts';
import type { Period } from '../../domain/votes/period.ts';
import { type ListedVote, positionOf, type Vote, type VotePosition } from '../../domain/votes/vote.ts';
import type { Database } from '../database.ts';
import { toVote, VOTE_COLUMNS, type VoteRow, type VoteStore } from './votes.ts';

/**
 * The position just before a page. No user id is empty, so the empty one sorts before every vote of the first
 * millisecond of the period, and the first page uses the same query as all others.
 */
function pageStart(period: Period, after: VotePosition | null): VotePosition {
  const start = { castAt: period.from, userId: '' };
  return after && after.castAt >= period.from ? after : start;
}

/** The position after the newest votes: no vote is as late as the default. */
function beforeOrNewest(before: VotePosition | null): VotePosition {
  return before ?? { castAt: Number.MAX_SAFE_INTEGER, userId: '' };
}

const PAGE_SIZE = 1000;

/**
 * Streams the votes of a guild, or of one user in it, page by page. No transaction or cursor stays open between
 * pages, so a slow reader blocks nothing in the database.
 */
export async function* exportVotes(
  page: VoteStore['page'],
  guildId: string,
  period: Period,
  userId: string | null = null,
): AsyncGenerator<Vote> {
  let after: VotePosition | null = null;
  let votes: Vote[];
  do {
    votes = await page({ guildId, userId, period }, after, PAGE_SIZE);
    yield* votes;
    const last = votes.at(-1);
    if (last) after = positionOf(last);
  } while (votes.length === PAGE_SIZE);
}

export function createVoteLists(
  database: Database,
): Pick<VoteStore, 'page' | 'list' | 'recent' | 'ofName' | 'export'> {
  const sql = prepare(database);
  const votes: ReturnType<typeof createVoteLists> = {
    async page({ guildId, userId, period }, after, limit) {
      const range = { guildId, ...toParams(pageStart(period, after)), to: period.to, limit };
      const rows = userId === null ? await sql.page(range) : await sql.pageOfUser({ ...range, userId });
      return rows.map(toVote);
    },
    list({ guildId, userId, period }, after, limit, use) {
      const { castAt, userId: positionUserId } = pageStart(period, after);
      const range = { guildId, castAt, positionUserId, to: period.to, limit };
      return userId === null ? sql.list(range, use) : sql.listOfUser({ ...range, userId }, use);
    },
    async recent(guildId, userId, before, limit) {
      const range = { guildId, ...toParams(beforeOrNewest(before)), limit };
      const rows = userId === null ? await sql.recent(range) : await sql.recentOfUser({ ...range, userId });
      return rows.map(toVote);
    },
    async ofName(guildId, nameKey, from, limit) {
      if (!isSearchable(nameKey)) return [];
      const rows =
        'after' in from
          ? await sql.afterOfName({ guildId, nameKey, ...toParams(from.after), limit })
          : await sql.beforeOfName({ guildId, nameKey, ...toParams(beforeOrNewest(from.before)), limit });
      return rows.map(toVote);
    },
    export: (guildId, period) => exportVotes(votes.page, guildId, period),
  };
  return votes;
}

function toParams({ castAt, userId }: VotePosition) {
  return { castAt, positionUserId: userId };
}

const POSITION = '(@castAt, @positionUserId)';

function prepare({ read, readAndUse, dialect: { indexedBy } }: Database) {
  const ofUser = `FROM votes ${indexedBy('votes_by_user')} WHERE guild_id = @guildId AND user_id = @userId`;
  const ofName = `FROM votes ${indexedBy('votes_by_external_id')} WHERE guild_id = @guildId AND name_key = @nameKey`;
  // The primary key (guild_id, cast_at, user_id), which is the order of the list.
  const page = `FROM votes WHERE guild_id = @guildId AND (cast_at, user_id) > ${POSITION} AND cast_at < @to
    ORDER BY cast_at, user_id LIMIT @limit + 0`;
  // Index votes_by_user.
  const pageOfUser = `${ofUser} AND (cast_at, user_id) > ${POSITION} AND cast_at < @to
    ORDER BY cast_at LIMIT @limit + 0`;
  const listed = 'user_id AS "userId", cast_at AS "castAt", is_doubled AS "isDoubled"';
  return {
    page: read<VoteRow>(`SELECT ${VOTE_COLUMNS} ${page}`, 'page'),
    pageOfUser: read<VoteRow>(`SELECT ${VOTE_COLUMNS} ${pageOfUser}`, 'page-of-user'),
    list: readAndUse<ListedVote>(`SELECT ${listed} ${page}`, 'list'),
    listOfUser: readAndUse<ListedVote>(`SELECT ${listed} ${pageOfUser}`, 'list-of-user'),
    // The primary key, read backwards.
    recent: read<VoteRow>(
      `SELECT ${VOTE_COLUMNS} FROM votes WHERE guild_id = @guildId AND (cast_at, user_id) < ${POSITION}
       ORDER BY cast_at DESC, user_id DESC LIMIT @limit + 0`,
      'recent',
    ),
    // Index votes_by_user, read backwards.
    recentOfUser: read<VoteRow>(
      `SELECT ${VOTE_COLUMNS} ${ofUser} AND (cast_at, user_id) < ${POSITION}
       ORDER BY cast_at DESC LIMIT @limit + 0`,
      'recent-of-user',
    ),
    // Index votes_by_external_id, read backwards.
    beforeOfName: read<VoteRow>(
      `SELECT ${VOTE_COLUMNS} ${ofName} AND (cast_at, user_id) < ${POSITION}
       ORDER BY cast_at DESC, user_id DESC LIMIT @limit + 0`,
      'before-of-name',
    ),
    // Index votes_by_external_id.
    afterOfName: read<VoteRow>(
      `SELECT ${VOTE_COLUMNS} ${ofName} AND (cast_at, user_id) > ${POSITION}
       ORDER BY cast_at, user_id LIMIT @limit + 0`,
      'after-of-name',
    ),
  };
}
