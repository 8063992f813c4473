/** Claims compared with plain writes: the same number of single-row transactions through the bare driver. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { DatabaseUrl } from '../../src/config.ts';
import { claimWindow } from '../../src/domain/votes/vote.ts';
import { openStore } from '../../src/store/open.ts';
import { guildId, NOW, userId } from '../data-sets/shape.ts';
import { median } from './compare.ts';
import type { Bench } from './vote-check.ts';

export type ClaimFigures = { sqlite: ClaimPair; postgres: ClaimPair };

type ClaimPair = { ratio: number; claimsPerSecond: number; writesPerSecond: number };

const AT_ONCE = 64;
const GUILD = guildId(0);
/** Connections of the plain writes, as many as the store uses. */
const CONNECTIONS = 10;

/** Times many operations, `AT_ONCE` at a time. */
async function perSecond(count: number, work: (i: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const start = performance.now();
  const worker = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return count / ((performance.now() - start) / 1000);
}

export async function measureClaims({ data, plan }: Bench): Promise<ClaimFigures> {
  const count = Math.ceil(500 * plan.seconds);
  const path = join(data.folder, 'claims.db');
  const sqlite = await inRounds(plan.rounds, async () => {
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
    const claims = await claimsPerSecond({ kind: 'sqlite', path }, count);
    return { claims, writes: await sqliteWrites(path, count) };
  });
  const url = new URL(data.postgres.server.url);
  url.pathname = 'claims';
  const admin = new pg.Client({ connectionString: data.postgres.server.url });
  await admin.connect();
  try {
    const postgres = await inRounds(plan.rounds, async () => {
      await admin.query('DROP DATABASE IF EXISTS claims');
      await admin.query('CREATE DATABASE claims');
      const claims = await claimsPerSecond({ kind: 'postgres', url: url.href }, count);
      return { claims, writes: await postgresWrites(url.href, count) };
    });
    return { sqlite, postgres };
  } finally {
    await admin.end();
  }
}

async function inRounds(
  rounds: number,
  round: () => Promise<{ claims: number; writes: number }>,
): Promise<ClaimPair> {
  const measured: { claims: number; writes: number }[] = [];
  for (let i = 0; i < rounds; i += 1) measured.push(await round());
  return {
    ratio: median(measured.map(({ claims, writes }) => claims / writes)),
    claimsPerSecond: median(measured.map(({ claims }) => claims)),
    writesPerSecond: median(measured.map(({ writes }) => writes)),
  };
}

/** One vote for each user, claimed by that user with an Idempotency-Key. */
async function claimsPerSecond(database: DatabaseUrl, count: number): Promise<number> {
  const store = await openStore(database);
  try {
    await store.guilds.add({ guildId: GUILD, name: 'Bench', createdAt: NOW });
    const votes = Array.from({ length: count }, (_, i) => {
      const vote = { guildId: GUILD, userId: userId(0, i), externalId: null, isDoubled: false };
      return { ...vote, castAt: NOW - i };
    });
    await store.votes.import(
      (async function* () {
        yield votes;
      })(),
      NOW,
    );
    return await perSecond(count, (i) =>
      store.claims.claim({
        guildId: GUILD,
        identity: { userId: userId(0, i) },
        window: claimWindow(NOW, 24),
        oneRewardPerName: true,
        now: NOW,
        idempotency: { key: `key-${i}`, requestHash: 'bench' },
        render: (outcome) => JSON.stringify(outcome),
      }),
    );
  } finally {
    await store.close();
  }
}

const TABLE = 'CREATE TABLE plain_writes (id INTEGER PRIMARY KEY, guild_id TEXT, user_id TEXT, at BIGINT)';

async function sqliteWrites(path: string, count: number): Promise<number> {
  const db = new Database(path);
  db.pragma('synchronous = FULL');
  db.exec(TABLE);
  const insert = db.prepare('INSERT INTO plain_writes VALUES (?, ?, ?, ?)');
  const rate = await perSecond(count, async (i) => insert.run(i, GUILD, userId(0, i), NOW));
  db.close();
  return rate;
}

async function postgresWrites(url: string, count: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  await pool.query(TABLE);
  const text = 'INSERT INTO plain_writes VALUES ($1, $2, $3, $4)';
  const rate = await perSecond(count, (i) =>
    pool.query({ name: 'insert', text, values: [i, GUILD, userId(0, i), NOW] }),
  );
  await pool.end();
  return rate;
}
