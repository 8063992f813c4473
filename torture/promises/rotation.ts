import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { loadMasterSecret } from '../../src/ops/master-secret.ts';
import { issueKey, revealKey } from '../../src/store/keys.ts';
import { type Environment, runVotary, spawnVotary } from '../lib/processes.ts';
import { Findings, type Trial, type TrialWorld } from '../lib/promise.ts';
import { seeded } from '../lib/random.ts';
import { addGuilds, GUILD, makeSite, type Site } from '../lib/site.ts';

/** Enough of them that resealing takes a moment in which it can be killed. */
const KEYS = 3000;

export const rotationTrial: Trial = {
  name: 'rotation',
  promise:
    'A rotation of the master secret, or a restore, that is killed at any point leaves every key that can be shown.',
  async run({ scale, say }: TrialWorld) {
    const findings = new Findings();
    const random = seeded(17);
    const site = await makeSite('sqlite');
    const { VOTARY_SECRET: _configured, ...env } = site.env;
    const backup = join(site.folder, 'backup.db');
    const counts = { rounds: 2 * scale.migrationKills, killed: 0, unreadable: 0 };
    try {
      await addGuilds(site, scale.isQuick ? 50 : KEYS);
      const key = await issueReadableKey(site);
      await runVotary(env, 'backup', backup);
      for (const command of [
        ['secret', 'rotate'],
        ['restore', backup],
      ]) {
        const wholeMs = await timeCommand(env, command, findings);
        for (let round = 0; round < scale.migrationKills; round += 1) {
          counts.killed += Number(await killCommand(env, command, wholeMs * (0.3 + 0.65 * random())));
          const problem = await problemWith(site, key);
          counts.unreadable += Number(problem !== undefined);
          findings.expect(problem === undefined, `${command[0]}: ${problem}`);
        }
        say(`${command.join(' ')}: ${counts.killed} killed`);
      }
      return { broken: findings.broken, counts };
    } finally {
      await site.remove();
    }
  },
};

function issueReadableKey(site: Site): Promise<string> {
  return site.withStore(async (store) => {
    await store.guilds.add({ guildId: GUILD, name: 'Ours', createdAt: Date.now() });
    return (await issueKey(store, await presentSecrets(site), GUILD, Date.now())) ?? '';
  });
}

/** As the service itself reads them. */
async function presentSecrets({ env }: Site) {
  return deriveSecrets(await loadMasterSecret({ secret: null, dataDir: env.VOTARY_DATA_DIR ?? '' }));
}

async function timeCommand(
  env: Environment,
  command: readonly string[],
  findings: Findings,
): Promise<number> {
  const start = performance.now();
  const { code, stderr } = await runVotary(env, ...command);
  findings.expect(code === 0, `${command.join(' ')}: ${stderr}`);
  return performance.now() - start;
}

async function killCommand(env: Environment, command: readonly string[], afterMs: number): Promise<boolean> {
  const child = spawnVotary(env, command);
  const exit = once(child, 'exit');
  await Promise.race([pause(afterMs), exit]);
  child.kill('SIGKILL');
  await exit;
  return child.signalCode === 'SIGKILL';
}

async function problemWith(site: Site, key: string): Promise<string | undefined> {
  const path = site.database.kind === 'sqlite' ? site.database.path : '';
  const db = new Database(path);
  const state = db.pragma('integrity_check', { simple: true });
  db.close();
  if (state !== 'ok') return `integrity_check: ${String(state)}`;
  const secrets = await presentSecrets(site);
  const revealed = await site.withStore((store) => revealKey(store, secrets, GUILD));
  if (!revealed.shown) return `the key cannot be shown: ${revealed.reason}`;
  return revealed.key === key ? undefined : 'another key is shown';
}
