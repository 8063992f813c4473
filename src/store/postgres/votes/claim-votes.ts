import { createHash } from 'node:crypto';
import { playerKeyOf } from '../../../domain/votes/player-names.ts';
import {
  type ClaimedVote,
  type ClaimIdentity,
  type ClaimOutcome,
  foldExternalId,
  IDEMPOTENCY_MS,
  nameKeyOf,
  type Vote,
  voteId,
} from '../../../domain/votes/vote.ts';
import { scopeOf } from '../../claims/claim-tables.ts';
import { type ClaimRequest, type ClaimResult, wantedOf } from '../../claims/claims.ts';
import { UnknownGuildError } from '../../store.ts';
import { type PlannedEvent, planClaimEvents } from '../../webhooks/events.ts';
import { columnsOf } from '../columns.ts';
import type { Queryable } from '../connection/connection.ts';
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
  // The primary key of idempotency_keys. Waits for a concurrent request with the same key. No row is returned while
  // the key is in use; an expired one counts as unused. Either way the row is locked until the transaction ends.
  takeKeys: `
    INSERT INTO idempotency_keys AS kept (guild_id, key, request_hash, body, created_at)
    SELECT guild_id, key, request_hash, '', created_at
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS asked (guild_id, key, request_hash, created_at)
    ORDER BY guild_id COLLATE "C", key COLLATE "C"
    ON CONFLICT (guild_id, key) DO UPDATE
    SET request_hash = excluded.request_hash, body = '', created_at = excluded.created_at
    WHERE kept.created_at <= excluded.created_at - ${IDEMPOTENCY_MS}
    RETURNING guild_id, key`,
  // The primary key of idempotency_keys, and the unique indexes of claims that start with (guild_id, vote_id). A
  // statement of its own, because `takeKeys` may have waited: what it would read of claims could be older than the key.
  findKeys: `
    SELECT k.guild_id, k.key, request_hash, body, vote_id IS NOT NULL AND NOT CASE k.consumer WHEN 'default'
      THEN ${heldBy('vote_claims', '')} ELSE ${heldBy('consumer_claims', 'AND c.consumer = k.consumer')}
    END AS is_released
    FROM unnest($1::text[], $2::text[]) AS asked (guild_id, key)
    JOIN idempotency_keys k ON k.guild_id = asked.guild_id COLLATE "C" AND k.key = asked.key COLLATE "C"`,
  // The primary key.
  retakeKeys: `
    UPDATE idempotency_keys k SET request_hash = asked.request_hash, created_at = asked.created_at
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS asked (guild_id, key, request_hash, created_at)
    WHERE k.guild_id = asked.guild_id COLLATE "C" AND k.key = asked.key COLLATE "C"`,
  // The primary key.
  keepBodies: `
    UPDATE idempotency_keys k
    SET body = asked.body, consumer = asked.consumer, vote_id = asked.vote_id, claimed_at = asked.claimed_at
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
      AS asked (guild_id, key, body, consumer, vote_id, claimed_at)
    WHERE k.guild_id = asked.guild_id COLLATE "C" AND k.key = asked.key COLLATE "C"`,
} as const;

function heldBy(claims: string, andConsumer: string): string {
  return `EXISTS (
    SELECT FROM ${claims} c
    WHERE c.guild_id = k.guild_id AND c.vote_id = k.vote_id AND c.claimed_at = k.claimed_at ${andConsumer})`;
}

/** What concurrent claims wait for: claims that share one cannot be in one group. */
export function claimKeys(request: ClaimRequest): string[] {
  const { guildId, idempotency } = request;
  const lock = `lock ${lockNumber(request)}`;
  return idempotency ? [lock, `key ${guildId} ${idempotency.key}`] : [lock];
}

/** Claims for each request, of which no two share a key of `claimKeys`. */
export async function claimAll(
  tx: Queryable,
  requests: readonly ClaimRequest[],
): Promise<Outcome<ClaimResult>[]> {
  const guilds = await lockAll(tx, requests);
  const known = requests.filter(({ guildId }) => guilds.has(guildId));
  const replayed = await replayAll(tx, known);
  const outcomes = await claimWanted(
    tx,
    known.filter((request) => !replayed.has(request)),
  );
  const claimed = Array.from(outcomes, ([request, outcome]) => ({
    request,
    outcome,
    body: request.render(outcome),
  }));
  await keepBodies(tx, claimed);
  const results = new Map<ClaimRequest, ClaimResult>(replayed);
  for (const { request, outcome, body } of claimed)
    results.set(request, { kind: 'done', body, replayed: false, claimed: outcome.vote !== null });
  return requests.map((request) => {
    const result = results.get(request);
    return result ? { result } : { error: new UnknownGuildError(request.guildId) };
  });
}

/** Returns the guilds that exist. */
async function lockAll(tx: Queryable, requests: readonly ClaimRequest[]): Promise<Set<string>> {
  const guildIds = new Set(requests.map(({ guildId }) => guildId));
  const numbers = requests.map(lockNumber).toSorted();
  const rows = await execute<{ guild_id: string }>(tx, 'lock', [...guildIds], numbers);
  return new Set(rows.map((row) => row.guild_id));
}

type Keyed = { request: ClaimRequest; key: string; requestHash: string };
type KeyRow = { guild_id: string; key: string };
type StoredKeyRow = KeyRow & { request_hash: string; body: string; is_released: boolean };

const keyName = ({ guild_id, key }: KeyRow) => `${guild_id} ${key}`;

