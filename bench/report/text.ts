/** The figures as terminal output. */
import { type Figures, statusOf, TARGETS, type Target } from '../figures.ts';
import type { ClaimFigures } from '../measures/claims.ts';
import { type Comparison, medianSample } from '../measures/compare.ts';
import type { ImportFigures } from '../measures/import.ts';
import type { ListFigures } from '../measures/lists.ts';
import type { PagesFigures } from '../measures/pages.ts';
import type { ProcessFigures } from '../measures/real-process.ts';
import type { WaitingFigures } from '../measures/waiting.ts';

type Part = ListFigures | ImportFigures | ProcessFigures | ClaimFigures | WaitingFigures | PagesFigures;

export function comparisonText(comparison: Comparison): string {
  return [...comparison]
    .map(([name, samples]) => {
      const { requestsPerSecond, cpuMicroseconds } = medianSample(samples);
      const rate = Math.round(requestsPerSecond).toLocaleString('en').padStart(9);
      return `  ${name.padEnd(32)}${rate}/s  ${cpuMicroseconds.toFixed(1).padStart(7)} µs CPU\n`;
    })
    .join('');
}

export function partText(part: Part): string {
  if ('thousands' in part) return comparisonText(part.thousands) + growthText(part);
  return `  ${JSON.stringify(part)}\n`;
}

function growthText({ growth }: ListFigures): string {
  return growth
    .map(({ database, page, times, growth: times10M }) => {
      const list = times
        .map(({ votes, ms }) => `${votes.toLocaleString('en')}: ${ms.toFixed(2)} ms`)
        .join(', ');
      return `  ${`${database}, ${page} page`.padEnd(32)}x ${times10M.toFixed(2)} (${list})\n`;
    })
    .join('');
}

export function figuresText(figures: Figures): string {
  const targets: [string, Target][] = Object.entries(TARGETS);
  return targets
    .filter(([name]) => name in figures)
    .map(([name, target]) => {
      const value = Reflect.get(figures, name);
      return `${name.padEnd(34)} ${String(value).padStart(7)}   limit ${target.limit}, goal ${target.goal}: ${statusOf(target, value)}\n`;
    })
    .join('');
}
