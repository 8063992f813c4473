import { hash } from 'node:crypto';
import { playerKeyOf } from '../../../domain/votes/player-names.ts';
import {
  type ClaimIdentity,
  foldExternalId,
  nameKeyOf,
  type VoterTotals,
  voteId,
} from '../../../domain/votes/vote.ts';
import { scopeOf } from '../../claims/claim-tables.ts';
import { type ClaimRequest, type ClaimResult, wantedOf } from '../../claims/claims.ts';
import { UnknownGuildError } from '../../store.ts';
import { type PlannedEvent, planClaimEvents } from '../../webhooks/events.ts';
import { arrayOf } from '../columns.ts';
import type { Queryable, Statement, Transaction } from '../connection/connection.ts';
import { PlainGroups } from '../plain-groups.ts';
import { writeEvents } from '../webhooks/events.ts';
import type { Outcome } from '../write-groups.ts';
import { addAllStatements, addClaims, findHeld, type Pick } from './add-claims.ts';
import { type Claimable, readClaimable } from './claimable.ts';
import {
  addKeysStatement,
  type Decided,
  dropKeysStatement,
  findKeys,
  type Rendered,
  type Used,
} from './idempotency-keys.ts';
import { readTotals } from './standing.ts';

/**
 * Claims of one identity run one after the other: which vote is the oldest depends on earlier claims. The guild is locked in
 * the same order as its removal. Both locks end with the transaction, so they work behind a pooler.
 * The statements of a group take their locks in the order of the keys, and all groups run them in the same order, so that
 * two groups cannot wait for each other.
 */
export const LOCK = `
  SELECT guild_id, (SELECT count(pg_advisory_xact_lock(number)) FROM unnest($2::bigint[]) AS number) AS locks
  FROM guilds WHERE guild_id = ANY ($1::text[]) ORDER BY guild_id FOR KEY SHARE`;

/** What concurrent claims wait for: claims that share one cannot be in one group. */
export function claimKeys(request: ClaimRequest): string[] {
  const { guildId, idempotency } = request;
  const identity = `identity ${lockName(request)}`;
  return idempotency ? [identity, `key ${guildId} ${idempotency.key}`] : [identity];
}

type ClaimGroup = (tx: Transaction, requests: readonly ClaimRequest[]) => Promise<Outcome<ClaimResult>[]>;

/**
 * Claims for each request, of which no two share a key of `claimKeys`. Usually each finds at most one vote, and nothing else
 * depends on its claim: then the claims, the keys with their responses and `COMMIT` are one message. Otherwise the responses
 * are written when the claims are known.
 */
export function createClaimGroups(plain = new PlainGroups()): ClaimGroup {
  return async (tx, requests) => {
    const isExpected = plain.isExpected();
    let asked = await ask(tx, requests, isExpected);
    const expected = isExpected ? expectOutcomes(asked.claiming) : undefined;
    if (expected) {
      const isClaimed = await tx.commitWith(statementsOf(expected, asked.used));
      plain.noteAttempt(isClaimed);
      if (isClaimed) return outcomesOf(requests, asked, expected.claimed);
      asked = await ask(tx, requests, false);
    }
    const { claimed, isPlain } = await claimInSteps(tx, asked);
    plain.noteSteps(isPlain);
    return outcomesOf(requests, asked, claimed);
  };
}

/** `guilds`: those that exist. `claiming`: the requests that are not answered by the response of an earlier one. */
type Asked = { guilds: ReadonlySet<string>; used: readonly Used[]; claiming: readonly Claiming[] };

/** Locks what the requests depend on, and reads it. */
async function ask(tx: Queryable, requests: readonly ClaimRequest[], withTotals: boolean): Promise<Asked> {
  // Sent together, and run in this order: the others see what was stored before the locks were taken.
  const [guilds, used, claimable] = await Promise.all([
    lockAll(tx, requests),
    findKeys(tx, requests),
    readClaimable(tx, requests, withTotals),
  ]);
  const replayed = new Set(used.flatMap(({ request, result }) => (result ? [request] : [])));
  const claiming = requests.flatMap((request, i) =>
    guilds.has(request.guildId) && !replayed.has(request)
      ? [{ request, claimable: claimable[i] ?? { votes: [] } }]
      : [],
  );
  return { guilds, used, claiming };
}