/** The results of requests whose key was used before. The keys of the others are taken. */
async function replayAll(
  tx: Queryable,
  requests: readonly ClaimRequest[],
): Promise<Map<ClaimRequest, ClaimResult>> {
  const results = new Map<ClaimRequest, ClaimResult>();
  const keyed = requests.flatMap((request) =>
    request.idempotency ? [{ request, ...request.idempotency }] : [],
  );
  const takenRows = await executeEach<KeyRow>(tx, 'takeKeys', keyed.map(keyRow));
  const taken = new Set(takenRows.map(keyName));
  const nameOfKey = ({ request, key }: Keyed) => keyName({ guild_id: request.guildId, key });
  const used = keyed.filter((one) => !taken.has(nameOfKey(one)));
  const found = await executeEach<StoredKeyRow>(
    tx,
    'findKeys',
    used.map(({ request, key }) => [request.guildId, key]),
  );
  const stored = new Map(found.map((row) => [keyName(row), row]));
  const released: Keyed[] = [];
  for (const one of used) {
    const earlier = stored.get(nameOfKey(one));
    if (earlier?.is_released) released.push(one);
    else if (earlier?.request_hash !== one.requestHash) results.set(one.request, { kind: 'mismatch' });
    else results.set(one.request, { kind: 'done', body: earlier.body, replayed: true, claimed: false });
  }
  await executeEach(tx, 'retakeKeys', released.map(keyRow));
  return results;
}

function keyRow({ request, key, requestHash }: Keyed): unknown[] {
  return [request.guildId, key, requestHash, request.now];
}

type Claimed = { request: ClaimRequest; vote: ClaimedVote | null; remaining: number };

async function claimWanted(
  tx: Queryable,
  requests: readonly ClaimRequest[],
): Promise<Map<ClaimRequest, ClaimOutcome>> {
  const claimed: Claimed[] = [];
  const events: PlannedEvent[] = [];
  for (let waiting = requests; waiting.length > 0; ) {
    const claimable = await readClaimable(tx, waiting);
    const picks = pickWanted(waiting, claimable);
    const done = new Set<ClaimRequest>();
    for (const request of picks.none) {
      claimed.push({ request, vote: await findHeld(tx, request), remaining: 0 });
      done.add(request);
    }
    for (const { pick, claimedAt, subscriptions } of await addClaims(tx, picks.picked)) {
      const { request, remaining } = pick;
      const vote = { ...pick.vote, claimedAt };
      claimed.push({ request, vote, remaining });
      events.push(...planClaimEvents({ ...vote, consumer: request.consumer }, subscriptions));
      done.add(request);
    }
    // A vote that was not added was claimed by its other identity.
    waiting = waiting.filter((request) => !done.has(request));
  }
  await writeEvents(tx, events);
  return withTotals(tx, claimed);
}

async function withTotals(
  tx: Queryable,
  claimed: readonly Claimed[],
): Promise<Map<ClaimRequest, ClaimOutcome>> {
  const votes = claimed.flatMap(({ vote }) => vote ?? []);
  const totals = await readTotals(tx, votes);
  const totalsOf = new Map(votes.map((vote, i) => [vote, totals[i] ?? { totalVotes: 0, streakDays: 0 }]));
  return new Map(
    claimed.map(({ request, vote, remaining }) => {
      const counted = vote && totalsOf.get(vote);
      return [request, { vote: counted ? { ...vote, ...counted } : null, remaining }];
    }),
  );
}

/**
 * At most one vote of each name and consumer: whether a name can claim another vote depends on the claim of the first,
 * also when that is claimed by its user. `none`: requests that find nothing to claim.
 */
function pickWanted(
  requests: readonly ClaimRequest[],
  claimable: readonly Vote[][],
): { picked: Pick[]; none: ClaimRequest[] } {
  const names = new Set<string>();
  const picked: Pick[] = [];
  const none: ClaimRequest[] = [];
  for (const [i, request] of requests.entries()) {
    const { wanted: vote, remaining } = wantedOf(claimable[i] ?? [], request.only);
    if (!vote) {
      none.push(request);
      continue;
    }
    const nameKey = nameKeyOf(vote);
    const name = `${vote.guildId} ${request.consumer} ${nameKey === null ? voteId(vote) : playerKeyOf(nameKey)}`;
    if (names.has(name)) continue;
    names.add(name);
    picked.push({ request, vote, remaining });
  }
  return { picked, none };
}

type Rendered = { request: ClaimRequest; outcome: ClaimOutcome; body: string };

async function keepBodies(tx: Queryable, claimed: readonly Rendered[]): Promise<void> {
  const rows = claimed.flatMap(({ request: { guildId, consumer, idempotency }, outcome: { vote }, body }) => {
    const held = vote ? [voteId(vote), vote.claimedAt] : [null, null];
    return idempotency ? [[guildId, idempotency.key, body, consumer, ...held]] : [];
  });
  await executeEach(tx, 'keepBodies', rows);
}

/** One parameter for each column; nothing is sent without rows. */
async function executeEach<R extends object>(
  tx: Queryable,
  name: keyof typeof GROUP_STATEMENTS,
  rows: readonly (readonly unknown[])[],
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

/**
 * The names of a Minecraft player are one identity, whatever the rule of the guild. Identities with the same lock number
 * only wait for each other.
 */
function lockNumber({ guildId, consumer, identity }: ClaimRequest): string {
  const who = 'userId' in identity ? `user ${identity.userId}` : `name ${playerKeyOf(nameKeyIn(identity))}`;
  // Processes of earlier versions take the same locks for `default`.
  const named = scopeOf(consumer) === 'named' ? ` ${consumer}` : '';
  return createHash('sha256').update(`${guildId} ${who}${named}`).digest().readBigInt64BE().toString();
}

function nameKeyIn(identity: Exclude<ClaimIdentity, { userId: string }>): string {
  return 'foldedName' in identity ? identity.foldedName : foldExternalId(identity.externalId);
}
