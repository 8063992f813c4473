import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { runVotary, spawnVotary } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import { checkIntegrity, type Kind, makeSite, type Site } from '../../lib/site.ts';
import { type Aim, takeAim } from './aim-at-migration.ts';
import { expectedSchemas, migratedLines, migrationsOf, readSchema } from './schema.ts';

type Kills = ReturnType<typeof noKills>;

/** Where the kills landed: before the first version was complete, between two, or after the last. */
const noKills = () => ({ begun: 0, killed: 0, before: 0, between: 0, after: 0, half_done: 0 });

export const migrationsTrial: Trial = {
  name: 'migrations',
  promise: 'A migration that is killed half-way is rolled back, and the next start completes it.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const random = seeded(66);
    const counts = noKills();
    for (const kind of ['sqlite', 'postgres'] as const) {
      const expected = await expectedSchemas(kind);
      const isWhole = isDeepStrictEqual(await migratedLines(kind), expected.at(-1));
      findings.expect(isWhole, `${kind}: a clean database differs from the files of its migrations`);
      const aim = await takeAim(kind);
      try {
        for (let i = 0; i < scale.migrationKills; i += 1) {
          await killOnce(kind, { aim, share: 1.05 * random(), expected, findings, counts });
        }
      } finally {
        aim.close();
      }
      say(`${kind}: ${JSON.stringify(counts)}`);
    }
    return { broken: findings.broken, counts };
  },
};

type Shot = {
  aim: Aim;
  /** How much of the migration is done when the process is killed. */
  share: number;
  expected: readonly string[][];
  findings: Findings;
  counts: Kills;
};

async function killOnce(kind: Kind, { aim, share, expected, findings, counts }: Shot): Promise<void> {
  const site = await makeSite(kind);
  try {
    counts.begun += 1;
    counts.killed += Number(await killMigration(site, aim, share));
    const version = await checkVersions(site, expected, findings, counts);
    const newest = expected.length - 1;
    counts[version === 0 ? 'before' : version === newest ? 'after' : 'between'] += 1;
    await complete(site, expected, findings);
  } finally {
    await site.remove();
  }
}

async function killMigration(site: Site, aim: Aim, share: number): Promise<boolean> {
  const child = spawnVotary(aim.envOf(site), ['migrate']);
  const exit = once(child, 'exit');
  await aim.wait(site, child, share);
  child.kill('SIGKILL');
  await exit;
  return child.signalCode === 'SIGKILL';
}

/** The first migrations, none left out, and each of them complete. Returns how many. */
async function checkVersions(
  site: Site,
  expected: readonly string[][],
  findings: Findings,
  counts: Kills,
): Promise<number> {
  const { versions, lines } = await readSchema(site);
  const known = versionsOf(site.kind);
  const isInOrder = versions.every((version, i) => version === known[i]);
  const isWhole = isInOrder && isDeepStrictEqual(lines, expected[versions.length]);
  counts.half_done += Number(!isWhole);
  findings.expect(isWhole, `${site.kind}: half done, with versions ${versions} and ${lines.length} parts`);
  return versions.length;
}

async function complete(site: Site, expected: readonly string[][], findings: Findings): Promise<void> {
  const { code, stdout, stderr } = await runVotary(site.env, 'migrate', '--json');
  findings.expect(code === 0, `${site.kind}: not completed: ${stderr}`);
  if (code !== 0) return;
  const newest = versionsOf(site.kind).at(-1);
  const { version } = JSON.parse(stdout);
  findings.expect(version === newest, `${site.kind}: completed to version ${version}, not ${newest}`);
  const { lines } = await readSchema(site);
  findings.expect(
    isDeepStrictEqual(lines, expected.at(-1)),
    `${site.kind}: completed, but unlike a clean database`,
  );
  checkIntegrity(site, findings);
}

/** Numbers can be left out. */
function versionsOf(kind: Kind): number[] {
  return migrationsOf(kind).map(({ version }) => version);
}
