import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretFile } from '../../../src/secrets/master-secret.ts';
import { newClient } from '../../lib/client.ts';
import { type Environment, pollUntil, runVotary, spawnVotary, startServer } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import { checkIntegrity, makeSite, type Site, withSecretInFile } from '../../lib/site.ts';
import { countWebhookSecrets, findUnreadable, type Sealed, sealMuch } from './sealed.ts';

/** Enough of them that resealing takes long enough to be killed. */
const KEYS = 3000;
/** The number of keys that are tried on a server after every kill. */
const SAMPLE = 20;
const ROTATE = ['secret', 'rotate'];

type Scene = { site: Site; sealed: Sealed; findings: Findings; random: () => number };

export const rotationTrial: Trial = {
  name: 'rotation',
  promise:
    'A rotation of the master secret, or a restore, that is killed at any point leaves every key and webhook secret readable.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const site = await withSecretInFile(await makeSite('sqlite'));
    const backup = join(site.folder, 'backup.db');
    try {
      const sealed = await sealMuch(site, scale.isQuick ? 50 : KEYS);
      const scene = { site, sealed, findings, random: seeded(17) };
      const counts = {
        rounds: 0,
        killed: 0,
        killed_between_secrets: 0,
        keys: sealed.keys.size,
        webhook_secrets: countWebhookSecrets(sealed),
        unreadable: 0,
        keys_tried: 0,
        keys_refused: 0,
      };
      await runWhole(site.env, ['backup', backup], findings);
      for (const command of [ROTATE, ['restore', backup]]) {
        const wholeMs = await runWhole(site.env, command, findings);
        for (let round = 0; round < scale.migrationKills; round += 1) {
          // Otherwise the backup would have the current secret, and a restore would not change it.
          if (command !== ROTATE) await runWhole(site.env, ROTATE, findings);
          const moment = chooseMoment(round, wholeMs, scene);
          const { wasKilled, isBetween } = await killCommand(scene, command, moment);
          const { refused, unreadable } = await lookAfterKill(scene, command);
          counts.rounds += 1;
          counts.killed += Number(wasKilled);
          counts.killed_between_secrets += Number(isBetween);
          counts.unreadable += unreadable;
          counts.keys_tried += SAMPLE;
          counts.keys_refused += refused;
        }
        say(`${command[0]}: ${JSON.stringify(counts)}`);
      }
      return { broken: findings.broken, counts };
    } finally {
      await site.remove();
    }
  },
};

/** Returns how long it took. */
async function runWhole(env: Environment, command: readonly string[], findings: Findings): Promise<number> {
  const start = performance.now();
  const { code, stdout, stderr } = await runVotary(env, ...command, '--json');
  findings.expect(code === 0, `${command.join(' ')}: ${stderr}`);
  // A rotation that skips values it cannot decrypt would prove nothing.
  findings.expect(!/"unreadable":\s*[1-9]/.test(stdout), `${command.join(' ')}: ${stdout}`);
  return performance.now() - start;
}

/** Polled: whether it is time to kill. */
type Moment = (command: { tookMs: number; isSecretChanged: boolean }) => boolean;

/**
 * Alternates between any time in the life of the command, and the short time in which the file contains both secrets.
 */
function chooseMoment(round: number, wholeMs: number, { random }: Scene): Moment {
  const atMs = wholeMs * (0.3 + 0.65 * random());
  return round % 2 === 0 ? ({ tookMs }) => tookMs >= atMs : ({ isSecretChanged }) => isSecretChanged;
}

/** `isBetween`: the file contains more than one secret, because a rotation was in progress. */
async function killCommand(
  { site }: Scene,
  command: readonly string[],
  isTime: Moment,
): Promise<{ wasKilled: boolean; isBetween: boolean }> {
  const before = readSecretFile(site);
  const start = performance.now();
  const child = spawnVotary(site.env, command);
  const exit = once(child, 'exit');
  await pollUntil(child, () =>
    isTime({ tookMs: performance.now() - start, isSecretChanged: readSecretFile(site) !== before }),
  );
  child.kill('SIGKILL');
  await exit;
  const after = readSecretFile(site);
  return {
    wasKilled: child.signalCode === 'SIGKILL',
    isBetween: after !== before && after.trim().includes('\n'),
  };
}

function readSecretFile({ env }: Site): string {
  return readFileSync(secretFile(env.VOTARY_DATA_DIR ?? ''), 'utf8');
}

/** The server starts first, on what the kill left behind; then every value is decrypted. */
async function lookAfterKill(
  scene: Scene,
  command: readonly string[],
): Promise<{ refused: number; unreadable: number }> {
  const { site, sealed, findings } = scene;
  const refused = await countRefused(scene);
  findings.expect(refused === 0, `${command[0]}: ${refused} keys do not work any more`);
  checkIntegrity(site, findings);
  const unreadable = await findUnreadable(site, sealed);
  findings.expect(
    unreadable.length === 0,
    `${command[0]}: ${unreadable.length} cannot be read, first ${unreadable[0]}`,
  );
  return { refused, unreadable: unreadable.length };
}

/** The number of randomly chosen keys that a server rejects. */
async function countRefused({ site, sealed, findings, random }: Scene): Promise<number> {
  const keys = [...sealed.keys.values()];
  const sample = Array.from({ length: SAMPLE }, () => keys[Math.floor(random() * keys.length)] ?? '');
  const server = await startServer(site.env);
  const client = newClient(server.url);
  const answers = await Promise.all(
    sample.map((key) =>
      client.call('/v7/vote-check?discord_id=200000000000000001', { headers: { 'x-api-token': key } }),
    ),
  );
  client.close();
  findings.expect((await server.stop()) === 0, 'the server did not stop with exit code 0');
  return answers.filter(({ status }) => status !== 200).length;
}
