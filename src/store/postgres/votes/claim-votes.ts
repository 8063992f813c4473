import { hash } from 'node:crypto';
import type { Instant } from '../../../domain/clock.ts';
import { playerKeyOf } from '../../../domain/votes/player-names.ts';
import {
  type ClaimIdentity,
  type ClaimOutcome,
  foldExternalId,
  IDEMPOTENCY_MS,
  nameKeyOf,
  type Vote,
  type VoterTotals,
  voteId,
} from '../../../domain/votes/vote.ts';
import { scopeOf } from '../../claims/claim-tables.ts';
import { type ClaimRequest, type ClaimResult, wantedOf } from '../../claims/claims.ts';
import { UnknownGuildError } from '../../store.ts';
import { type PlannedEvent, planClaimEvents } from '../../webhooks/events.ts';
import { arrayOf, type Cell, columnsOf } from '../columns.ts';
import type { Queryable, Transaction } from '../connection/connection.ts';
import { writeEvents } from '../webhooks/events.ts';
import type { Outcome } from '../write-groups.ts';
import { addClaims, findHeld, type Pick } from './add-claims.ts';
import { readClaimable } from './claimable.ts';
import { readTotals } from './standing.ts';

/**
 * Statements for all claims of a group. Each takes its locks in the order of the keys, and all groups run the
 * statements in the same order, so that two groups cannot wait for each other.
 */
export const GROUP_STATEMENTS = {
  // Claims of one identity run one after the other: which vote is the oldest depends on earlier claims. The guild is
  // locked in the same order as its removal. Both locks end with the transaction, so they work behind a pooler.
  lock: `
    SELECT guild_id, (SELECT count(pg_advisory_xact_lock(number)) FROM unnest($2::bigint[]) AS number) AS locks
    FROM guilds WHERE guild_id = ANY ($1::text[]) ORDER BY guild_id FOR KEY SHARE`,
  // The primary key of idempotency_keys, and the unique indexes of claims that start with (guild_id, vote_id). A
  // statement of its own, because `lock` may have waited: what it would read could be older than the locks. Each key is
  // the first from itself to itself, because only the primary key has that order: with a plain join, the planner may read
  // all keys of the guild for each of them.
  findKeys: `
    SELECT k.guild_id, k.key, request_hash, body, created_at, vote_id IS NOT NULL AND NOT CASE k.consumer
      WHEN 'default' THEN ${heldBy('vote_claims', '')}
      ELSE ${heldBy('consumer_claims', 'AND c.consumer = k.consumer')}
    END AS is_released
    FROM unnest($1::text[], $2::text[]) AS asked (guild_id, key)
    CROSS JOIN LATERAL (
      SELECT * FROM idempotency_keys
      WHERE guild_id = asked.guild_id COLLATE "C" AND key >= asked.key COLLATE "C" AND key <= asked.key COLLATE "C"
      ORDER BY key LIMIT 1
    ) AS k`,
  // The primary key or idempotency_keys_by_age. A key that was used again in the meantime has another time or hash, and stays.
  dropKeys: `
    DELETE FROM idempotency_keys k
    USING unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS asked (guild_id, key, request_hash, created_at)
    WHERE k.guild_id = asked.guild_id COLLATE "C" AND k.key = asked.key COLLATE "C"
      AND k.request_hash = asked.request_hash AND k.created_at = asked.created_at`,
  // Waits for a concurrent request with the same key, and fails if that is stored: this one is then run again, and finds
  // the key.
  addKeys: `
    INSERT INTO idempotency_keys (guild_id, key, request_hash, created_at, body, consumer, vote_id, claimed_at)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[])
      AS asked (guild_id, key) ORDER BY guild_id COLLATE "C", key COLLATE "C"`,
} as const;

/** A subquery with a limit: PostgreSQL may read all claims once to look up EXISTS in them. */
function heldBy(claims: string, andConsumer: string): string {
  return `(
    SELECT c.vote_id FROM ${claims} c
    WHERE c.guild_id = k.guild_id AND c.vote_id = k.vote_id AND c.claimed_at = k.claimed_at ${andConsumer} LIMIT 1
  ) IS NOT NULL`;
}

/** What concurrent claims wait for: claims that share one cannot be in one group. */
export function claimKeys(request: ClaimRequest): string[] {
  const { guildId, idempotency } = request;
  const identity = `identity ${lockName(request)}`;
  return idempotency ? [identity, `key ${guildId} ${idempotency.key}`] : [identity];
}

/** Claims for each request, of which no two share a key of `claimKeys`. */
export async function claimAll(
  tx: Transaction,
  requests: readonly ClaimRequest[],
): Promise<Outcome<ClaimResult>[]> {
  // Sent together, and run in this order: the others see what was stored before the locks were taken.
  const [guilds, used, claimable] = await Promise.all([
    lockAll(tx, requests),
    findKeys(tx, requests),
    readClaimable(tx, requests),
  ]);
  const results = new Map<ClaimRequest, ClaimResult>(
    used.flatMap(({ request, result }) => (result ? [[request, result]] : [])),
  );
  const claiming = requests.flatMap((request, i) =>
    guilds.has(request.guildId) && !results.has(request) ? [{ request, claimable: claimable[i] ?? [] }] : [],
  );
  const [{ outcomes, events }] = await Promise.all([claimWanted(tx, claiming), dropKeys(tx, used)]);
  const claimed = Array.from(outcomes, ([request, { outcome, id }]) => ({
    ...{ request, outcome, id },
    body: request.render(outcome),
  }));
  await Promise.all([addKeys(tx, claimed), writeEvents(tx, events), tx.commit()]);
  for (const { request, outcome, body } of claimed)
    results.set(request, { kind: 'done', body, replayed: false, claimed: outcome.vote !== null });
  return requests.map((request) => {
    const result = guilds.has(request.guildId) && results.get(request);
    return result ? { result } : { error: new UnknownGuildError(request.guildId) };
  });
}

