/** Copies that are killed again and again, until one is complete. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import type { Vote } from '../../../src/domain/votes/vote.ts';
import { openStore } from '../../../src/store/open.ts';
import { contentOf } from '../../../test/support/content.ts';
import { runOn } from '../../../test/support/postgres/postgres.ts';
import { type CommandResult, runVotary, spawnVotary } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext, type TrialResult } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import {
  addGuild,
  addGuilds,
  checkIntegrity,
  GUILD,
  type Kind,
  makeSite,
  numberedGuild,
  type Site,
} from '../../lib/site.ts';

const GUILDS = 20;
const CLAIMS = 50;
const RETRY_MS = 100;

const PAIRS: readonly (readonly [Kind, Kind])[] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
];

export const copyTrial: Trial = {
  name: 'copy',
  promise:
    'A copy into another database that is killed at any point cannot be used, and is completed by --resume or --start-over: nothing is lost or doubled, and the source is unchanged.',
  run: copy,
  extraSeconds: () => 600,
};

type Counts = {
  rows: number;
  kills: number;
  resumed: number;
  started_over: number;
  opened_unfinished: number;
};

async function copy({ scale, say }: TrialContext): Promise<TrialResult> {
  const findings = new Findings();
  const counts: Record<string, Counts> = {};
  for (const [from, to] of PAIRS) {
    const source = await makeSite(from);
    try {
      await fill(source, scale.copyVotes);
      const name = `${from}_to_${to}`;
      counts[name] = await copyUnderFire(source, to, scale.copyKills, findings);
      say(`${name}: ${JSON.stringify(counts[name])}`);
    } finally {
      await source.remove();
    }
  }
  return { broken: findings.broken, counts };
}

async function fill(site: Site, votes: number): Promise<void> {
  await addGuild(site);
  await addGuilds(site, GUILDS);
  await site.withStore(async (store) => {
    await store.votes.import(generate(votes), Date.now());
    for (let i = 0; i < CLAIMS; i += 1) {
      const vote = {
        guildId: GUILD,
        userId: String(600_000_000_000_000_000n + BigInt(i)),
        castAt: Date.now(),
      };
      await store.votes.cast({ ...vote, externalId: `Player \\${i}`, isDoubled: false });
    }
  });
}

async function* generate(count: number): AsyncGenerator<Vote[]> {
  const start = Date.now() - 1000 * HOUR_MS;
  for (let at = 0; at < count; at += 1000) {
    yield Array.from({ length: Math.min(1000, count - at) }, (_, i) => ({
      guildId: numberedGuild((at + i) % GUILDS),
      userId: String(700_000_000_000_000_000n + BigInt((at + i) * 7919)),
      castAt: start + at + i,
      externalId: i % 3 === 0 ? `Player_${at + i}` : null,
      isDoubled: i % 5 === 0,
    }));
  }
}

/** Each copy has `kills` at most; the next one begins when one was complete in time. */
async function copyUnderFire(source: Site, to: Kind, kills: number, findings: Findings): Promise<Counts> {
  const random = seeded(2027);
  const before = await readAll(source);
  const rows = Object.values(before).reduce((sum, table) => sum + table.length, 0);
  const counts: Counts = { rows, kills: 0, resumed: 0, started_over: 0, opened_unfinished: 0 };
  const wholeMs = await copyOnce(source, to, findings);
  for (let round = 0; counts.kills < kills && round < 3 * kills; round += 1) {
    const target = await makeSite(to);
    try {
      let option: string[] = [];
      // Up to three kills of one copy, then it runs to its end.
      for (let i = 0; i < 3 && counts.kills < kills; i += 1) {
        if (!(await killCopy(source, target, option, wholeMs * (0.2 + 0.8 * random())))) break;
        counts.kills += 1;
        if (await isUnfinished(target)) {
          option = [random() < 0.7 ? '--resume' : '--start-over'];
          counts.opened_unfinished += Number(await canOpen(target));
        }
      }
      await complete(source, target, option, { before, counts, findings });
      findings.expect(isCopy(before, await readAll(target)), `${to}: the copy differs from its source`);
      checkIntegrity(target, findings);
    } finally {
      await target.remove();
    }
  }
  findings.expect(counts.opened_unfinished === 0, `${to}: an unfinished copy could be opened`);
  findings.expect(isDeepStrictEqual(await readAll(source), before), `${source.kind}: the source has changed`);
  return counts;
}

/** Returns how long it took. */
async function copyOnce(source: Site, to: Kind, findings: Findings): Promise<number> {
  const target = await makeSite(to);
  const start = performance.now();
  const { code, stderr } = await runVotary(source.env, ...commandFor(target), '--json');
  findings.expect(code === 0, `copy to ${to}: ${stderr}`);
  await target.remove();
  return performance.now() - start;
}

function commandFor({ env }: Site): string[] {
  return ['copy', '--to', env.VOTARY_DATABASE_URL ?? ''];
}

/** False if the copy was complete before it could be killed. */
async function killCopy(source: Site, target: Site, option: string[], afterMs: number): Promise<boolean> {
  const child = spawnVotary(source.env, [...commandFor(target), ...option]);
  const exit = once(child, 'exit');
  await Promise.race([exit, pause(afterMs)]);
  child.kill('SIGKILL');
  await exit;
  return child.signalCode === 'SIGKILL';
}

/** A copy may have been complete when it was killed. */
async function complete(
  source: Site,
  target: Site,
  option: string[],
  { before, counts, findings }: { before: Content; counts: Counts; findings: Findings },
): Promise<void> {
  const isBegun = await isUnfinished(target);
  if (!isBegun && isCopy(before, await readAll(target).catch(() => ({})))) return;
  const options = isBegun ? option : [];
  counts.resumed += Number(options[0] === '--resume');
  counts.started_over += Number(options[0] === '--start-over');
  const { code, stderr } = await runWhenFree(source, [...commandFor(target), ...options, '--json']);
  findings.expect(code === 0, `copy ${options.join(' ')}: ${stderr}`);
}

/** PostgreSQL notices the end of a killed program when its statement is over. */
async function runWhenFree(source: Site, command: string[]): Promise<CommandResult> {
  for (;;) {
    const result = await runVotary(source.env, ...command);
    if (!/another copy writes/.test(result.stderr)) return result;
    await pause(RETRY_MS);
  }
}

async function isUnfinished(target: Site): Promise<boolean> {
  const rows = await query(target, "SELECT name FROM schema_migrations WHERE name = 'unfinished-copy'").catch(
    () => [],
  );
  return rows.length > 0;
}

async function canOpen({ database }: Site): Promise<boolean> {
  const store = await openStore(database).catch(() => undefined);
  await store?.close();
  return store !== undefined;
}

async function query({ database }: Site, sql: string): Promise<Record<string, unknown>[]> {
  if (database.kind === 'postgres') return runOn(database.url, sql);
  const db = new Database(database.path, { readonly: true, fileMustExist: true });
  try {
    return db.prepare<[], Record<string, unknown>>(sql).all();
  } finally {
    db.close();
  }
}

type Content = Record<string, string[]>;

function readAll(site: Site): Promise<Content> {
  return contentOf({ database: site.database, query: (sql) => query(site, sql) });
}

/** The same rows, and an epoch of the feed of its own. */
function isCopy({ feed_epochs: before = [], ...source }: Content, target: Content): boolean {
  const { feed_epochs: after = [], ...rest } = target;
  return isDeepStrictEqual(rest, source) && after.length === before.length + 1;
}
