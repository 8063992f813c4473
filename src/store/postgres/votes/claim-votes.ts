import { createHash } from 'node:crypto';
import type { Instant } from '../../../domain/clock.ts';
import {
  type ClaimIdentity,
  type ClaimOutcome,
  IDEMPOTENCY_MS,
  nameKeyOf,
  type Vote,
  voteId,
} from '../../../domain/votes/vote.ts';
import { type ClaimRequest, type ClaimResult, nameOf } from '../../claims.ts';
import { UnknownGuildError } from '../../store.ts';
import { type PlannedEvent, planClaimEvents, type Subscription } from '../../webhooks/events.ts';
import { columnsOf } from '../columns.ts';
import type { Queryable } from '../connection/connection.ts';
import { writeEvents } from '../webhooks/events.ts';
import type { Outcome } from '../write-groups.ts';
import { readClaimable } from './claimable.ts';

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
  // The primary key of idempotency_keys, and the unique index (guild_id, vote_id) of vote_claims. A statement of its
  // own, because `takeKeys` may have waited: what it would read of vote_claims could be older than the key.
  findKeys: `
    SELECT k.guild_id, k.key, request_hash, body, vote_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM vote_claims c
      WHERE c.guild_id = k.guild_id AND c.vote_id = k.vote_id AND c.claimed_at = k.claimed_at
    ) AS is_released
    FROM unnest($1::text[], $2::text[]) AS asked (guild_id, key)
    JOIN idempotency_keys k ON k.guild_id = asked.guild_id COLLATE "C" AND k.key = asked.key COLLATE "C"`,
  // The primary key.
  retakeKeys: `
    UPDATE idempotency_keys k SET request_hash = asked.request_hash, created_at = asked.created_at
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS asked (guild_id, key, request_hash, created_at)
    WHERE k.guild_id = asked.guild_id COLLATE "C" AND k.key = asked.key COLLATE "C"`,
  // The primary key.
  keepBodies: `
    UPDATE idempotency_keys k SET body = asked.body, vote_id = asked.vote_id, claimed_at = asked.claimed_at
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
      AS asked (guild_id, key, body, vote_id, claimed_at)
    WHERE k.guild_id = asked.guild_id COLLATE "C" AND k.key = asked.key COLLATE "C"`,
  // Index votes_by_user, with the time, and primary keys. No row is returned for a vote that was claimed in the meantime by its other identity, or deleted.
  add: `
    WITH added AS (
      INSERT INTO vote_claims (guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at)
      SELECT v.guild_id, v.cast_at, v.user_id, asked.vote_id, v.external_id, asked.name_key, asked.claimed_at
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[])
        AS asked (guild_id, cast_at, user_id, vote_id, name_key, claimed_at)
      JOIN votes v ON v.guild_id = asked.guild_id COLLATE "C" AND v.cast_at = asked.cast_at
        AND v.user_id = asked.user_id COLLATE "C"
      ORDER BY v.guild_id, v.cast_at, v.user_id FOR KEY SHARE OF v
      ON CONFLICT DO NOTHING RETURNING guild_id, vote_id
    )
    SELECT guild_id, vote_id, ARRAY(
      SELECT json_build_object('endpoint_id', endpoint_id, 'events', events)
      FROM webhook_endpoints WHERE webhook_endpoints.guild_id = added.guild_id
    ) AS subscriptions FROM added`,
  // The primary key, and the unique index (guild_id, vote_id). The claims' rows are ours now, so no release is missed.
  // A statement of its own: `add` may have waited for a release that it could not see.
  delay: `
    UPDATE vote_claims c SET claimed_at = r.claimed_at + 1
    FROM unnest($1::text[], $2::text[]) AS asked (guild_id, vote_id)
    JOIN released_claims r ON r.guild_id = asked.guild_id COLLATE "C" AND r.vote_id = asked.vote_id COLLATE "C"
    WHERE c.guild_id = r.guild_id AND c.vote_id = r.vote_id AND r.claimed_at >= c.claimed_at
    RETURNING c.guild_id, c.vote_id, c.claimed_at`,
} as const;

