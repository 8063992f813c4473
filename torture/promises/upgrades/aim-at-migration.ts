/**
 * Most of the time that `votary migrate` takes it only starts. Here its work itself is watched from outside, so that a
 * kill lands in the midst of it: on SQLite by the length of the log, on PostgreSQL on a road made slow.
 *
 *   const aim = await takeAim('postgres');
 *   const child = spawnVotary(aim.envOf(site), ['migrate']);
 *   await aim.wait(site, child, 0.5);   // half of the migration is over, or the process has ended
 */
import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { type Environment, pollUntil, spawnVotary } from '../../lib/processes.ts';
import { type Kind, makeSite, type Site, sharedPostgres } from '../../lib/site.ts';
import { startTcpProxy } from '../../lib/tcp-proxy.ts';

export type Aim = {
  envOf(site: Site): Environment;
  /** Resolves when this share of the migration is over, from 0 to 1, or the process has ended. */
  wait(site: Site, child: ChildProcess, share: number): Promise<void>;
  close(): void;
};

/** With every message delayed by this much, most of the time is spent in the migration. */
const DELAY_MS = 8;
/** The share of that time in which the program starts and connects. */
const STARTING = 0.35;

export function takeAim(kind: Kind): Promise<Aim> {
  return kind === 'sqlite' ? aimAtLog() : aimAtRoad();
}

async function aimAtLog(): Promise<Aim> {
  const envOf = ({ env }: Site) => env;
  let wholeBytes = 0;
  await watchWhole('sqlite', envOf, (site) => {
    wholeBytes = Math.max(wholeBytes, logBytes(site));
  });
  return {
    envOf,
    wait: (site, child, share) => pollUntil(child, () => logBytes(site) >= share * wholeBytes),
    close: () => {},
  };
}

/** -1 before the log exists. */
function logBytes({ database }: Site): number {
  if (database.kind !== 'sqlite') return -1;
  return statSync(`${database.path}-wal`, { throwIfNoEntry: false })?.size ?? -1;
}

async function aimAtRoad(): Promise<Aim> {
  const proxy = await startTcpProxy(Number(new URL((await sharedPostgres()).url).port));
  proxy.delayMs = DELAY_MS;
  const envOf = ({ env, database }: Site) => {
    const url = new URL(database.kind === 'postgres' ? database.url : '');
    url.port = String(proxy.port);
    return { ...env, VOTARY_DATABASE_URL: url.href };
  };
  const start = performance.now();
  await watchWhole('postgres', envOf, () => {});
  const wholeMs = performance.now() - start;
  return {
    envOf,
    wait: (_site, child, share) => {
      const dueAt = performance.now() + wholeMs * (STARTING + (1 - STARTING) * share);
      return pollUntil(child, () => performance.now() >= dueAt);
    },
    close: () => proxy.close(),
  };
}

/** One undisturbed migration. */
async function watchWhole(
  kind: Kind,
  envOf: (site: Site) => Environment,
  look: (site: Site) => void,
): Promise<void> {
  const site = await makeSite(kind);
  const child = spawnVotary(envOf(site), ['migrate']);
  await pollUntil(child, () => {
    look(site);
    return false;
  });
  await site.remove();
}
