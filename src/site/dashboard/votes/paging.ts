/**
 * Which votes the tab shows and a download contains. Pages are newest first and stay stable while new votes arrive: a
 * URL names the vote that a page starts after, never a page number.
 */

import { DAY_MS, formatDate, formatInstant, type Instant } from '../../../domain/clock.ts';
import { isSnowflake } from '../../../domain/identifiers.ts';
import { firstText } from '../../../domain/record.ts';
import {
  currentMonth,
  type Period,
  type PeriodOutcome,
  parseIsoDate,
  resolvePeriod,
} from '../../../domain/votes/period.ts';
import {
  type ClaimableVote,
  foldExternalId,
  positionOf,
  type Vote,
  type VotePosition,
} from '../../../domain/votes/vote.ts';
import { NO_CLAIMS, type VoteWithClaims, withClaimTimes } from '../../../store/claims/claims.ts';
import type { Store } from '../../../store/store.ts';
import { exportVotes } from '../../../store/votes/lists.ts';
import type { VoteStore } from '../../../store/votes/votes.ts';

/** Whose votes are shown; null: all votes. Names are case-insensitive. */
export type VotesOf = { userId: string } | { foldedName: string } | null;

/** The input and its meaning. If it is invalid, all votes are shown. */
export type VotesFilter = { user: string; name: string; of: VotesOf; fault: 'user' | 'both' | null };

export function readVotesFilter(query: unknown): VotesFilter {
  const user = (firstText(query, 'user') ?? '').trim();
  const name = firstText(query, 'external_id') ?? '';
  if (user !== '' && name !== '') return { user, name, of: null, fault: 'both' };
  if (name !== '') return { user, name, of: { foldedName: foldExternalId(name) }, fault: null };
  if (user === '' || isSnowflake(user))
    return { user, name, of: user === '' ? null : { userId: user }, fault: null };
  return { user, name, of: null, fault: 'user' };
}

/** The filter as part of a URL; empty without one. */
export function filterQuery({ user, name, of }: VotesFilter): string {
  if (of === null) return '';
  return 'userId' in of ? `user=${user}` : `external_id=${encodeURIComponent(name.toWellFormed())}`;
}

const PAGE_SIZE = 50;

type PageRequest = { to: 'newest' } | { to: 'older' | 'newer'; than: VotePosition };

/** `older` and `newer` are the URL parameters of the adjacent pages; null where there is none. */
export type VotePage = { votes: VoteWithClaims[]; older: string | null; newer: string | null };

const POSITION = /^(-?\d{1,15})_(\d{15,20})$/;
const END_OF_TIME = Date.parse('9999-12-31T23:59:59.999Z') + 1;

/** An invalid position leads to the newest votes. */
export function readPageRequest(query: unknown): PageRequest {
  const before = readPosition(firstText(query, 'before'));
  if (before) return { to: 'older', than: before };
  const after = readPosition(firstText(query, 'after'));
  return after ? { to: 'newer', than: after } : { to: 'newest' };
}

export async function readVotePage(
  store: Pick<Store, 'votes' | 'claims'>,
  guildId: string,
  of: VotesOf,
  wanted: PageRequest,
): Promise<VotePage> {
  const { votes, ...adjacent } = await readVotes(store.votes, guildId, of, wanted);
  const times = await store.claims.claimTimes(guildId, votes);
  return { ...adjacent, votes: votes.map((vote, i) => ({ ...vote, ...(times[i] ?? NO_CLAIMS) })) };
}

async function readVotes(store: VoteStore, guildId: string, of: VotesOf, wanted: PageRequest) {
  if (wanted.to === 'newer') {
    const found = await readNewer(store, guildId, of, wanted.than);
    // The newest page is always full, whatever page the visitor came from.
    if (found.length > PAGE_SIZE) return pageOf(found.slice(0, PAGE_SIZE).reverse(), true, true);
  }
  const before = wanted.to === 'older' ? wanted.than : null;
  const found = await readOlder(store, guildId, of, before);
  return pageOf(found.slice(0, PAGE_SIZE), before !== null, found.length > PAGE_SIZE);
}

/** One extra vote shows whether another page follows. */
function readNewer(store: VoteStore, guildId: string, of: VotesOf, after: VotePosition): Promise<Vote[]> {
  if (of && 'foldedName' in of) return store.ofName(guildId, of.foldedName, { after }, PAGE_SIZE + 1);
  const period = { from: after.castAt, to: END_OF_TIME };
  return store.page({ guildId, userId: of?.userId ?? null, period }, after, PAGE_SIZE + 1);
}

function readOlder(
  store: VoteStore,
  guildId: string,
  of: VotesOf,
  before: VotePosition | null,
): Promise<Vote[]> {
  if (of && 'foldedName' in of) return store.ofName(guildId, of.foldedName, { before }, PAGE_SIZE + 1);
  return store.recent(guildId, of?.userId ?? null, before, PAGE_SIZE + 1);
}

type ExportSource = {
  votes: Pick<VoteStore, 'page' | 'ofName'>;
  claims: Pick<Store['claims'], 'claimTimes'>;
};

/**
 * All votes of a period for a download, each with the time of its claim. Read in pages, at the speed of the client.
 */
export async function* exportClaimable(
  { votes, claims }: ExportSource,
  guildId: string,
  period: Period,
  of: VotesOf,
): AsyncGenerator<ClaimableVote> {
  const isNamed = of !== null && 'foldedName' in of;
  const page: VoteStore['page'] = async (filter, after, limit) => {
    if (!isNamed) return votes.page(filter, after, limit);
    const start = after ?? { castAt: period.from, userId: '' };
    const found = await votes.ofName(guildId, of.foldedName, { after: start }, limit);
    return found.filter(({ castAt }) => castAt < period.to);
  };
  const userId = of === null || isNamed ? null : of.userId;
  yield* withClaimTimes(claims, exportVotes(page, guildId, period, userId));
}

function pageOf(votes: Vote[], hasNewer: boolean, hasOlder: boolean) {
  const first = votes[0];
  const last = votes.at(-1);
  return {
    votes,
    newer: hasNewer && first ? writePosition(positionOf(first)) : null,
    older: hasOlder && last ? writePosition(positionOf(last)) : null,
  };
}

export function writePosition({ castAt, userId }: VotePosition): string {
  return `${castAt}_${userId}`;
}

export function readPosition(text: string | undefined): VotePosition | undefined {
  const [, castAt, userId] = POSITION.exec(text ?? '') ?? [];
  return userId === undefined ? undefined : { castAt: Number(castAt), userId };
}

/** The submitted values, to fill in the form again. */
export type GivenDays = { from: string; to: string };

/** The default of the form: this month until today. */
export function suggestedDays(now: Instant): GivenDays {
  return { from: formatDate(currentMonth(now).from), to: formatDate(now) };
}

/**
 * The period of a download, with the rules of the API except for one: "to 15 November" includes that day, so a `to`
 * without a time is the end of its day. Exact times are used as they are.
 */
export function csvPeriod(given: Partial<GivenDays>, now: Instant): PeriodOutcome {
  const days = suggestedDays(now);
  const from = given.from || days.from;
  const to = endOfDay(given.to || days.to);
  return resolvePeriod({ from, to }, { from: now, to: now });
}

function endOfDay(text: string): string {
  const start = text.includes('T') ? undefined : parseIsoDate(text);
  return start === undefined ? text : formatInstant(start + DAY_MS);
}
