/** What PostgreSQL reports about its connections, and ways to exhaust them. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Site } from '../../lib/site.ts';

const PATIENCE_MS = 3000;

/** Connections that Votary has open. */
export function countOpen(site: Site): Promise<number> {
  return count(site, "application_name = 'votary'");
}

/**
 * Votary's connections that are in the middle of a transaction, polled until there are `wanted` of them or the time
 * is up. The poll for due webhooks keeps one busy for a moment, a leak keeps it forever.
 */
export async function countBusy(site: Site, wanted: number): Promise<number> {
  const start = performance.now();
  for (;;) {
    const busy = await count(site, "application_name = 'votary' AND state <> 'idle'");
    if (busy === wanted || performance.now() - start > PATIENCE_MS) return busy;
    await pause(20);
  }
}

/** Blocks all votes from being written until it is released. */
export async function holdVotes(site: Site): Promise<() => Promise<void>> {
  const client = await connect(site);
  await client.query('BEGIN; LOCK TABLE votes');
  return async () => {
    await client.query('ROLLBACK');
    await client.end();
  };
}

/** Takes every connection that becomes free. */
export function holdConnections(site: Site): { release(): Promise<void> } {
  const holders: pg.Client[] = [];
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      await connect(site).then(
        (holder) => holders.push(holder),
        () => pause(2),
      );
    }
  })();
  return {
    release: async () => {
      isOver = true;
      await work;
      await Promise.all(holders.map((holder) => holder.end()));
      await untilRoom(site);
    },
  };
}

/** A connection that was ended counts until its backend has exited. */
async function untilRoom(site: Site): Promise<void> {
  const others =
    "application_name <> 'votary' AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
  while ((await count(site, others).catch(() => 1)) > 0) await pause(2);
}

async function count(site: Site, which: string): Promise<number> {
  const client = await connect(site);
  try {
    const { rows } = await client.query(`SELECT count(*)::int AS found FROM pg_stat_activity WHERE ${which}`);
    return rows[0].found;
  } finally {
    await client.end();
  }
}

async function connect({ database }: Site): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.kind === 'postgres' ? database.url : '' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
