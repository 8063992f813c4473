/** The requests of each load, written to files for the generator. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeCursor } from '../../src/api/v7/votes/list-cursor.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { keyOf, SECRET } from '../data-sets/keys.ts';
import {
  externalId,
  guildId,
  listCastAt,
  listUserId,
  MONTH,
  NOW,
  RECENT_USERS,
  type Shape,
  userId,
} from '../data-sets/shape.ts';

export type PreparedRequest = { path: string; headers: Record<string, string> };

export type Page = 'first' | 'middle' | 'last';
export const PAGES: readonly Page[] = ['first', 'middle', 'last'];

export type RequestFiles = {
  /**
   * Vote checks over all guilds: half of the users voted within the hour; one in eight is checked by external
   * id.
   */
  checks: string;
  /** The same with Discord ids only. */
  plainChecks: string;
  /**
   * Pages of 1000 of the longest list, at many positions; every eighth is a first page, which counts its
   * total.
   */
  thousands: string;
  /** The same rows as `thousands`, as requests to bench/peers/raw-list.ts. */
  rawThousands: string;
  /** Pages of 100, of each list in turn. */
  pages: Record<Page, string[]>;
};

const CHECKS = 64_000;
const PLACES = 400;
/** Few enough to read all of them once before timing, so no page comes from the disk. */
const MIDDLE_PLACES = 40;
const LAST_PAGE = 100;

export function writeRequests(folder: string, shape: Shape): RequestFiles {
  const write = (name: string, requests: PreparedRequest[]): string => {
    const path = join(folder, `requests-${name}.json`);
    writeFileSync(path, JSON.stringify(requests));
    return path;
  };
  const longest = shape.lists.length - 1;
  const places = Array.from({ length: PLACES }, (_, i) => i);
  const pageFiles = (page: Page) =>
    shape.lists.map((_, list) => write(`${page}-${list}`, pageRequests(shape, list, page)));
  return {
    checks: write('checks', checkRequests(shape, 8)),
    plainChecks: write('plain-checks', checkRequests(shape, 0)),
    thousands: write(
      'thousands',
      places.map((i) => pageRequest(shape, longest, thousandAfter(shape, i), 1000)),
    ),
    rawThousands: write(
      'raw-thousands',
      places.map((i) => rawRequest(shape, longest, thousandAfter(shape, i), 1000)),
    ),
    pages: { first: pageFiles('first'), middle: pageFiles('middle'), last: pageFiles('last') },
  };
}

function checkRequests({ guilds, votesPerGuild }: Shape, externalEvery: number): PreparedRequest[] {
  return Array.from({ length: CHECKS }, (_, i) => {
    // A step that is coprime to the number of guilds visits all of them, far apart.
    const guild = (i * 7919) % guilds;
    const user = i % 2 === 0 ? (i / 2) % RECENT_USERS : (i * 31) % votesPerGuild;
    const isExternal = externalEvery > 0 && i % externalEvery === 0;
    const identifier = isExternal
      ? `external_id=${externalId(guild, 0)}`
      : `discord_id=${userId(guild, user)}`;
    return { path: `/v7/vote-check?${identifier}`, headers: headersOf(guild) };
  });
}

function pageRequests(shape: Shape, list: number, page: Page): PreparedRequest[] {
  const votes = shape.lists[list] ?? 0;
  if (page === 'first') return [pageRequest(shape, list, null, 100)];
  if (page === 'last') return [pageRequest(shape, list, votes - LAST_PAGE - 1, 100)];
  const middle = Math.floor(votes / 2);
  const step = Math.floor(votes / 10 / MIDDLE_PLACES);
  return Array.from({ length: MIDDLE_PLACES }, (_, i) => pageRequest(shape, list, middle + i * step, 100));
}

/** The vote before the i-th page; `null` for a first page. */
function thousandAfter({ lists }: Shape, i: number): number | null {
  const votes = lists.at(-1) ?? 0;
  return i % 8 === 0 ? null : Math.floor(((votes - 1001) * i) / PLACES);
}

const { cursorKey } = deriveSecrets(SECRET);

function pageRequest(shape: Shape, list: number, after: number | null, limit: number): PreparedRequest {
  const guild = shape.guilds + list;
  const total = shape.lists[list] ?? 0;
  const cursor =
    after === null
      ? ''
      : encodeCursor(
          { period: { from: MONTH, to: NOW }, total, after: positionOf(list, after, total) },
          { guildId: guildId(guild), userId: null },
          cursorKey,
        );
  return { path: `/v7/guild/votes?limit=${limit}&cursor=${cursor}`, headers: headersOf(guild) };
}

function rawRequest(shape: Shape, list: number, after: number | null, limit: number): PreparedRequest {
  const total = shape.lists[list] ?? 0;
  const { castAt, userId: user } =
    after === null ? { castAt: MONTH, userId: '' } : positionOf(list, after, total);
  const path = `/?guild=${guildId(shape.guilds + list)}&after=${castAt}&user=${user}&to=${NOW}&limit=${limit}`;
  return { path, headers: {} };
}

function positionOf(list: number, vote: number, votes: number) {
  return { castAt: listCastAt(vote, votes), userId: listUserId(list, vote, votes) };
}

/** Headers as a reverse proxy sets them. */
function headersOf(guild: number): Record<string, string> {
  return {
    authorization: `Bearer ${keyOf(guild)}`,
    'user-agent': 'bench',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': `198.51.${(guild >> 8) & 255}.${guild & 255}`,
  };
}
