/**
 * Compares Votary with other servers, in one run. `npm run bench -- --help` lists the options.
 *
 *   npm run bench                        all of it; writes docs/performance.md and its plots
 *   npm run -s bench -- --quick --json   the ratios, as one JSON object on the last line
 */
import type { Bench } from './bench.ts';
import { openDataSets } from './data-sets/ensure.ts';
import { againstOf, figuresOf, type Measured, rounded } from './figures.ts';
import { startLoadGenerator } from './load/load.ts';
import { measureImport } from './measures/import.ts';
import { measureLists } from './measures/lists.ts';
import { MachineSpeed } from './measures/machine.ts';
import { measurePages } from './measures/pages.ts';
import { measureRealProcess } from './measures/real-process.ts';
import { compareOnHttp, compareOnPostgres, compareOnTls } from './measures/vote-check.ts';
import { measureWaiting } from './measures/waiting.ts';
import { measureWebhooks } from './measures/webhooks.ts';
import { measureWorkers } from './measures/workers.ts';
import { measureWrites } from './measures/writes.ts';
import { MEASURES, type MeasureName, type Options, readOptions, USAGE } from './options.ts';
import { writePerformancePage } from './report/page.ts';
import { againstText, figuresText, machineText, partText } from './report/text.ts';
import { checkOut, currentCommit } from './servers/revision.ts';

async function main(options: Options): Promise<void> {
  const commit = currentCommit();
  const against = options.against === undefined ? undefined : checkOut(options.against);
  const data = openDataSets(options.folder, options.shape);
  const load = startLoadGenerator();
  try {
    process.stderr.write(`commit ${commit}${against ? ` against ${against.commit} (${against.ref})` : ''}\n`);
    const bench = { data, load, plan: options.plan, ...(against && { against }) };
    const speed = new MachineSpeed();
    const measured = await measure(bench, options, speed);
    const figures = figuresOf(measured);
    const { slowdown, stolen } = speed.machine;
    if (options.mode === 'full' && isWhole(measured))
      writePerformancePage(measured, figures, { commit, slowdown, stolen });
    const compared = againstOf(measured);
    if (options.json) {
      const other = against && { against: { commit: against.commit, ...compared } };
      const machine = { machine_slowdown: rounded(slowdown), machine_stolen: stolen && rounded(stolen) };
      process.stdout.write(`${JSON.stringify({ ...figures, ...machine, commit, ...other })}\n`);
    } else {
      process.stdout.write(figuresText(figures) + (against ? againstText(against, compared) : ''));
    }
    process.stderr.write(machineText({ slowdown, stolen }));
  } finally {
    load.stop();
    await data.stop();
    against?.remove();
  }
}

async function measure(
  bench: Bench,
  { only, mode }: Options,
  speed: MachineSpeed,
): Promise<Partial<Measured>> {
  const isThorough = mode !== 'quick';
  const measures: Record<MeasureName, () => Promise<Measured[MeasureName]>> = {
    http: () => compareOnHttp(bench),
    tls: () => compareOnTls(bench, isThorough),
    postgres: () => compareOnPostgres(bench, isThorough),
    workers: () => measureWorkers(bench),
    lists: () => measureLists(bench, isThorough),
    import: () => measureImport(bench),
    process: () => measureRealProcess(bench),
    casts: () => measureWrites(bench, 'casts'),
    claims: () => measureWrites(bench, 'claims'),
    waiting: () => measureWaiting(bench),
    webhooks: () => measureWebhooks(bench),
    pages: () => measurePages(bench),
  };
  const measured: Partial<Record<MeasureName, unknown>> = {};
  for (const [name, run] of Object.entries(measures)) {
    // Its data set takes minutes to create.
    const isChosen =
      only.length > 0 ? only.some((chosen) => chosen === name) : name !== 'pages' || isThorough;
    if (!isChosen) continue;
    await speed.measure();
    const start = performance.now();
    const result = await run();
    Object.assign(measured, { [name]: result });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stderr.write(`${name} (${seconds} s)\n${result ? partText(result) : ''}`);
  }
  await speed.measure();
  return Object(measured);
}

function isWhole(measured: Partial<Measured>): measured is Measured {
  return Object.keys(MEASURES).every((name) => name === 'pages' || name in measured);
}

let options: Options | 'help';
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  process.exit(2);
}
if (options === 'help') process.stdout.write(USAGE);
else await main(options);
