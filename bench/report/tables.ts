/** The measured parts of docs/performance.md, as Markdown. */
import { cpus, totalmem } from 'node:os';
import { type Figures, type Measured, statusOf, TARGETS, type Target } from '../figures.ts';
import { type Comparison, medianSample } from '../measures/compare.ts';
import type { Times } from '../measures/latency.ts';
import type { Machine } from '../measures/machine.ts';
import { PAGE_NAMES, type PagesFigures, type PageTimes } from '../measures/pages.ts';
import { spread } from '../measures/statistics.ts';

const MARKS = { goal: 'goal', limit: 'yes', missed: '**no**' };

export function ratiosTable(figures: Figures): string {
  const targets: [string, Target][] = Object.entries(TARGETS);
  const measured = targets.filter(([name]) => name in figures);
  const rows = measured.map(([name, target]) => {
    const value: number = Reflect.get(figures, name);
    const sign = target.isBetter === 'higher' ? '>=' : '<=';
    return [
      `\`${name}\``,
      target.description,
      `**${value}**`,
      `${sign} ${target.limit}`,
      `${sign} ${target.goal}`,
      MARKS[statusOf(target, value)],
    ];
  });
  return table(['key', 'measure', 'result', 'limit', 'goal', 'met'], rows);
}

export function throughputTable(
  parts: [string, Comparison][],
  [part, unit]: [part: string, unit: string] = ['measure', 'request'],
): string {
  const rows = parts.flatMap(([name, comparison]) =>
    [...comparison].map(([contender, samples]) => {
      const { requestsPerSecond, cpuMicroseconds } = medianSample(samples);
      const { low, high } = spread(samples.map((sample) => sample.cpuMicroseconds));
      const range = `${low.toFixed(1)} to ${high.toFixed(1)}`;
      return [name, contender, whole(requestsPerSecond), cpuMicroseconds.toFixed(1), range];
    }),
  );
  return table([part, 'by', `${unit}s/s`, `µs CPU per ${unit}`, 'lowest to highest round'], rows);
}

export function growthTable({ lists }: Measured): string {
  const sizes = lists.growth[0]?.times.map(({ votes }) => `${whole(votes)} votes`) ?? [];
  const rows = lists.growth.map(({ database, page, times, growth }) => [
    database,
    page,
    ...times.map(({ ms }) => `${ms.toFixed(2)} ms`),
    growth.toFixed(2),
  ]);
  return table(['database', 'page of 100', ...sizes, 'growth'], rows);
}

export type NamedTimes = Times & { name: string; isOurs: boolean; perSecond: number };

export function latencyTable(latencies: NamedTimes[]): string {
  const rows = latencies.map(({ name, perSecond, p50, p99, max }) => [
    name,
    whole(perSecond),
    `${p50.toFixed(2)} ms`,
    `${p99.toFixed(2)} ms`,
    `${max.toFixed(1)} ms`,
  ]);
  return table(['service', 'requests/s (80 % of the maximum)', 'p50', 'p99', 'slowest'], rows);
}

export function writesTable({ casts, claims, webhooks }: Measured): string {
  return throughputTable(
    [
      ['votes cast, SQLite', casts.sqlite],
      ['votes cast, PostgreSQL', casts.postgres],
      ['claims, SQLite', claims.sqlite],
      ['claims, PostgreSQL', claims.postgres],
      ['webhook deliveries', webhooks],
    ],
    ['64 at once', 'operation'],
  );
}

export function othersTable({ waiting, workers }: Measured): string {
  const rows = [
    ['vote checks per second while 1,000 clients wait', whole(waiting.checksPerSecond)],
    ['µs CPU per vote check of the busiest process, one worker', workers.one.toFixed(1)],
    ['the same, two workers', workers.two.toFixed(1)],
  ];
  return table(['measure', 'result'], rows);
}

export function pagesTable({ sqlite, postgres }: PagesFigures): string {
  const time = ({ medianMs, slowestMs }: PageTimes[keyof PageTimes]) =>
    `${medianMs.toFixed(1)} ms (slowest ${slowestMs.toFixed(0)} ms)`;
  return table(
    ['page', 'SQLite', 'PostgreSQL'],
    PAGE_NAMES.map((page) => [page, time(sqlite[page]), time(postgres[page])]),
  );
}

export function machineLine({ commit, slowdown, stolen }: Machine & { commit: string }): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${memory} GB, ${process.platform} ${process.arch}, Node ${process.versions.node}, commit ${commit}. \`machine_slowdown\` ${slowdown.toFixed(2)}, \`machine_stolen\` ${stolen?.toFixed(3) ?? 'unknown'}.`;
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