function outcomesOf(
  requests: readonly ClaimRequest[],
  { guilds, used }: Asked,
  claimed: readonly Rendered[],
): Outcome<ClaimResult>[] {
  const results = new Map<ClaimRequest, ClaimResult>();
  for (const { request, result } of used) if (result) results.set(request, result);
  for (const { request, outcome, body } of claimed)
    results.set(request, { kind: 'done', body, replayed: false, claimed: outcome.vote !== null });
  return requests.map((request) => {
    const result = guilds.has(request.guildId) && results.get(request);
    return result ? { result } : { error: new UnknownGuildError(request.guildId) };
  });
}

function render([request, { outcome, id }]: readonly [ClaimRequest, Decided]): Rendered {
  return { request, outcome, id, body: request.render(outcome) };
}

type Expected = { picked: Pick[]; claimed: Rendered[] };

/** The outcomes if nothing has changed since the votes were read; `undefined` if they depend on each other or on more. */
function expectOutcomes(claiming: readonly Claiming[]): Expected | undefined {
  const { picked, none } = pickWanted(claiming);
  const outcomes: [ClaimRequest, Decided][] = none.map((request) => [request, NOTHING]);
  for (const { request, vote, id, remaining, totals } of picked) {
    if (!totals) return undefined;
    const claimed = { ...vote, claimedAt: request.now, ...totals };
    outcomes.push([request, { outcome: { vote: claimed, remaining }, id }]);
  }
  const isAll = outcomes.length === claiming.length && !none.some(({ only }) => only);
  return isAll ? { picked, claimed: outcomes.map(render) } : undefined;
}

function statementsOf({ picked, claimed }: Expected, used: readonly Used[]): Statement[] {
  return [...addAllStatements(picked), ...dropKeysStatement(used), ...addKeysStatement(claimed)];
}

async function claimInSteps(
  tx: Transaction,
  { claiming, used }: Asked,
): Promise<{ claimed: Rendered[]; isPlain: boolean }> {
  const run = (statements: readonly Statement[]) => Promise.all(statements.map((each) => tx.query(each)));
  const [{ outcomes, events, isPlain }] = await Promise.all([
    claimWanted(tx, claiming),
    run(dropKeysStatement(used)),
  ]);
  const claimed = Array.from(outcomes, render);
  await Promise.all([run(addKeysStatement(claimed)), writeEvents(tx, events), tx.commit()]);
  return { claimed, isPlain };
}

/** Returns the guilds that exist. */
async function lockAll(tx: Queryable, requests: readonly ClaimRequest[]): Promise<Set<string>> {
  const guildIds = new Set(requests.map(({ guildId }) => guildId));
  const numbers = requests.map(lockNumber).toSorted();
  const statement = { name: 'claim-lock', text: LOCK, values: [arrayOf([...guildIds]), arrayOf(numbers)] };
  const { rows } = await tx.query<{ guild_id: string }>(statement);
  return new Set(rows.map((row) => row.guild_id));
}

type Claiming = { request: ClaimRequest; claimable: Claimable };

const NOTHING: Decided = { outcome: { vote: null, remaining: 0 }, id: null };

/** `isPlain`: whether the outcomes could be known from the votes that were read. */
type Wanted = { outcomes: Map<ClaimRequest, Decided>; events: PlannedEvent[]; isPlain: boolean };

