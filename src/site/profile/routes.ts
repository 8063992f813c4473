import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DAY_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import { type Guild, isListed } from '../../domain/guild.ts';
import { currentMonth, previousMonth } from '../../domain/votes/period.ts';
import type { Store } from '../../store/store.ts';
import type { MonthlyVotes, Voter } from '../../store/votes/votes.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError } from '../errors/page-error.ts';
import { requireActiveGuild } from '../find-guild.ts';
import type { Board } from '../home/board.ts';
import { IMAGE_POLICY } from '../layout/brand.ts';
import { isUnchanged } from '../layout/etag.ts';
import { pageContext, sendPage } from '../layout/responses.ts';
import { type Leaderboard, type ProfilePage, renderProfilePage } from './view.ts';

type GuildParams = { Params: { guildId: string } };
type FileParams = { Params: { guildId: string; version: string } };

const YEAR_SECONDS = (365 * DAY_MS) / SECOND_MS;
const OLD_VERSION_SECONDS = (5 * MINUTE_MS) / SECOND_MS;

export function profileRoutes(app: FastifyInstance, deps: SiteDeps, board: Board): void {
  const { store, clock } = deps;
  const read = createProfileReader(deps, board);

  app.get<GuildParams>('/guild/:guildId', async (request, reply) => {
    const guild = await requireActiveGuild(store, request.params.guildId);
    const page = await read(guild, clock());
    discourageSearch(reply, guild);
    return sendPage(reply, renderProfilePage(pageContext(request, reply, deps.signIn), page));
  });

  app.get<FileParams>(
    '/guild/:guildId/icon/:version',
    { config: { isPublicFile: true } },
    async (request, reply) => {
      const { guildId } = await requireActiveGuild(store, request.params.guildId);
      return sendFile(request, reply, await store.profiles.icon(guildId));
    },
  );

  app.get<FileParams>(
    '/guild/:guildId/banner/:version',
    { config: { isPublicFile: true } },
    async (request, reply) => {
      const { guildId } = await requireActiveGuild(store, request.params.guildId);
      const banner = await store.banners.file(guildId);
      return sendFile(request, reply, banner && { ...banner, type: 'image/jpeg' });
    },
  );
}

type VersionedFile = { version: string; type: string; bytes: Buffer };

/**
 * The version is in the path, so browsers never request a file twice. A page that was opened before the file changed gets
 * the new one.
 */
function sendFile(
  request: FastifyRequest<FileParams>,
  reply: FastifyReply,
  file: VersionedFile | undefined,
): FastifyReply {
  if (!file) throw new PageError('NOT_FOUND');
  const isCurrent = file.version === request.params.version;
  const seconds = isCurrent ? `${YEAR_SECONDS}, immutable` : OLD_VERSION_SECONDS;
  reply.headers({ 'cache-control': `public, max-age=${seconds}`, 'content-security-policy': IMAGE_POLICY });
  if (isUnchanged(request, reply, file.version)) return reply.send();
  return reply.type(file.type).send(file.bytes);
}

/** The pages of an unlisted community can be opened by their URL, but should not be found by search engines. */
export function discourageSearch(reply: FastifyReply, guild: Guild): void {
  if (!isListed(guild)) reply.header('x-robots-tag', 'noindex');
}

const MONTHS = 12;
const LEADERS = 10;
const MAX_OLD_KEPT = 1000;
/** The old version of a leaderboard that took this long to read is served while it is read again, up to MAX_AGE_MS. */
const SLOW_MS = 100;
const MAX_AGE_MS = 2 * MINUTE_MS;

type TopVoters = (guildId: string, month: Instant) => Promise<Voter[]>;

/** Visitors of a public page do not wait for a leaderboard that takes long to read. */
export function createTopVoters({
  leaderboards,
  clock,
}: Pick<SiteDeps, 'leaderboards' | 'clock'>): TopVoters {
  type Reading = { voters: Voter[]; at: Instant };
  const old = new Map<string, Reading>();

  async function read(key: string, guildId: string, month: Instant): Promise<Voter[]> {
    const startedAt = clock();
    const { voters } = await leaderboards.ofMonth(guildId, month, LEADERS);
    const isSlow = clock() - startedAt >= SLOW_MS;
    if (isSlow || old.has(key)) keep(key, { voters, at: startedAt });
    return voters;
  }

  function keep(key: string, reading: Reading): void {
    old.delete(key);
    const [oldest] = old.keys();
    if (old.size >= MAX_OLD_KEPT && oldest !== undefined) old.delete(oldest);
    old.set(key, reading);
  }

  return async (guildId, month) => {
    const key = `${guildId} ${month}`;
    const reading = read(key, guildId, month);
    const kept = old.get(key);
    if (!kept || Math.abs(clock() - kept.at) > MAX_AGE_MS) return reading;
    reading.catch(() => {}); // The next visitor reads again.
    return kept.voters;
  };
}

/** Vote counts are read for each page, from stored sums. Leaderboards are shared for a short time. */
function createProfileReader(
  deps: SiteDeps,
  board: Board,
): (guild: Guild, now: Instant) => Promise<ProfilePage> {
  const { store } = deps;
  const topVoters = createTopVoters(deps);

  return async (guild, now) => {
    const { guildId } = guild;
    const [current, last] = [{ ...currentMonth(now), to: now + 1 }, previousMonth(now)];
    const months = everyMonth(now);
    const [profile, banner, goal, counted] = await Promise.all([
      store.profiles.find(guildId),
      store.banners.find(guildId),
      store.goals.progress(guildId, now),
      store.votes.monthly(guildId, { from: months[0] ?? 0, to: current.to }),
    ]);
    const votesIn = (month: Instant) => counted.find((entry) => entry.month === month)?.votes ?? 0;
    const boards = await Promise.all(
      [current.from, last.from].map(async (month) => ({ month, voters: await topVoters(guildId, month) })),
    );
    return {
      guild,
      profile,
      banner,
      isListed: isListed(guild),
      goal,
      months: months.map((month): MonthlyVotes => ({ month, votes: votesIn(month) })),
      rank: await readRank(board, guild, votesIn(current.from)),
      leaderboards: await nameVoters(store, boards),
    };
  };
}

/** The first instants of the last twelve months. */
function everyMonth(now: Instant): Instant[] {
  const date = new Date(now);
  return Array.from({ length: MONTHS }, (_, index) =>
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - (MONTHS - 1) + index, 1),
  );
}

/** The rank in the listing with these votes of the month. Null for a community that is unlisted, or was until now. */
export async function readRank(board: Board, guild: Guild, votes: number): Promise<ProfilePage['rank']> {
  if (!isListed(guild)) return null;
  const [found, { byVotes }] = await Promise.all([board.rankOf(guild.guildId, votes), board.read()]);
  return found && { place: found.rank, of: byVotes.length };
}

/** Read for each page, so that users who withdraw their consent disappear immediately. */
async function nameVoters(
  { users }: Store,
  boards: readonly { month: Instant; voters: readonly Voter[] }[],
): Promise<Leaderboard[]> {
  const ids = new Set(boards.flatMap(({ voters }) => voters.map(({ userId }) => userId)));
  const known = await users.find([...ids]);
  return boards.map(({ month, voters }) => ({
    month,
    leaders: voters.map(({ userId, votes }) => {
      const user = known.get(userId);
      return { voter: user?.showName ? { id: userId, name: user.name } : null, votes };
    }),
  }));
}
