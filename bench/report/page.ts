/** Writes the figures of a full run into docs/performance.md, between its markers, and draws its plots. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures, Measured } from '../figures.ts';
import { type Comparison, medianSample } from '../measures/compare.ts';
import { type Latency, measureLatency } from '../measures/latency.ts';
import { type Bench, VOTARY } from '../measures/vote-check.ts';
import { type Bar, barPlot, linePlot } from './plot.ts';
import {
  growthTable,
  importTable,
  latencyTable,
  machineLine,
  pagesTable,
  ratiosTable,
  throughputTable,
} from './tables.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const PAGE = join(DOCS, 'performance.md');
const PLOTS = join(DOCS, 'performance');

export async function writePerformancePage(
  bench: Bench,
  measured: Measured,
  figures: Figures,
): Promise<void> {
  const latencies = await measureLatency(bench, measured);
  const { http, tls, postgres, lists } = measured;
  const sections = {
    machine: machineLine(),
    ratios: ratiosTable(figures),
    throughput: throughputTable([
      ['vote check, HTTP, SQLite', http],
      ['vote check, TLS, SQLite', tls],
      ['vote check, HTTP, PostgreSQL', postgres],
      ['page of 1000, SQLite', lists.thousands],
    ]),
    latency: latencyTable(latencies),
    growth: growthTable(measured),
    import: importTable(measured),
    ...(measured.pages && { pages: pagesTable(measured.pages) }),
  };
  let page = readFileSync(PAGE, 'utf8');
  for (const [name, text] of Object.entries(sections)) page = replaceSection(page, name, text);
  writeFileSync(PAGE, page);
  writePlots(measured, latencies);
}

/** Everything outside the markers is written manually. */
function replaceSection(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- measured: ${name} -->`, '<!-- end -->'];
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`docs/performance.md has no section "${name}" to write into`);
  return `${page.slice(0, from + start.length)}\n${text}\n${page.slice(to)}`;
}

function writePlots({ http, tls, postgres, lists }: Measured, latencies: Latency[]): void {
  mkdirSync(PLOTS, { recursive: true });
  const write = (name: string, svg: string) => writeFileSync(join(PLOTS, `${name}.svg`), svg);
  const bars = [...barsOf('HTTP', http), ...barsOf('TLS', tls), ...barsOf('PostgreSQL', postgres)];
  write('vote-check', barPlot('Vote checks per second, one process', bars));
  const lines = lists.growth.map(({ database, page, times }) => ({
    label: `${database}, ${page} page`,
    points: times.map(({ votes, ms }) => ({ x: votes, y: ms })),
  }));
  write('list-growth', linePlot('A page of 100 with its total, by votes in the period', lines, 'ms'));
  const slow = latencies.flatMap(({ name, p50, p99 }) => [
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