/** Returns the guilds that exist. */
async function lockAll(tx: Queryable, requests: readonly ClaimRequest[]): Promise<Set<string>> {
  const guildIds = new Set(requests.map(({ guildId }) => guildId));
  const numbers = requests.map(lockNumber).toSorted();
  const rows = await execute<{ guild_id: string }>(tx, 'lock', arrayOf([...guildIds]), arrayOf(numbers));
  return new Set(rows.map((row) => row.guild_id));
}

type KeyRow = {
  guild_id: string;
  key: string;
  request_hash: string;
  body: string;
  created_at: Instant;
  is_released: boolean;
};

/** A request whose key was used before. `result`: null if the key counts as unused. */
type Used = { request: ClaimRequest; row: KeyRow; result: ClaimResult | null };

const keyName = (guildId: string, key: string) => `${guildId} ${key}`;

async function findKeys(tx: Queryable, requests: readonly ClaimRequest[]): Promise<Used[]> {
  const keys = requests.flatMap(({ guildId, idempotency }) =>
    idempotency ? [[guildId, idempotency.key]] : [],
  );
  const rows = await executeEach<KeyRow>(tx, 'findKeys', keys);
  if (rows.length === 0) return [];
  const stored = new Map(rows.map((row) => [keyName(row.guild_id, row.key), row]));
  return requests.flatMap((request) => {
    const { guildId, idempotency } = request;
    const row = idempotency && stored.get(keyName(guildId, idempotency.key));
    return row ? [{ request, row, result: replayOf(request, row) }] : [];
  });
}

function replayOf({ now, idempotency }: ClaimRequest, row: KeyRow): ClaimResult | null {
  if (row.is_released || row.created_at <= now - IDEMPOTENCY_MS) return null;
  if (row.request_hash !== idempotency?.requestHash) return { kind: 'mismatch' };
  return { kind: 'done', body: row.body, replayed: true, claimed: false };
}

/** Deletes the keys that count as unused. */
async function dropKeys(tx: Queryable, used: readonly Used[]): Promise<void> {
  const rows = used.flatMap(({ row: { guild_id, key, request_hash, created_at }, result }) =>
    result ? [] : [[guild_id, key, request_hash, created_at]],
  );
  await executeEach(tx, 'dropKeys', rows);
}

type Claiming = { request: ClaimRequest; claimable: readonly Vote[] };

/** `id`: that of the vote, hashed once. */
type Decided = { outcome: ClaimOutcome; id: string | null };

async function claimWanted(
  tx: Queryable,
  claiming: readonly Claiming[],
): Promise<{ outcomes: Map<ClaimRequest, Decided>; events: PlannedEvent[] }> {
  const outcomes = new Map<ClaimRequest, Decided>();
  const events: PlannedEvent[] = [];
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
    }
    for (const request of none) outcomes.set(request, await findEarlier(tx, request));
    // The vote of the others was deleted, or has the name of one that was claimed.
    waiting = await readAgain(
      tx,
      waiting.flatMap(({ request }) => (outcomes.has(request) ? [] : [request])),
    );
  }
  return { outcomes, events };
}

/** The outcome of a request that finds nothing to claim. */
async function findEarlier(tx: Queryable, request: ClaimRequest): Promise<Decided> {
  const vote = await findHeld(tx, request);
  if (!vote) return { outcome: { vote, remaining: 0 }, id: null };
  const [totals = NO_TOTALS] = await readTotals(tx, [vote]);
  return { outcome: { vote: { ...vote, ...totals }, remaining: 0 }, id: voteId(vote) };
}

const NO_TOTALS: VoterTotals = { totalVotes: 0, streakDays: 0 };

async function readAgain(tx: Queryable, requests: readonly ClaimRequest[]): Promise<Claiming[]> {
  const claimable = await readClaimable(tx, requests);
  return requests.map((request, i) => ({ request, claimable: claimable[i] ?? [] }));
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
    const { wanted: vote, remaining } = wantedOf(claimable, request.only);
    if (!vote) {
      none.push(request);
      continue;
    }
    const id = voteId(vote);
    const nameKey = nameKeyOf(vote);
    const name = `${vote.guildId} ${request.consumer} ${nameKey === null ? id : playerKeyOf(nameKey)}`;
    if (names.has(name)) continue;
    names.add(name);
    picked.push({ request, vote, id, remaining });
  }
  return { picked, none };
}

type Rendered = Decided & { request: ClaimRequest; body: string };

async function addKeys(tx: Queryable, claimed: readonly Rendered[]): Promise<void> {
  const rows = claimed.flatMap(({ request, outcome: { vote }, id, body }) => {
    const { guildId, consumer, now, idempotency } = request;
    if (!idempotency) return [];
    const claim = [consumer, id, vote?.claimedAt];
    return [[guildId, idempotency.key, idempotency.requestHash, now, body, ...claim]];
  });
  await executeEach(tx, 'addKeys', rows);
}

/** One parameter for each column; nothing is sent without rows. */
async function executeEach<R extends object>(
  tx: Queryable,
  name: keyof typeof GROUP_STATEMENTS,
  rows: readonly (readonly Cell[])[],
): Promise<R[]> {
  return rows.length === 0 ? [] : execute<R>(tx, name, ...columnsOf(rows));
}

async function execute<R extends object>(
  tx: Queryable,
  name: keyof typeof GROUP_STATEMENTS,
  ...values: unknown[]
): Promise<R[]> {
  return (await tx.query<R>({ name: `claim-${name}`, text: GROUP_STATEMENTS[name], values })).rows;
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
