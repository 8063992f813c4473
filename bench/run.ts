/**
 * Compares Votary with other servers, in one run.
 *
 *   npm run bench                        all of it; writes docs/performance.md and its plots
 *   npm run -s bench -- --quick --json   the ratios, as one JSON object on the last line
 */
import { ensureDataSets } from './data-sets/ensure.ts';
import { figuresOf, type Measured } from './figures.ts';
import { startLoadGenerator } from './load/load.ts';
import { measureClaims } from './measures/claims.ts';
import { measureImport } from './measures/import.ts';
import { measureLists } from './measures/lists.ts';
import { measurePages } from './measures/pages.ts';
import { measureRealProcess } from './measures/real-process.ts';
import { type Bench, compareOnHttp, compareOnPostgres, compareOnTls } from './measures/vote-check.ts';
import { measureWaiting } from './measures/waiting.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { writePerformancePage } from './report/page.ts';
import { comparisonText, figuresText, partText } from './report/text.ts';

async function main(options: Options): Promise<void> {
  const data = await ensureDataSets(options.folder, options.shape);
  const load = startLoadGenerator();
  try {
    const bench = { data, load, plan: options.plan };
    const measured = await measure(bench, options);
    if (!isWhole(measured)) return;
    const figures = figuresOf(measured);
    if (options.mode === 'full') await writePerformancePage(bench, measured, figures);
    process.stdout.write(options.json ? `${JSON.stringify(figures)}\n` : figuresText(figures));
  } finally {
    load.stop();
    await data.postgres.server.stop();
  }
}

async function measure(bench: Bench, { only, mode }: Options): Promise<Partial<Measured>> {
  const measures = {
    http: () => compareOnHttp(bench),
    tls: () => compareOnTls(bench),
    postgres: () => compareOnPostgres(bench),
    lists: () => measureLists(bench, mode === 'full'),
    import: () => measureImport(bench),
    process: () => measureRealProcess(bench),
    claims: () => measureClaims(bench),
    waiting: () => measureWaiting(bench),
    pages: () => measurePages(bench),
  };
  const measured: Partial<Record<keyof Measured, unknown>> = {};
  for (const [name, run] of Object.entries(measures)) {
    // Its data set takes minutes to create.
    const isChosen = only.length > 0 ? only.includes(name) : name !== 'pages' || mode !== 'quick';
    if (!isChosen) continue;
    const start = performance.now();
    const result = await run();
    Object.assign(measured, { [name]: result });
    const text = result instanceof Map ? comparisonText(result) : partText(result);
    process.stderr.write(`${name} (${((performance.now() - start) / 1000).toFixed(1)} s)\n${text}`);
  }
  return Object(measured);
}

function isWhole(measured: Partial<Measured>): measured is Measured {
  return [
    measured.http,
    measured.tls,
    measured.postgres,
    measured.lists,
    measured.import,
    measured.process,
    measured.claims,
    measured.waiting,
  ].every((part) => part !== undefined);
}

let options: Options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  process.exit(2);
}
await main(options);