/** What concurrent claims wait for: claims that share one cannot be in one group. */
export function claimKeys({ guildId, identity, idempotency }: ClaimRequest): string[] {
  const lock = `lock ${lockNumber(guildId, identity)}`;
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
  const outcomes = await claimOldest(
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
  const numbers = requests.map(({ guildId, identity }) => lockNumber(guildId, identity)).toSorted();
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

type Pick = { request: ClaimRequest; vote: Vote; remaining: number };

async function claimOldest(
  tx: Queryable,
  requests: readonly ClaimRequest[],
): Promise<Map<ClaimRequest, ClaimOutcome>> {
  const outcomes = new Map<ClaimRequest, ClaimOutcome>();
  const events: PlannedEvent[] = [];
  for (let waiting = requests; waiting.length > 0; ) {
    const claimable = await readClaimable(tx, waiting);
    for (const [i, request] of waiting.entries())
      if (claimable[i]?.length === 0) outcomes.set(request, { vote: null, remaining: 0 });
    for (const { pick, claimedAt, subscriptions } of await addClaims(tx, pickOldest(waiting, claimable))) {
      const vote = { ...pick.vote, claimedAt };
      outcomes.set(pick.request, { vote, remaining: pick.remaining });
      events.push(...planClaimEvents(vote, subscriptions));
    }
    // A vote that was not added was claimed by its other identity.
    waiting = waiting.filter((request) => !outcomes.has(request));
  }
  await writeEvents(tx, events);
  return outcomes;
}

/**
 * At most one vote of each name: whether a name can claim another vote depends on the claim of the first, also when
 * that is claimed by its user.
 */
function pickOldest(requests: readonly ClaimRequest[], claimable: readonly Vote[][]): Pick[] {
  const names = new Set<string>();
  return requests.flatMap((request, i) => {
    const [vote, ...others] = claimable[i] ?? [];
    if (!vote) return [];
    const name = `${vote.guildId} ${nameKeyOf(vote) ?? voteId(vote)}`;
    if (names.has(name)) return [];
    names.add(name);
    return [{ request, vote, remaining: others.length }];
  });
}

type AddedRow = { guild_id: string; vote_id: string; subscriptions: Subscription[] };
type DelayedRow = { guild_id: string; vote_id: string; claimed_at: Instant };
type Added = { pick: Pick; claimedAt: Instant; subscriptions: Subscription[] };

/** Returns those that could be claimed. */
async function addClaims(tx: Queryable, picks: readonly Pick[]): Promise<Added[]> {
  const rows = picks.map(({ request: { now }, vote }) => {
    const { guildId, castAt, userId } = vote;
    return [guildId, castAt, userId, voteId(vote), nameKeyOf(vote), now];
  });
  const added = await executeEach<AddedRow>(tx, 'add', rows);
  const ids = added.map(({ guild_id, vote_id }) => [guild_id, vote_id]);
  const delayed = await executeEach<DelayedRow>(tx, 'delay', ids);
  const nameOfRow = (row: { guild_id: string; vote_id: string }) => `${row.guild_id} ${row.vote_id}`;
  const addedBy = new Map(added.map((row) => [nameOfRow(row), row]));
  const delayedTo = new Map(delayed.map((row) => [nameOfRow(row), row.claimed_at]));
  return picks.flatMap((pick) => {
    const id = nameOfRow({ guild_id: pick.vote.guildId, vote_id: voteId(pick.vote) });
    const row = addedBy.get(id);
    if (!row) return [];
    return [{ pick, claimedAt: delayedTo.get(id) ?? pick.request.now, subscriptions: row.subscriptions }];
  });
}

type Rendered = { request: ClaimRequest; outcome: ClaimOutcome; body: string };

async function keepBodies(tx: Queryable, claimed: readonly Rendered[]): Promise<void> {
  const rows = claimed.flatMap(({ request: { guildId, idempotency }, outcome: { vote }, body }) => {
    const held = vote ? [voteId(vote), vote.claimedAt] : [null, null];
    return idempotency ? [[guildId, idempotency.key, body, ...held]] : [];
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

/** A name is one identity, whatever its case. Identities with the same lock number only wait for each other. */
function lockNumber(guildId: string, identity: ClaimIdentity): string {
  const who = 'userId' in identity ? `user ${identity.userId}` : `name ${nameOf(identity)?.nameKey}`;
  return createHash('sha256').update(`${guildId} ${who}`).digest().readBigInt64BE().toString();
}
