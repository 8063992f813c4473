/** Writes the figures of a full run into docs/performance.md, between its markers, and draws its plots. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FULL } from '../data-sets/shape.ts';
import type { Figures, Measured } from '../figures.ts';
import { type Comparison, medianSample } from '../measures/compare.ts';
import { type LatencyFigures, timesOf } from '../measures/latency.ts';
import type { Machine } from '../measures/machine.ts';
import { VOTARY } from '../measures/vote-check.ts';
import { type Bar, barPlot, linePlot } from './plot.ts';
import {
  growthTable,
  latencyTable,
  machineLine,
  type NamedTimes,
  othersTable,
  pagesTable,
  ratiosTable,
  throughputTable,
  writesTable,
} from './tables.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const PAGE = join(DOCS, 'performance.md');
const PLOTS = join(DOCS, 'performance');

export function writePerformancePage(
  measured: Measured,
  figures: Figures,
  run: Machine & { commit: string },
): void {
  const { http, tls, postgres, lists } = measured;
  const latencies = latenciesOf(measured);
  const sections = {
    machine: machineLine(run),
    ratios: ratiosTable(figures),
    throughput: throughputTable([
      ['vote check, HTTP, SQLite', http.comparison],
      ['vote check, TLS, SQLite', tls.comparison],
      ['vote check, HTTP, PostgreSQL', postgres.comparison],
      ['page of 1000, SQLite', lists.thousands],
    ]),
    latency: latencyTable(latencies),
    growth: growthTable(measured),
    import: throughputTable(
      [[`${FULL.imported.toLocaleString('en')} votes`, measured.import]],
      ['file', 'vote'],
    ),
    writes: writesTable(measured),
    others: othersTable(measured),
    ...(measured.pages && { pages: pagesTable(measured.pages) }),
  };
  let page = readFileSync(PAGE, 'utf8');
  for (const [name, text] of Object.entries(sections)) page = replaceSection(page, name, text);
  writeFileSync(PAGE, page);
  writePlots(measured, latencies);
}

function latenciesOf({ http, tls, postgres }: Measured): NamedTimes[] {
  const services: [string, LatencyFigures | undefined][] = [
    ['SQLite, behind a proxy', http.latency],
    ['SQLite, TLS', tls.latency],
    ['PostgreSQL, behind a proxy', postgres.latency],
  ];
  return services.flatMap(([service, latency]) =>
    [...(latency?.results ?? [])].map(([server, results]) => {
      const name = server === VOTARY ? service : `${server} at the same rate`;
      return { name, isOurs: server === VOTARY, perSecond: latency?.perSecond ?? 0, ...timesOf(results) };
    }),
  );
}

/** Everything outside the markers is written manually. */
function replaceSection(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- measured: ${name} -->`, '<!-- end -->'];
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`docs/performance.md has no section "${name}" to write into`);
  return `${page.slice(0, from + start.length)}\n${text}\n${page.slice(to)}`;
}

function writePlots({ http, tls, postgres, lists }: Measured, latencies: NamedTimes[]): void {
  mkdirSync(PLOTS, { recursive: true });
  const write = (name: string, svg: string) => writeFileSync(join(PLOTS, `${name}.svg`), svg);
  const bars = [
    ...barsOf('HTTP', http.comparison),
    ...barsOf('TLS', tls.comparison),
    ...barsOf('PostgreSQL', postgres.comparison),
  ];
  write('vote-check', barPlot('Vote checks per second, one process', bars));
  const lines = lists.growth.map(({ database, page, times }) => ({
    label: `${database}, ${page} page`,
    points: times.map(({ votes, ms }) => ({ x: votes, y: ms })),
  }));
  write('list-growth', linePlot('A page of 100 with its total, by votes in the period', lines, 'ms'));
  const slow = latencies
    .filter(({ isOurs }) => isOurs)
    .flatMap(({ name, p50, p99 }) => [
      { label: `${name}, p50`, value: p50, note: `${p50.toFixed(2)} ms`, isOurs: true },
      { label: `${name}, p99`, value: p99, note: `${p99.toFixed(2)} ms`, isOurs: false },
    ]);
  write('latency', barPlot('Latency at 80 % of the maximum load', slow));
}

function barsOf(group: string, comparison: Comparison): Bar[] {
  return [...comparison].map(([name, samples]) => {
    const { requestsPerSecond } = medianSample(samples);
    return {
      label: `${group}: ${name}`,
      value: requestsPerSecond,
      note: `${Math.round(requestsPerSecond).toLocaleString('en')}/s`,
      isOurs: name === VOTARY,
    };
  });
}
