import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { newestVersion, readMigrations } from '../../src/store/migrations.ts';
import { runVotary, spawnVotary } from '../lib/processes.ts';
import { Findings, type Trial, type TrialWorld } from '../lib/promise.ts';
import { seeded } from '../lib/random.ts';
import { type Kind, makeSite } from '../lib/site.ts';

const NEWEST = newestVersion(readMigrations(new URL('../../src/store/sqlite/migrations/', import.meta.url)));

export const migrationsTrial: Trial = {
  name: 'migrations',
  promise: 'A migration that is killed half-way is undone, and the next start completes it.',
  async run({ scale, say }: TrialWorld) {
    const findings = new Findings();
    const random = seeded(66);
    let kills = 0;
    let killedInTime = 0;
    for (const kind of ['sqlite', 'postgres'] as const) {
      const whole = await timeMigration(kind);
      for (let i = 0; i < scale.migrationKills; i += 1) {
        const { wasKilled, problem } = await killMigration(kind, whole * (0.35 + 0.6 * random()));
        kills += 1;
        killedInTime += Number(wasKilled);
        findings.expect(problem === undefined, `${kind}: ${problem}`);
      }
      say(`${kind}: ${kills} migrations begun, ${killedInTime} of them killed`);
    }
    return {
      broken: findings.broken,
      counts: { begun: kills, killed: killedInTime, half_done: findings.broken.length },
    };
  },
};

async function timeMigration(kind: Kind): Promise<number> {
  const site = await makeSite(kind);
  const start = performance.now();
  await runVotary(site.env, 'migrate');
  await site.remove();
  return performance.now() - start;
}

async function killMigration(kind: Kind, afterMs: number): Promise<{ wasKilled: boolean; problem?: string }> {
  const site = await makeSite(kind);
  try {
    const child = spawnVotary(site.env, ['migrate']);
    const exit = once(child, 'exit');
    await Promise.race([pause(afterMs), exit]);
    child.kill('SIGKILL');
    await exit;
    const wasKilled = child.signalCode === 'SIGKILL';
    const { code, stdout, stderr } = await runVotary(site.env, 'migrate', '--json');
    if (code !== 0) return { wasKilled, problem: stderr };
    const { version } = JSON.parse(stdout);
    return version === NEWEST ? { wasKilled } : { wasKilled, problem: `stands at version ${version}` };
  } finally {
    await site.remove();
  }
}