async function claimWanted(tx: Queryable, claiming: readonly Claiming[]): Promise<Wanted> {
  const outcomes = new Map<ClaimRequest, Decided>();
  const events: PlannedEvent[] = [];
  let isPlain = true;
  for (let waiting = claiming; waiting.length > 0; ) {
    const { picked, none } = pickWanted(waiting);
    const votes = picked.map(({ vote }) => vote);
    const [added, totals] = await Promise.all([addClaims(tx, picked), readTotals(tx, votes)]);
    const totalsOf = new Map(votes.map((vote, i) => [vote, totals[i]]));
    for (const { pick, claimedAt, subscriptions } of added) {
      const { request, id, remaining } = pick;
      const vote = { ...pick.vote, claimedAt };
      const totals = totalsOf.get(pick.vote) ?? NO_TOTALS;
      outcomes.set(request, { outcome: { vote: { ...vote, ...totals }, remaining }, id });
      events.push(...planClaimEvents({ ...vote, consumer: request.consumer }, subscriptions));
      isPlain &&= subscriptions.length === 0 && claimedAt === request.now;
    }
    for (const request of none) outcomes.set(request, await findEarlier(tx, request));
    // The vote of the others was deleted, or has the name of one that was claimed.
    waiting = await readAgain(
      tx,
      waiting.flatMap(({ request }) => (outcomes.has(request) ? [] : [request])),
    );
    isPlain &&= waiting.length === 0 && !none.some(({ only }) => only);
  }
  return { outcomes, events, isPlain };
}

/** The outcome of a request that finds nothing to claim. */
async function findEarlier(tx: Queryable, request: ClaimRequest): Promise<Decided> {
  const vote = await findHeld(tx, request);
  if (!vote) return NOTHING;
  const [totals = NO_TOTALS] = await readTotals(tx, [vote]);
  return { outcome: { vote: { ...vote, ...totals }, remaining: 0 }, id: voteId(vote) };
}

const NO_TOTALS: VoterTotals = { totalVotes: 0, streakDays: 0 };

async function readAgain(tx: Queryable, requests: readonly ClaimRequest[]): Promise<Claiming[]> {
  const claimable = await readClaimable(tx, requests);
  return requests.map((request, i) => ({ request, claimable: claimable[i] ?? { votes: [] } }));
}

/**
 * At most one vote of each name and consumer: whether a name can claim another vote depends on the claim of the first,
 * also when that is claimed by its user. `none`: requests that find nothing to claim.
 */
function pickWanted(claiming: readonly Claiming[]): { picked: Pick[]; none: ClaimRequest[] } {
  const names = new Set<string>();
  const picked: Pick[] = [];
  const none: ClaimRequest[] = [];
  for (const { request, claimable } of claiming) {
    const { wanted: vote, remaining } = wantedOf(claimable.votes, request.only);
    if (!vote) {
      none.push(request);
      continue;
    }
    const id = voteId(vote);
    const nameKey = nameKeyOf(vote);
    const name = `${vote.guildId} ${request.consumer} ${nameKey === null ? id : playerKeyOf(nameKey)}`;
    if (names.has(name)) continue;
    names.add(name);
    const totals = vote === claimable.votes[0] ? claimable.totalsOfFirst : undefined;
    picked.push({ request, vote, id, remaining, totals });
  }
  return { picked, none };
}

/** Identities with the same number only wait for each other. */
function lockNumber(request: ClaimRequest): string {
  return hash('sha256', lockName(request), 'buffer').readBigInt64BE().toString();
}

/** The names of a Minecraft player are one identity, whatever the rule of the guild. */
function lockName({ guildId, consumer, identity }: ClaimRequest): string {
  const who = 'userId' in identity ? `user ${identity.userId}` : `name ${playerKeyOf(nameKeyIn(identity))}`;
  // Processes of earlier versions take the same locks for `default`.
  const named = scopeOf(consumer) === 'named' ? ` ${consumer}` : '';
  return `${guildId} ${who}${named}`;
}

function nameKeyIn(identity: Exclude<ClaimIdentity, { userId: string }>): string {
  return 'foldedName' in identity ? identity.foldedName : foldExternalId(identity.externalId);
}
